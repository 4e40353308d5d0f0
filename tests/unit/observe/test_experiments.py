"""The trials against the reference server, over HTTP in both eras and over stdio: what they do, and what they record."""

import json
import os
import queue
import socket
import sys
import threading

import pytest
from support.mcp_http import Said, answering, legacy, result
from support.recorded import recorder

from diagnose.errors import UsageError
from diagnose.jobs.embedded import embedded
from diagnose.judge.timeline.reader import read
from diagnose.observe.experiments.listen import listen_trial
from diagnose.observe.experiments.signal import signal_trial
from diagnose.observe.experiments.stream import stream_trial
from diagnose.observe.experiments.trigger import CommandTrigger, Provoked
from diagnose.observe.held import hold_http, hold_stdio
from diagnose.reference.options import ServeOptions
from diagnose.transport.deadline import Deadline
from diagnose.wire.subscription import ACKNOWLEDGED, LIST_CHANGED, NONSENSE_URI, UNKNOWN_FIELD, subscription_of

EDIT = "import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1], data=sys.argv[2].encode())).close()"
WAIT = 2.0


def now():
    return "2026-11-30T12:00:00.000Z"


def trigger(url, change):
    return CommandTrigger([sys.executable, "-c", EDIT, url, json.dumps(change)], env=os.environ, limit=20)


class Doing:
    """A provocation that calls a function of the test's."""

    name = "a function"

    def __init__(self, function):
        self.function = function

    def __call__(self, meanwhile):
        self.function()
        meanwhile(0.05)
        return Provoked(exit_code=0, seconds=0.0)


@pytest.fixture(scope="module")
def server():
    with embedded(ServeOptions(control=True)) as running:
        yield running


@pytest.fixture(params=["legacy", "modern", "legacy stdio", "modern stdio"])
def way(request, server, http):
    """Give a way to hold a session with a fresh orchard, and the address at which it is edited."""
    era, _, over = request.param.partition(" ")
    if not over:
        server.change({"restore": True}, notify=False)
        yield (
            lambda: hold_http(http, server.url, recorder=recorder(), era=era),
            f"{server.url.removesuffix('/mcp')}/control",
        )
        return
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = [sys.executable, "-P", "-m", "diagnose", "serve", "--stdio", "--control", "--port", str(port)]
    yield (
        lambda: hold_stdio(command, recorder=recorder("stdio"), deadline=Deadline(60), era=era),
        f"http://127.0.0.1:{port}/control",
    )


def names(look):
    return [tool.name for tool in look.surface.tools]


def test_a_change_that_is_told(way):
    hold, control = way
    trial = signal_trial(hold, trigger(control, {"add": "press_cider"}), wait=WAIT, now=now)
    assert (trial.declared, trial.listening, trial.signals, trial.changed) == (True, True, 1, True)
    assert names(trial.before) == ["pick_apples", "prune_tree", "ripen"]
    assert names(trial.after) == ["pick_apples", "prune_tree", "ripen", "press_cider"]
    assert trial.provoked.succeeded
    assert trial.recording.ended == "closed"
    timeline = read(trial.recording)
    assert [action.text for action in timeline.actions] == [
        f"the trigger {sys.executable} is started",
        "the trigger has ended with exit code 0",
    ]
    held = timeline.sessions[0]
    signal = next(iter(held.signals))
    started, ended = (action.at.t for action in timeline.actions)
    walks = list(held.walks)
    assert walks[0].answered.t < started < signal.at.t < walks[1].asked.t
    assert all(walk.whole for walk in walks)
    # At once means before anything else could have happened, not after the trigger's own end and a rest.
    assert walks[1].asked.t - max(signal.at.t, ended) < 0.5


def test_a_change_that_nobody_is_told_of(way):
    hold, control = way
    trial = signal_trial(hold, trigger(control, {"remove": "ripen", "notify": False}), wait=0.6, now=now)
    assert (trial.listening, trial.signals, trial.changed) == (True, 0, True)
    assert names(trial.after) == ["pick_apples", "prune_tree"]


def test_a_trigger_that_changes_nothing(server, http):
    trial = signal_trial(
        lambda: hold_http(http, server.url, recorder=recorder()), Doing(lambda: None), wait=0.3, now=now
    )
    assert (trial.signals, trial.changed) == (0, False)


def tools(*listed):
    return [{"name": name, "inputSchema": {"type": "object"}} for name in listed]


class Lines:
    """The GET streams of a server that signals when it is told to."""

    def __init__(self):
        self.open = []

    def __call__(self, asked):
        self.open.append(queue.SimpleQueue())
        return Said(body=iter(self.open[-1].get, None), kind="text/event-stream")

    def signal(self):
        message = json.dumps({"jsonrpc": "2.0", "method": LIST_CHANGED})
        for line in self.open:
            line.put(f"data: {message}\n\n".encode())


def test_a_signal_before_the_change_is_followed_until_the_list_is_new(http):
    """The list is read at once, and again while it is old: the frames hold an old list behind the signal, then the new one."""
    turn = iter([tools("a"), tools("a"), tools("a")])
    lines = Lines()
    endpoint = legacy(GET=lines, tools__list=lambda asked: result(asked, {"tools": next(turn, tools("a", "b"))}))
    with answering(endpoint) as url:
        trial = signal_trial(
            lambda: hold_http(http, url, recorder=recorder(), era="legacy"),
            Doing(lines.signal),
            wait=WAIT,
            now=now,
        )
    walks = [len(walk.surface.tools) for walk in read(trial.recording).sessions[0].walks]
    assert walks == [1, 1, 1, 2]
    assert (trial.signals, trial.changed) == (1, True)


def test_a_storm_is_followed_for_a_while_and_then_left(http):
    lines = Lines()

    def listed(asked):
        lines.signal()
        return result(asked, {"tools": tools("a")})

    with answering(legacy(GET=lines, tools__list=listed)) as url:
        trial = signal_trial(
            lambda: hold_http(http, url, recorder=recorder(), era="legacy"), Doing(lambda: None), wait=WAIT, now=now
        )
    assert trial.changed is False
    assert 3 <= trial.signals <= 20


def test_without_a_channel_the_change_is_still_seen_and_nothing_waited_for(http):
    turn = iter([tools("a")])
    endpoint = legacy(
        GET=Said(status=405), tools__list=lambda asked: result(asked, {"tools": next(turn, tools("a", "b"))})
    )
    with answering(endpoint) as url:
        trial = signal_trial(
            lambda: hold_http(http, url, recorder=recorder(), era="legacy"), Doing(lambda: None), wait=60, now=now
        )
    assert (trial.listening, trial.signals, trial.changed) == (False, 0, True)
    assert trial.recording.events[-1].t < 10


def test_an_unreadable_list_ends_the_trial_before_anything_is_provoked(http):
    with answering(legacy(GET=Said(status=405), tools__list=Said(status=500))) as url:
        trial = signal_trial(
            lambda: hold_http(http, url, recorder=recorder(), era="legacy"),
            Doing(lambda: pytest.fail("provoked")),
            wait=1,
            now=now,
        )
    assert trial.provoked is None
    assert trial.changed is None
    assert trial.before.failure is not None


def test_subscriptions_of_every_kind(way):
    hold, control = way
    trial = listen_trial(hold, wait=WAIT, provoke=trigger(control, {"add": "press_cider"}))
    if trial is None:
        with hold() as held:
            assert held.session.era == "legacy", "only the modern era knows subscriptions"
        return
    assert trial.unanswered == ()
    asked = {event.message["id"]: event for event in trial.recording.events if _is_listen(event)}
    assert {type(each.request_id) for each in trial.asked} == {int, str}
    assert {each.request_id for each in trial.asked} < asked.keys()
    heard = [event.message for event in trial.recording.events if event.kind == "message" and event.sender == "server"]
    for each in trial.asked:
        own = [message["method"] for message in heard if subscription_of(message) == each.request_id]
        due = [ACKNOWLEDGED, LIST_CHANGED] if "toolsListChanged" in each.notifications else [ACKNOWLEDGED]
        assert own == due
    assert UNKNOWN_FIELD not in json.dumps(heard)
    assert NONSENSE_URI in json.dumps([each.notifications for each in trial.asked])


def _is_listen(event):
    return event.sender == "client" and (event.message or {}).get("method") == "subscriptions/listen"


def test_a_quiet_channel(way):
    hold, _ = way
    trial = stream_trial(hold, seconds=0.3, now=now)
    assert (trial.opened, trial.refused, trial.losses) == (True, None, 0)
    assert trial.alive is (None if trial.channel == "shared" else False)


def test_a_channel_that_is_kept_alive(http):
    body = (b": keep alive\n\n" for _ in range(3))
    with answering(legacy(GET=Said(body=body, kind="text/event-stream"))) as url:
        trial = stream_trial(lambda: hold_http(http, url, recorder=recorder(), era="legacy"), seconds=0.2, now=now)
    assert trial.alive
    assert trial.losses == 1


def test_a_channel_that_is_not_there(http):
    with answering(legacy(GET=Said(status=405))) as url:
        trial = stream_trial(lambda: hold_http(http, url, recorder=recorder(), era="legacy"), seconds=5, now=now)
    assert (trial.opened, trial.status, trial.alive) == (False, 405, None)


# The trigger.


def run(text, **options):
    options = {"env": os.environ, "limit": 20.0, **options}
    return CommandTrigger.of(text, **options)(threading.Event().wait)


def test_a_trigger_is_split_without_a_shell_and_gets_none_of_our_settings():
    code = "import os, sys; print(sys.argv[1:], [name for name in os.environ if name.startswith('DIAGNOSE_')])"
    done = run(f'{sys.executable} -c "{code}" "two words" "$HOME" "a;b"', env={**os.environ, "DIAGNOSE_TOKEN": "x"})
    assert done.succeeded
    assert done.last_words == ("['two words', '$HOME', 'a;b'] []",)


def test_a_trigger_has_no_longer_than_its_limit():
    done = run(f'{sys.executable} -c "import time; time.sleep(60)"', limit=0.5)
    assert done.exit_code is None
    assert done.seconds < 5


def test_a_trigger_that_fails_is_told_with_its_last_words():
    done = run(f"{sys.executable} -c \"import sys; print('nobody there', file=sys.stderr); sys.exit(7)\"")
    assert (done.exit_code, done.last_words) == (7, ("nobody there",))


@pytest.mark.parametrize("text", ["", "   ", "'open"])
def test_a_trigger_has_to_be_a_command_line(text):
    with pytest.raises(UsageError, match="--trigger"):
        CommandTrigger.of(text, env={}, limit=1)


def test_a_trigger_that_is_not_there_is_wrong_usage():
    with pytest.raises(UsageError, match="/no/such/program"):
        run("/no/such/program --now")

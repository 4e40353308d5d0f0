"""Rules of subscriptions and of quiet streams, each with a recording that breaks it and one close to it that does not.

What real servers and our own trials make of them is in tests/unit/observe/test_experiments_judged.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from unit.judge.looks import PICK, PRUNE, origin

from .play import MODERN, Play

TOOLS = {"toolsListChanged": True}
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
CHANGED = "notifications/tools/list_changed"
OURS = "diagnose"


def modern(transport: str = "http", client: str = "orchard-desk") -> Play:
    play = Play(transport, version=MODERN, client=client).handshake()
    play.lines[0]["client"] = {"id": client, "name": client}
    return play


def legacy(client: str = "orchard-desk") -> Play:
    play = Play("http", client=client).handshake()
    play.lines[0]["client"] = {"id": client, "name": client}
    return play


def asked(play: Play, wanted: dict[str, object], *, of: object = None) -> Play:
    """Ask for a subscription; the messages of it carry the id ``of`` (by default the right one)."""
    play.asks("subscriptions/listen", {"notifications": wanted})
    play.stream, play.subscription = f"h{play.channels}" if play.http else None, play.ids if of is None else of
    return play.opens(play.stream) if play.http else play


def acknowledged(play: Play, granted: dict[str, object]) -> Play:
    return play.notice(ACKNOWLEDGED, notifications=granted)


def nameless(play: Play) -> Play:
    message = {"jsonrpc": "2.0", "method": CHANGED, "params": {}}
    return play.write("server", channel=play.stream, message=message)


def refused_beside(first: dict[str, object], second: dict[str, object]) -> Play:
    play = acknowledged(asked(modern(), first), TOOLS)
    return play.asks("subscriptions/listen", {"notifications": second}).error(-32602)


def get_answered(status: int, kind: str) -> Play:
    play = legacy().requests("GET")
    return play.write("server", "response", channel=f"h{play.channels}", status=status, headers={"content-type": kind})


def silent(seconds: float, *, beats: bool, client: str = OURS) -> Play:
    play = legacy(client).listens()
    for _ in range(4):
        play.wait(seconds / 4)
        if beats:
            play.write("server", "raw", channel=play.stream, text=": beat")
    return play


def cut_off(client: str) -> Play:
    return legacy(client).listens().wait(5).closes("server")


def over_at_once(play: Play) -> Play:
    """Have the server end the subscription as soon as it is granted."""
    return acknowledged(asked(play, TOOLS), TOOLS).wait(0.3).result()


def leaving(play: Play) -> Play:
    """Leave after a moment: the server then ends what is open, and itself."""
    return acknowledged(asked(play, TOOLS), TOOLS).wait(0.3).closes("client", clean=True).result().exits()


def malformed(params: object) -> Play:
    play = legacy().listens()
    return play.write("server", channel=play.stream, message={"jsonrpc": "2.0", "method": CHANGED, "params": params})


UNKNOWN = {**TOOLS, "weatherChanged": True}
URI = "diagnose-nonsense:///x"

SCENES = {
    "listen-wrong-id": (
        lambda: acknowledged(asked(modern(), TOOLS, of="2"), TOOLS),
        lambda: acknowledged(asked(modern(), TOOLS), TOOLS),
    ),
    "listen-id-missing": (
        lambda: nameless(acknowledged(asked(modern(), TOOLS), TOOLS)),
        lambda: acknowledged(asked(modern(), TOOLS), TOOLS).signals(),
    ),
    "listen-filter-exceeded": (
        lambda: acknowledged(asked(modern(), TOOLS), {**TOOLS, "promptsListChanged": True}),
        lambda: acknowledged(asked(modern(), TOOLS), {**TOOLS, "promptsListChanged": False}),
    ),
    "listen-nonsense-uri": (
        lambda: acknowledged(asked(modern(), {"resourceSubscriptions": [URI]}), {"resourceSubscriptions": [URI]}),
        lambda: acknowledged(asked(modern(), {"resourceSubscriptions": [URI]}), {"resourceSubscriptions": []}),
    ),
    "listen-unknown-field": (
        lambda: refused_beside(TOOLS, UNKNOWN),
        lambda: acknowledged(asked(modern(), UNKNOWN), TOOLS),
    ),
    "listen-one-only": (lambda: refused_beside(TOOLS, TOOLS), lambda: refused_beside(TOOLS, UNKNOWN)),
    "listen-end-without-result": (
        lambda: acknowledged(asked(modern(), TOOLS), TOOLS).wait(5).closes("server"),
        lambda: acknowledged(asked(modern(), TOOLS), TOOLS).wait(5).result(),
    ),
    "capability-false-claim": (
        lambda: over_at_once(modern("stdio")).wait(5).lists(),
        lambda: leaving(modern("stdio")),
    ),
    "stream-no-ack": (
        lambda: asked(modern(), TOOLS).wait(11),
        lambda: asked(modern(), TOOLS).wait(1),
    ),
    "notification-invalid": (lambda: malformed(["tools"]), lambda: malformed({})),
    "stream-missing": (lambda: get_answered(200, "application/json"), lambda: get_answered(405, "text/plain")),
    "stream-dropped": (lambda: cut_off(OURS), lambda: legacy(OURS).listens().wait(5).closes("client")),
}


def found(play: Play, **layers: Any) -> set[str]:
    return {finding.rule for finding in play.judged(**layers).findings if finding.severity != "note"}


@pytest.mark.parametrize("rule", SCENES)
def test_a_rule_sees_what_breaks_it(rule: str) -> None:
    assert rule in found(SCENES[rule][0]())


@pytest.mark.parametrize("rule", SCENES)
def test_a_rule_lets_its_neighbour_be(rule: str) -> None:
    assert rule not in found(SCENES[rule][1]())


def test_over_stdio_an_acknowledgement_of_another_type_is_of_no_subscription() -> None:
    assert "stream-no-ack" in found(acknowledged(asked(modern("stdio"), TOOLS, of="2"), TOOLS))


@pytest.mark.parametrize(
    ("lists", "blamed"), [(([PICK], [PICK, PRUNE], [PICK]), "replica-skew"), (([PICK],) * 3, "server-no-signal")]
)
def test_lists_that_take_turns_are_no_change_that_nobody_was_told_of(lists: tuple[list[Any], ...], blamed: str) -> None:
    play = legacy(OURS).listens().lists(PICK).wait(30).lists(PICK, PRUNE).wait(30)
    walks = tuple(origin(tools, session=str(number)) for number, tools in enumerate(lists))
    told = found(play, origin=replace(walks[-1], samples=walks))
    assert told & {"replica-skew", "server-no-signal"} == {blamed}


def test_a_second_channel_that_is_refused_takes_the_first_one_from_nobody() -> None:
    """Our own trial leaves a subscription after a moment: it was granted all the same."""
    play = acknowledged(asked(modern(), TOOLS), TOOLS)
    first = play.stream
    play.asks("subscriptions/listen", {"notifications": TOOLS}).error(-32603)
    play.stream = first
    assert "capability-false-claim" not in found(play.closes("client"))


@pytest.mark.parametrize("play", [over_at_once(modern()), over_at_once(modern("stdio")).exits()])
def test_who_ended_a_subscription_decides_and_not_what_came_after(play: Play) -> None:
    assert "capability-false-claim" in found(play)


def test_a_channel_that_the_client_left_at_once_takes_nothing_back() -> None:
    """Our own trial may leave just when it has asked again."""
    play = acknowledged(asked(over_at_once(modern()).wait(0.5), TOOLS), TOOLS)
    assert "capability-false-claim" in found(play.closes("client"))


@pytest.mark.parametrize(
    ("play", "notes", "outcome"),
    [
        (silent(60, beats=False), ["keep-alive-missing"], "passed"),
        (silent(60, beats=True), [], "passed"),
        # The SDKs send a ping or a comment every 15 seconds: who has listened for 4 knows nothing.
        (silent(4, beats=False), [], "not-verified"),
        (silent(4, beats=True), [], "passed"),
    ],
)
def test_a_silence_is_judged_once_it_was_long_enough(play: Play, notes: list[str], outcome: str) -> None:
    judged = play.judged()
    assert [finding.rule for finding in judged.findings if finding.severity == "note"] == notes
    (result,) = [each for each in judged.checks if each.rule == "keep-alive-missing"]
    assert result.outcome == outcome
    assert outcome != "not-verified" or "--wait 30" in str(result.why)


def test_of_other_clients_another_thing_is_asked() -> None:
    """A stranger's quiet stream may have been looked at too late; and our own client is on no trial."""
    stranger = silent(60, beats=False, client="orchard-desk").judged()
    assert "keep-alive-missing" not in {finding.rule for finding in stranger.findings}
    tool = {"name": "pick_apples", "inputSchema": {"type": "object"}}
    ours, theirs = (legacy(client).listens().lists(tool).signals().wait(30) for client in (OURS, "orchard-desk"))
    assert "client-ignores-signal" in found(theirs)
    assert "client-ignores-signal" not in found(ours)


def test_the_id_of_a_subscription_is_kept_in_its_type() -> None:
    (stream,) = acknowledged(asked(modern(), TOOLS, of="2"), TOOLS).timeline.sessions[0].streams
    assert (stream.misnamed.method, stream.misnamed.named) == (ACKNOWLEDGED, "2")

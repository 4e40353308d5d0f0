"""What the judge reads out of the recordings of our trials: each misbehaviour by its name, and nothing of an honest server.

The trials ask, the rules that read recordings judge; here the two meet.
"""

import threading

import pytest
from support.mcp_http import Said, answering, error
from support.orchard import Orchard
from support.recorded import recorder

from diagnose.evidence.bundle import Bundle, Target
from diagnose.judge import diagnose
from diagnose.judge.timeline.rules import needs
from diagnose.observe.experiments.listen import listen_trial
from diagnose.observe.experiments.signal import signal_trial
from diagnose.observe.experiments.stream import stream_trial
from diagnose.observe.experiments.trigger import Provoked
from diagnose.observe.held import hold_http
from diagnose.wire.subscription import LIST_CHANGED, SUBSCRIPTION_ID, UNKNOWN_FIELD

ERAS = ["legacy", "modern"]
NOW = "2026-11-30T12:00:00.000Z"


class Doing:
    """A provocation that is a function of the test's."""

    name = "a function"

    def __init__(self, function):
        self.function = function

    def __call__(self, meanwhile):
        self.function()
        meanwhile(0.05)
        return Provoked(exit_code=0, seconds=0.0)


def soon(function, seconds):
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()


def grow(orchard):
    orchard.add(f"ripen_{len(orchard.names)}")


def told(orchard):
    grow(orchard)
    orchard.signal()


def untold(orchard):
    grow(orchard)


def told_too_early(orchard):
    orchard.signal()
    soon(lambda: grow(orchard), 0.5)


def told_late(orchard):
    grow(orchard)
    soon(orchard.signal, 1.2)


def told_three_times(orchard):
    grow(orchard)
    for _ in range(3):
        orchard.signal()


def told_for_nothing(orchard):
    orchard.signal()


def nothing(orchard):
    """Leave everything as it is."""


def storming(orchard):
    orchard.listed = orchard.signal


def signalled(orchard, era, http, provoke, *, wait=2.5):
    with answering(orchard.endpoint) as url:
        return signal_trial(
            lambda: hold_http(http, url, recorder=recorder(), era=era),
            Doing(lambda: provoke(orchard)),
            wait=wait,
            now=lambda: NOW,
        )


def diagnosed(recording):
    target = Target(id="here", transport="http", endpoint="http://here/mcp")
    return diagnose(Bundle(created_at=NOW, target=target, wire=(recording,)))


def judged(recording):
    """Return the cause, and the rules of all errors and warnings at the server's side: our own client is not on trial."""
    diagnosis = diagnosed(recording)
    found = {
        finding.rule
        for finding in diagnosis.findings
        if finding.layer in {"origin", "path"} and finding.severity != "note"
    }
    return diagnosis.verdict.cause, found


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("provoke", [told, told_three_times, told_late, told_for_nothing, nothing])
def test_an_honest_server_is_blamed_for_nothing(http, era, provoke):
    trial = signalled(Orchard(era), era, http, provoke)
    assert judged(trial.recording) == (None, set())


@pytest.mark.parametrize("era", ERAS)
def test_a_change_that_nobody_is_told_of(http, era):
    trial = signalled(Orchard(era), era, http, untold)
    assert judged(trial.recording) == ("server-no-signal", {"server-no-signal"})


@pytest.mark.parametrize("era", ERAS)
def test_a_signal_before_the_change(http, era):
    trial = signalled(Orchard(era), era, http, told_too_early)
    cause, found = judged(trial.recording)
    assert cause == "server-signal-early"
    # The frames do not exclude a needless signal, and then a change that nobody was told of.
    assert found <= {"server-signal-early", "server-no-signal"}


@pytest.mark.parametrize("era", ERAS)
def test_a_list_that_signals_whenever_it_is_asked_for(http, era):
    orchard = Orchard(era)
    storming(orchard)
    trial = signalled(orchard, era, http, nothing)
    assert judged(trial.recording) == ("server-signal-storm", {"server-signal-storm"})


@pytest.mark.parametrize("era", ERAS)
def test_a_signal_that_was_never_promised(http, era):
    trial = signalled(Orchard(era, declares=False), era, http, told)
    assert judged(trial.recording) == ("capability-undeclared", {"capability-undeclared"})


def holding_back(orchard):
    """Have a hop pass on an event of a stream only when the next one comes."""
    send, waiting = orchard.send, {}

    def sent(name, message):
        signal = message["method"] == LIST_CHANGED
        before = waiting.get(name) if signal else message
        waiting.update({name: message} if signal else {})
        if before is not None:
            send(name, before)

    orchard.send = sent


def forgetting_the_first(orchard):
    """Have the server say nothing of the first change of all."""
    signal, turns = orchard.signal, iter([False])
    orchard.signal = lambda: signal() if next(turns, True) else None


@pytest.mark.parametrize("era", ERAS)
def test_an_event_that_comes_only_with_the_next_one(http, era):
    orchard = Orchard(era)
    holding_back(orchard)
    trial = signalled(orchard, era, http, told, wait=1.0)
    assert judged(trial.recording)[1] == {"proxy-buffers"}
    (finding,) = [each for each in diagnosed(trial.recording).findings if each.rule == "proxy-buffers"]
    assert "only with the next one" in finding.message


@pytest.mark.parametrize("era", ERAS)
def test_an_event_that_was_never_sent_is_not_held_back(http, era):
    """A stream that was opened before the second change is told of it at once."""
    orchard = Orchard(era)
    forgetting_the_first(orchard)
    trial = signalled(orchard, era, http, told, wait=1.0)
    assert judged(trial.recording) == ("server-no-signal", {"server-no-signal"})


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "refusal", [Said(status=405), lambda asked: error(asked, -32601, status=404 if asked.verb == "POST" else 405)]
)
def test_a_promise_without_a_channel(http, era, refusal):
    trial = signalled(Orchard(era, channel=refusal), era, http, untold)
    assert not trial.listening
    assert judged(trial.recording) == ("capability-false-claim", {"capability-false-claim"})


@pytest.mark.parametrize("era", ERAS)
def test_a_channel_that_ends_at_once(http, era):
    ended = Said(body=[], kind="text/event-stream")
    trial = signalled(Orchard(era, channel=ended), era, http, nothing, wait=1.0)
    assert "capability-false-claim" in judged(trial.recording)[1]


def listened(orchard, http, *, provoke=told):
    with answering(orchard.endpoint) as url:
        return listen_trial(
            lambda: hold_http(http, url, recorder=recorder(), era="modern"),
            wait=2.2,
            provoke=Doing(lambda: provoke(orchard)),
        )


def acknowledging(change):
    """Return an orchard whose acknowledgements are changed by a function of the request and the honest one."""
    orchard = Orchard("modern")
    honest = orchard.acknowledges
    orchard.acknowledges = lambda asked: change(asked, honest(asked))
    return orchard


def granting(more):
    def change(asked, honest):
        honest["params"]["notifications"] |= more(asked)
        return honest

    return acknowledging(change)


def named(name):
    def change(asked, honest):
        honest["params"]["_meta"] = {} if name(asked) is None else {SUBSCRIPTION_ID: name(asked)}
        return honest

    return acknowledging(change)


def without_ids():
    orchard = Orchard("modern")
    orchard.changed = lambda _: {"jsonrpc": "2.0", "method": LIST_CHANGED}
    return orchard


def telling_everybody():
    orchard = Orchard("modern")
    orchard.changed_for_all = True
    honest = orchard.signal

    def signal():
        honest()
        orchard.send("diagnose-nothing", orchard.of("diagnose-nothing", LIST_CHANGED))

    orchard.signal = signal
    return orchard


def refusing(which):
    orchard = Orchard("modern")
    open_ones = []

    def listen(asked):
        if which(asked, open_ones):
            return error(asked, -32602, "no", 400)
        open_ones.append(asked)
        return orchard.stream(asked)

    orchard.endpoint.answers["subscriptions/listen"] = listen
    return orchard


def ending():
    orchard = Orchard("modern")

    def stream(asked):
        said = orchard.stream(asked)
        soon(orchard.cut, 1.2)
        return said

    orchard.endpoint.answers["subscriptions/listen"] = stream
    return orchard


def test_subscriptions_that_are_kept_to(http):
    trial = listened(Orchard("modern"), http)
    assert trial.unanswered == ()
    assert judged(trial.recording) == (None, set())


SCENES = {
    "stream-no-ack": lambda: acknowledging(lambda *_: None),
    "listen-wrong-id": lambda: named(lambda asked: str(asked.id) if isinstance(asked.id, int) else asked.id),
    "listen-id-missing": without_ids,
    "listen-filter-exceeded": lambda: granting(lambda _: {"promptsListChanged": True}),
    "listen-nonsense-uri": lambda: granting(
        lambda asked: {"resourceSubscriptions": asked.params["notifications"].get("resourceSubscriptions", [])}
    ),
    "listen-unknown-field": lambda: refusing(lambda asked, _: UNKNOWN_FIELD in asked.params["notifications"]),
    "listen-one-only": lambda: refusing(lambda _, open_ones: open_ones),
    "listen-end-without-result": ending,
}


@pytest.mark.parametrize("rule", SCENES)
def test_a_subscription_that_is_not_kept_to(http, rule):
    trial = listened(SCENES[rule](), http, provoke=nothing if rule == "listen-end-without-result" else told)
    found = judged(trial.recording)[1]
    assert rule in found
    # A stream that breaks off is two things: it ended without its result, and it was cut.
    assert found <= {rule, *({"stream-dropped"} if rule == "listen-end-without-result" else ())}


def test_a_signal_before_the_acknowledgement(http):
    orchard = Orchard("modern")

    def stream(asked):
        return orchard.stream(asked)

    honest = orchard.acknowledges

    def acknowledges(asked):
        orchard.send(asked.id, orchard.of(asked.id, LIST_CHANGED))
        return honest(asked)

    orchard.acknowledges = acknowledges
    orchard.endpoint.answers["subscriptions/listen"] = stream
    assert judged(listened(orchard, http).recording)[1] == {"stream-no-ack"}


def test_a_signal_to_a_subscription_that_did_not_ask_for_it(http):
    assert judged(listened(telling_everybody(), http).recording)[1] == {"stream-no-ack"}


# The stream itself.


def quiet(orchard, era, http, seconds):
    with answering(orchard.endpoint) as url:
        return stream_trial(
            lambda: hold_http(http, url, recorder=recorder(), era=era), seconds=seconds, now=lambda: NOW
        )


@pytest.mark.parametrize("era", ERAS)
def test_a_quiet_channel_is_no_fault(http, era):
    assert judged(quiet(Orchard(era), era, http, 0.5).recording) == (None, set())


@pytest.mark.parametrize("era", ERAS)
def test_a_long_silence_is_worth_a_word(http, era, monkeypatch):
    monkeypatch.setattr(needs, "KEEP_ALIVE", 0.8)
    recording = quiet(Orchard(era), era, http, 1.0).recording
    notes = [finding.rule for finding in diagnosed(recording).findings if finding.severity == "note"]
    assert notes == ["keep-alive-missing"]


@pytest.mark.parametrize("era", ERAS)
def test_a_storm_needs_nobody_to_provoke_it(http, era):
    orchard = Orchard(era)
    storming(orchard)
    assert judged(quiet(orchard, era, http, 1.0).recording) == ("server-signal-storm", {"server-signal-storm"})


@pytest.mark.parametrize("era", ERAS)
def test_a_quiet_server_causes_no_storm(http, era):
    (result,) = [
        each
        for each in diagnosed(quiet(Orchard(era), era, http, 0.2).recording).checks
        if each.rule == "server-signal-storm"
    ]
    assert result.outcome == "passed"


def test_a_get_that_is_neither_a_stream_nor_405(http):
    orchard = Orchard("legacy", declares=False, channel=Said(body=b"{}"))
    assert judged(quiet(orchard, "legacy", http, 0.2).recording) == ("stream-missing", {"stream-missing"})


def test_a_get_that_is_405_is_right_where_nothing_is_promised(http):
    orchard = Orchard("legacy", declares=False, channel=Said(status=405))
    assert judged(quiet(orchard, "legacy", http, 0.2).recording) == (None, set())


def test_a_channel_that_breaks_off(http):
    body = (piece for piece in [b": here\n\n"])
    orchard = Orchard("legacy", channel=lambda _: Said(body=slowly(body), kind="text/event-stream", cut=True))
    found = judged(quiet(orchard, "legacy", http, 1.8).recording)[1]
    assert found == {"stream-dropped"}


def slowly(pieces):
    yield from pieces
    threading.Event().wait(1.2)


@pytest.mark.parametrize("era", ERAS)
def test_a_signal_that_is_held_back(http, era):
    def held_back(orchard):
        grow(orchard)
        soon(orchard.signal, 3.5)

    trial = signalled(Orchard(era), era, http, held_back, wait=6.0)
    assert judged(trial.recording)[1] == {"proxy-buffers"}


def test_a_signal_that_no_schema_knows(http):
    orchard = Orchard("legacy")
    orchard.changed = lambda _: {"jsonrpc": "2.0", "method": LIST_CHANGED, "params": ["tools"]}
    assert judged(signalled(orchard, "legacy", http, told).recording)[1] == {"notification-invalid"}

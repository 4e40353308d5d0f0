"""Every fault of what a server tells by itself breaks what it is named after, and nothing else."""

from __future__ import annotations

import pytest

from diagnose.reference.faults import FAULTS, signals, subscriptions
from diagnose.reference.keep_alive import BEAT
from diagnose.reference.orchard import orchard

from .conftest import Client
from .look import look
from .trial import PROMPT, HttpTalker, is_kept_alive, trial

FAMILIES = {
    "capability-false-claim",
    "capability-undeclared",
    "listen-end-without-result",
    "listen-filter-exceeded",
    "listen-id-missing",
    "listen-nonsense-uri",
    "listen-one-only",
    "listen-unknown-field",
    "listen-wrong-id",
    "notification-invalid",
    "proxy-buffers",
    "server-no-signal",
    "server-signal-early",
    "server-signal-storm",
    "stream-dropped",
    "stream-missing",
    "stream-no-ack",
    "tools-capability-missing",
}
#: What takes two changes to be seen.
OF_TWO_CHANGES = "proxy-buffers:next-event"
OF_STREAMS = [
    (fault.name, era)
    for fault in FAULTS.values()
    if fault.rule in FAMILIES and fault.name != OF_TWO_CHANGES
    for era in fault.eras
]


@pytest.fixture(autouse=True)
def impatient(monkeypatch) -> None:
    monkeypatch.setattr(signals, "DELAY", 1.0)
    monkeypatch.setattr(signals, "SHORT_LIFE", 0.2)
    monkeypatch.setattr(subscriptions, "SHORT_LIFE", 0.2)


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_the_honest_server_tells_what_it_should(server, era) -> None:
    server.change({"restore": True})
    assert trial(HttpTalker(server.url, era), lambda: server.change({"remove": "ripen"})) == set()


@pytest.mark.parametrize(("name", "era"), OF_STREAMS)
def test_a_fault_breaks_what_it_is_named_after_and_nothing_else(server, behind, name: str, era: str) -> None:
    url = behind(FAULTS[name])
    assert trial(HttpTalker(url, era), lambda: server.change({"remove": "ripen"})) == {FAULTS[name].rule}
    server.change({"restore": True})
    client = Client(url, era)
    client.handshake()
    client.tools()  # the first list after a change is what one fault is about
    seen = look(client)
    assert (seen.wrong, seen.tools) == (set(), orchard())


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_signal_comes_with_the_next_one(server, behind, era: str) -> None:
    server.change({"restore": True})
    client = HttpTalker(behind(FAULTS[OF_TWO_CHANGES]), era)
    client.handshake()
    ear = client.open_ear(*((7, {"toolsListChanged": True}) if era == "modern" else (None, None)))
    server.change({"remove": "ripen"})
    assert not ear.until(lambda: bool(ear.signals), PROMPT)
    server.change({"restore": True})
    assert ear.until(lambda: bool(ear.signals), 20)
    assert not ear.until(lambda: len(ear.signals) > 1, PROMPT)
    ear.close()


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_without_comments_a_quiet_stream_is_silent(server, behind, era) -> None:
    assert not is_kept_alive(HttpTalker(behind(FAULTS["keep-alive-missing"]), era), BEAT * 2)
    assert is_kept_alive(HttpTalker(behind(FAULTS["count-mismatch"]), era), BEAT * 10)


def test_without_comments_all_else_is_told(server, behind) -> None:
    for era in ("modern", "legacy"):
        server.change({"restore": True})
        client = HttpTalker(behind(FAULTS["keep-alive-missing"]), era)
        assert trial(client, lambda: server.change({"remove": "ripen"})) == set()

"""What a server tells by itself, over stdio: every fault that can stand there breaks what it is named after."""

from __future__ import annotations

import pytest

from diagnose.reference.faults import FAULTS

from .stdio_client import serving
from .test_stream_faults import FAMILIES
from .trial import trial

#: A child takes a second to start, so that one variant and era is tried for each kind of thing that a fault does.
OVER_STDIO = [
    ("capability-false-claim:listen-closed", "modern"),
    ("capability-false-claim:listen-refused", "modern"),
    ("capability-undeclared", "legacy"),
    ("listen-filter-exceeded", "modern"),
    ("listen-id-missing", "modern"),
    ("listen-nonsense-uri", "modern"),
    ("listen-one-only", "modern"),
    ("listen-unknown-field", "modern"),
    ("listen-wrong-id:number", "modern"),
    ("listen-wrong-id:text", "modern"),
    ("notification-invalid", "legacy"),
    ("server-no-signal", "legacy"),
    ("server-no-signal", "modern"),
    ("server-signal-early", "legacy"),
    ("server-signal-early", "modern"),
    ("server-signal-storm:self-triggered", "legacy"),
    ("server-signal-storm:self-triggered", "modern"),
    ("server-signal-storm:without-change", "legacy"),
    ("stream-no-ack:late-ack", "modern"),
    ("stream-no-ack:no-ack", "modern"),
    ("stream-no-ack:ungranted-event", "modern"),
    ("tools-capability-missing", "modern"),
]


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_the_honest_server_tells_what_it_should(era) -> None:
    with serving(era) as client:
        assert trial(client, lambda: client.change({"remove": "ripen"})) == set()


@pytest.mark.parametrize(("name", "era"), OVER_STDIO)
def test_a_fault_breaks_what_it_is_named_after_and_nothing_else(name: str, era: str) -> None:
    with serving(era, "--fault", name) as client:
        assert trial(client, lambda: client.change({"remove": "ripen"})) == {FAULTS[name].rule}


def test_each_fault_that_can_stand_there_is_tried() -> None:
    there = {fault.name for fault in FAULTS.values() if fault.rule in FAMILIES and "stdio" in fault.transports}
    assert {name for name, _ in OVER_STDIO} == there

"""Every fault breaks what it is named after, in every era that it claims, and nothing else."""

from __future__ import annotations

import http.client
import re

import pytest

from diagnose.errors import UsageError
from diagnose.reference.faults import ERAS, FAULTS, Fault, find_fault
from diagnose.reference.orchard import orchard

from . import test_request_faults, test_stream_faults
from .conftest import Client
from .look import look

#: What one round of ordinary requests shows; `test_request_faults` and `test_stream_faults` have the others.
SEEN_AT_ONCE = {
    "auth-blocked",
    "count-mismatch",
    "cursor-empty-string",
    "cursor-loop",
    "cursor-rejected",
    "handshake-failed",
    "invalid-definition",
    "limit-exceeded",
    "list-error",
    "manifest-disagrees",
    "manifest-gated",
    "mixed-builds",
    "name-collision",
    "order-unstable",
    "page-mixed-snapshot",
    "replica-skew",
    "revision-mismatch",
    "server-frozen-snapshot",
    "server-old-build",
    "surface-changed",
    "timed-out",
    "unreachable",
    "wire-corrupt",
}
OVER_HTTP = [(name, era) for name in sorted(SEEN_AT_ONCE) for era in FAULTS[name].eras]
#: What takes two principals, two eras or two connections.
SEEN_TWICE = {"auth-view-diff", "eras-differ", "keep-alive-missing", "list-varies-by-connection", "scope-leak"}


@pytest.mark.parametrize("era", ERAS)
def test_the_honest_server_has_no_fault(server, era) -> None:
    server.change({"restore": True})
    seen = look(Client(server.url, era))
    assert (seen.wrong, seen.tools) == (set(), orchard())


@pytest.mark.parametrize(("name", "era"), OVER_HTTP)
def test_a_fault_breaks_what_it_is_named_after_and_nothing_else(behind, name: str, era: str) -> None:
    client = Client(behind(FAULTS[name]), era, timeout=1 if name == "timed-out" else 20)
    seen = look(client)
    if name == "surface-changed":
        again = look(client)
        assert (seen.wrong, seen.tools, again.wrong) == (set(), orchard(), set())
        assert [tool["name"] for tool in again.tools][-1] == "press_cider"
        assert look(client).tools == again.tools
    else:
        assert seen.wrong == {name}


def test_every_fault_is_held_to_its_name_by_one_of_these_tests() -> None:
    held = SEEN_AT_ONCE | SEEN_TWICE | test_request_faults.FAMILIES | test_stream_faults.FAMILIES
    # `test_statesync_faults` and `test_state_faults` have those of state.
    assert {fault.rule for fault in FAULTS.values() if not fault.ledger} == held
    assert len(FAULTS) >= 45


@pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.name)
def test_a_fault_is_declared_for_people(fault: Fault) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*(:[a-z]+(-[a-z0-9]+)*)?", fault.name)
    assert fault.breaks.endswith(".")
    assert set(fault.eras) <= set(ERAS)
    assert fault.eras
    assert fault.transports


def test_a_fault_of_the_handshake_era_stands_before_a_server_of_that_era(behind) -> None:
    client = Client(behind(FAULTS["server-frozen-snapshot"]), "modern")
    assert client.rpc("server/discover")["error"]["code"] == -32601


def test_an_unknown_fault_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no fault named 'fruit-fly'"):
        find_fault("fruit-fly", "http")


def test_a_fault_is_refused_where_it_cannot_stand() -> None:
    with pytest.raises(UsageError, match="manifest-gated is one of http"):
        find_fault("manifest-gated", "stdio")


@pytest.mark.parametrize("length", ["-1", "many", str(1 << 30)])
def test_a_body_of_no_sensible_length_is_not_relayed(behind, length: str) -> None:
    client = Client(behind(FAULTS["count-mismatch"]))
    with pytest.raises(http.client.RemoteDisconnected):
        client.http("POST", "/mcp", headers={"content-length": length})


def test_a_stream_passes_a_fault_as_it_comes(behind, server) -> None:
    """What a fault does not concern goes through untouched, an open event stream included."""
    client = Client(behind(FAULTS["count-mismatch"]), "legacy")
    client.handshake()
    with client.stream("GET", {"accept": "text/event-stream"}) as events:
        server.change({"remove": "ripen"})
        assert next(events)["method"] == "notifications/tools/list_changed"

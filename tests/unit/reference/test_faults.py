"""Every fault breaks what it is named after, in every era that it claims, and nothing else."""

from __future__ import annotations

import http.client
import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest

from diagnose.errors import UsageError
from diagnose.reference.faults import ERAS, FAULTS, Fault, find_fault
from diagnose.reference.orchard import orchard
from diagnose.reference.proxy_http import FaultProxy, HttpUpstream
from diagnose.reference.serve import url_of
from diagnose.reference.serve_http import listen

from .conftest import Client
from .look import look

OF_THIS_RELEASE = {
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
OVER_HTTP = [(fault.name, era) for fault in FAULTS.values() if "http" in fault.transports for era in fault.eras]


@pytest.fixture
def behind(server) -> Iterator[Callable[[Fault], str]]:
    """Put a fault in front of the honest server; gives the URL to connect to."""
    proxies: list[FaultProxy] = []

    def put(fault: Fault) -> str:
        proxy = FaultProxy(listen("127.0.0.1", 0), HttpUpstream(urlsplit(server.url).port), fault)
        proxy.start()
        proxies.append(proxy)
        return url_of(*proxy.server_address)

    server.change({"restore": True})
    yield put
    for proxy in proxies:
        proxy.shutdown()
        proxy.server_close()


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


def test_the_faults_of_this_release_are_there() -> None:
    assert FAULTS.keys() >= OF_THIS_RELEASE


@pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.name)
def test_a_fault_is_declared_for_people(fault: Fault) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", fault.name)
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

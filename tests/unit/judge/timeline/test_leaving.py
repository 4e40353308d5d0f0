"""A subscription that ends with its session is no refusal; one that ends while the session goes on is."""

import pytest

from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.recording import SCHEMA, Recording
from diagnose.judge import diagnose

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "orchard-desk", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
OWN = {"_meta": {"io.modelcontextprotocol/subscriptionId": 2}}
FOUND = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {"listChanged": True}},
    "ttlMs": 0,
    "cacheScope": "private",
}


def request(t, number, method, **params):
    return {
        "t": t,
        "from": "client",
        "message": {"jsonrpc": "2.0", "id": number, "method": method, "params": {"_meta": META, **params}},
    }


def answer(t, number, value):
    return {"t": t, "from": "server", "message": {"jsonrpc": "2.0", "id": number, "result": value}}


def recording(*after):
    granted = {**OWN, "notifications": {"toolsListChanged": True}}
    acknowledged = {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": granted}
    return Recording.of_objects(
        [
            {"schema": SCHEMA, "startedAt": "2026-11-30T12:00:00Z", "transport": "stdio"},
            request(0.0, 1, "server/discover"),
            answer(0.1, 1, FOUND),
            request(0.2, 2, "subscriptions/listen", notifications={"toolsListChanged": True}),
            {"t": 0.3, "from": "server", "message": acknowledged},
            answer(0.8, 2, {"resultType": "complete", **OWN}),
            *after,
        ]
    )


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ([{"t": 0.85, "from": "server", "kind": "process", "event": "exit", "code": 0}], False),
        ([request(5.0, 3, "tools/list"), answer(5.1, 3, {**FOUND, "tools": []})], True),
    ],
)
def test_what_ended_decides(after, found):
    bundle = Bundle(
        created_at="2026-11-30T12:01:00Z",
        target=Target(id="orchard", transport="stdio", endpoint="orchard"),
        wire=(recording(*after),),
    )
    assert ("capability-false-claim" in {finding.rule for finding in diagnose(bundle).findings}) is found

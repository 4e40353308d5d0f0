"""Every message that we send is one of its revision: by the official types, and by the schema that was published.

Of 2024-11-05 no package ships the schema. The first Python SDK, which was written for it, stands in with its types, and
the schema of the revision after it, which changed nothing about the messages that we send.
"""

import json
import subprocess
import sys

import jsonschema
import pytest
from interop import published
from interop.conftest import SERVERS
from interop.rows import HERE
from support.mcp_http import answering, events, legacy, modern, result
from support.sent import check, check_http

from diagnose.errors import ObservationError
from diagnose.observe.listing import ListReader
from diagnose.observe.session import open_http, open_stdio
from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient

FIRST, NEXT = "2024-11-05", "2025-03-26"
MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", NEXT, FIRST)
HINTS = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
TOOL = {"name": "pick_apples", "inputSchema": {"type": "object"}}


@pytest.fixture(scope="session")
def schemas(peer, node):
    return published.schemas(node, peer("conformance").module("@modelcontextprotocol/conformance/dist/index.js"))


@pytest.fixture(scope="session")
def first_sdk(peer):
    """Return a function that holds messages to the types of the first SDK, and gives what it says against them."""
    command = [str(peer("mcp-1-0").python), str(HERE / "first_models.py")]

    def held(messages):
        # That SDK knows no cancellation yet, which the revision has.
        known = [message for message in messages if message.get("method") != "notifications/cancelled"]
        done = subprocess.run(command, input=json.dumps(known), capture_output=True, text=True, check=False, timeout=60)
        return done.stderr if done.returncode else ""

    return held


@pytest.fixture(scope="session")
def hold(schemas, first_sdk):
    """Return a function that holds messages to what was published of a revision."""

    def held(messages, revision):
        for message in messages:
            probe = message.get("method") == "server/discover"
            published.validate(schemas[MODERN if probe else NEXT if revision == FIRST else revision], message)
        if revision == FIRST:
            assert first_sdk([each for each in messages if each.get("method") != "server/discover"]) == ""

    return held


def read(session):
    seen = ListReader(session, now=lambda: "2026-11-30T00:00:00.000Z").read()
    assert seen.surface.names == ("pick_apples", "prune_tree")


@pytest.mark.parametrize("revision", [MODERN, *LEGACY])
def test_over_pipes(revision, hold, tmp_path):
    notes = tmp_path / "notes"
    command = [sys.executable, str(SERVERS / "notetaker.py"), revision, str(notes)]
    with open_stdio(command, timeout=10, deadline=Deadline(60)) as session:
        assert session.protocol_version == revision
        read(session)
        with pytest.raises(ObservationError):
            session.request("tools/call", {"name": "pick_apples", "arguments": {}}, tool=TOOL, timeout=0.5)
        read(session)
    sent = [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()]
    methods = check(sent, revision)
    assert {"server/discover", "tools/list", "tools/call", "notifications/cancelled"} <= set(methods)
    assert ({"initialize", "notifications/initialized"} <= set(methods)) == (revision != MODERN)
    # A ping that is answered and a request that is refused, for each of the four pages.
    assert methods.count(None) == (0 if revision == MODERN else 8)
    hold(sent, revision)


def pages(asked):
    hints = HINTS if "_meta" in asked.params else {}
    if asked.params.get("cursor") == "two":
        return result(asked, {**hints, "tools": [{"name": "prune_tree", "inputSchema": {"type": "object"}}]})
    found = {"jsonrpc": "2.0", "id": asked.id, "result": {**hints, "tools": [TOOL], "nextCursor": "two"}}
    wanted = [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": "r", "method": "roots/list"}]
    return events(*([] if hints else wanted), found)


@pytest.mark.parametrize("revision", [MODERN, *LEGACY])
def test_over_http(revision, hold):
    called = {"tools__list": pages, "tools__call": lambda asked: result(asked, {**HINTS, "content": []})}
    endpoint = modern(**called) if revision == MODERN else legacy(revision, session="s-1", **called)
    with (
        HttpClient(timeout=10, deadline=Deadline(60)) as http,
        answering(endpoint) as url,
        open_http(http, url) as session,
    ):
        assert session.protocol_version == revision
        read(session)
        session.request("tools/call", {"name": "pick_apples", "arguments": {"count": 3}}, tool=TOOL)
    methods = check_http(endpoint.asked, revision)
    assert {"server/discover", "tools/list", "tools/call"} <= set(methods)
    assert methods.count(None) == (0 if revision == MODERN else 2)
    hold([asked.message for asked in endpoint.asked if asked.verb == "POST"], revision)


WRONG = [
    {"jsonrpc": "2.0", "id": None, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": 2}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/lost"},
    {"jsonrpc": "2.0", "id": 1, "error": {"code": "x", "message": "no"}},
]


@pytest.mark.parametrize("revision", [MODERN, *LEGACY[:3]])
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_message_is_found(schemas, revision, wrong):
    with pytest.raises(jsonschema.ValidationError):
        published.validate(schemas[revision], wrong)


# It takes any id and any cursor.
@pytest.mark.parametrize("wrong", WRONG[2:])
def test_a_wrong_message_is_found_by_the_first_sdk(first_sdk, wrong):
    assert "validation error" in first_sdk([wrong])

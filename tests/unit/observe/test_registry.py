"""What clients and people write down of a tool list: every shape becomes the same view."""

import contextlib
import json

import pytest

from diagnose.errors import InputError
from diagnose.observe.registry import read_view

SCHEMA = {"type": "object", "properties": {"row": {"type": "integer"}}}
TOOL = {"name": "pick_apples", "description": "Pick.", "inputSchema": SCHEMA}
FUNCTION = {"name": "pick_apples", "description": "Pick.", "parameters": SCHEMA}
CODEX = {
    "data": [
        {"name": "orchard", "serverInfo": {"name": "orchard"}, "tools": {"pick_apples": TOOL}, "authStatus": "x"},
        {"name": "other", "tools": {}},
    ],
    "nextCursor": None,
}
WHOLE = {
    "a tools/list result": {"tools": [TOOL]},
    "an answer by JSON-RPC": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}},
    "a list of tools": [TOOL],
    "OpenAI, chat": {"model": "m", "messages": [], "tools": [{"type": "function", "function": FUNCTION}]},
    "OpenAI, responses": {"model": "m", "input": "x", "tools": [{"type": "function", **FUNCTION}]},
    "OpenAI, tools alone": [{"type": "function", "function": FUNCTION}],
    "Anthropic": {
        "model": "m",
        "messages": [],
        "tools": [
            {"name": "pick_apples", "description": "Pick.", "input_schema": SCHEMA},
            {"type": "web_search_20250305", "name": "web_search"},
        ],
    },
    "Gemini": {"contents": [], "tools": [{"functionDeclarations": [FUNCTION]}]},
    "Gemini, by its SDK": {"contents": [], "config": {"tools": [{"function_declarations": [FUNCTION]}]}},
    "Anthropic, tools alone": [{"name": "pick_apples", "description": "Pick.", "input_schema": SCHEMA}],
    "fastmcp inspect": {
        "server": {"name": "orchard"},
        "tools": [
            {"key": "pick_apples", "name": "pick_apples", "description": "Pick.", "input_schema": SCHEMA, "tags": []}
        ],
    },
    "mcporter list": {"mode": "server", "name": "orchard", "status": "ok", "tools": [TOOL]},
    "Codex": CODEX,
    "Codex, wrapped": {"id": 3, "result": CODEX},
}
NAMES = {
    "a list": b'["pick_apples"]',
    "lines": b"# tools\npick_apples\n",
    "bullets": b"Tools of orchard (1)\n  - pick_apples (row: integer) \xe2\x80\x93 Pick.\n",
    "colours": b"\x1b[32m- pick_apples\x1b[0m\n",
    "behind a word": b"orchard - Connected\n  Tools: pick_apples\n",
    "a layer": b'{"tools": ["pick_apples"], "namesOnly": true}',
    "an init event": b'{"type":"system","subtype":"init","tools":["pick_apples"],"mcp_servers":[{"name":"orchard","status":"connected"}]}\n{"type":"assistant"}\n{"type":"result"}',
    "the agent SDK": b'{"mcpServers":[{"name":"orchard","status":"connected","tools":[{"name":"pick_apples","annotations":{"readOnly":true}}]}]}',
}


@pytest.mark.parametrize("document", WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize("layer", ["registry", "model"])
def test_definitions_are_read_from_every_shape(document, layer):
    seen = read_view(json.dumps(document).encode(), layer, source="x.json", server_key="orchard")
    assert seen.layer == layer
    assert not seen.names_only
    assert [tool.raw for tool in seen.surface.tools] == [TOOL]


def test_a_namespace_of_codex_holds_the_tools_of_one_server():
    space = {"type": "namespace", "name": "mcp__orchard", "tools": [{"type": "function", **FUNCTION}, {"type": "x"}]}
    request = {"model": "m", "input": "x", "tools": [space, {"type": "web_search"}]}
    seen = read_view(json.dumps(request).encode(), "model", source="x.json")
    assert [tool.raw for tool in seen.surface.tools] == [{**TOOL, "name": "mcp__orchard__pick_apples"}]


@pytest.mark.parametrize("data", NAMES.values(), ids=NAMES)
def test_names_alone_are_names_alone(data):
    seen = read_view(data, "registry", source="x", server_key="orchard")
    assert seen.surface.names == ("pick_apples",)
    assert seen.names_only
    assert seen.surface.digest is None


def test_a_status_says_of_which_session_it_is():
    assert read_view(json.dumps(CODEX).encode(), "registry", source="x", server_key="orchard").session == "new"
    running = {"data": [{**CODEX["data"][0], "runtimeStatus": "ready"}]}
    assert read_view(json.dumps(running).encode(), "registry", source="x").session == "running"
    assert read_view(b'["a"]', "registry", source="x").session == "unknown"
    event = read_view(NAMES["an init event"], "model", source="x")
    assert (event.session, event.servers) == ("new", ({"name": "orchard", "status": "connected"},))


def test_of_several_servers_one_must_be_named():
    with pytest.raises(InputError, match="2 servers"):
        read_view(json.dumps(CODEX).encode(), "registry", source="x")
    with pytest.raises(InputError, match="no server 'pear'"):
        read_view(json.dumps(CODEX).encode(), "registry", source="x", server_key="pear")


def test_a_client_that_failed_holds_no_list():
    failed = {"data": [{"name": "orchard", "tools": {}, "startupError": "it exited"}]}
    seen = read_view(json.dumps(failed).encode(), "registry", source="x")
    assert seen.surface is None
    assert "it exited" in seen.failure.message


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'{"a": 1, "b": 2}', "an object with a, b"),
        (b"3", "a single value"),
        (b"[1, 2]", "a list of 2 values"),
        (b"There are no tools here.", "text"),
        (b"", "text"),
        (b"\xff\xfe\x00", "text"),
    ],
)
def test_what_is_not_known_is_named(data, found):
    with pytest.raises(InputError, match=found) as error:
        read_view(data, "registry", source="x.json")
    assert "tools/list" in error.value.diagnostics()


@pytest.mark.parametrize(
    "data", [b'{"tools": [1, null, {"name": 3}]}', b'{"data": [{"tools": []}]}', b'{"mcpServers": [3]}']
)
def test_odd_values_raise_nothing_else(data):
    with contextlib.suppress(InputError):
        read_view(data, "model", source="x")

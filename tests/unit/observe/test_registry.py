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
    "mcporter list": {
        "mode": "server",
        "name": "orchard",
        "status": "ok",
        "durationMs": 386,
        "transport": "HTTP http://127.0.0.1/mcp",
        "source": {"kind": "local", "path": "<adhoc>"},
        "tools": [{**TOOL, "options": [{"property": "row", "cliName": "row"}]}],
    },
    "mcporter list, of all servers": {
        "mode": "list",
        "servers": [{"name": "orchard", "status": "ok", "tools": [TOOL]}, {"name": "pear", "status": "offline"}],
    },
    "Codex": CODEX,
    "Codex, wrapped": {"id": 3, "result": CODEX},
}
NAMES = {
    "a list": b'["pick_apples"]',
    "lines": b"# tools\npick_apples\n",
    "bullets": b"Tools of orchard (1)\n  - pick_apples (row: integer) \xe2\x80\x93 Pick.\n",
    "fastmcp list": b"Tools (1)\n\n  pick_apples(row: int, count: int = 12) -> dict\n    Pick.\n      twice(daily)\n",
    "colours": b"\x1b[32m- pick_apples\x1b[0m\n",
    "behind a word": b"orchard - Connected\n  Tools: pick_apples\n",
    "a layer": b'{"tools": ["pick_apples"], "namesOnly": true}',
    "an init event": b'{"type":"system","subtype":"init","tools":["pick_apples"],"mcp_servers":[{"name":"orchard","status":"connected"}]}\n{"type":"assistant"}\n{"type":"result"}',
    "LibreChat": b'{"servers": {"orchard": {"name": "orchard", "icon": "", "authenticated": true, "tools": [{"name": "pick_apples", "pluginKey": "pick_apples_mcp_orchard", "description": "Pick."}]}, "pear": {"tools": []}}}',
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
    offline = {"mode": "list", "servers": [{"name": "orchard", "status": "offline"}]}
    seen = read_view(json.dumps(offline).encode(), "registry", source="x")
    assert seen.surface is None
    assert "offline" in seen.failure.message


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'{"a": 1, "b": 2}', "an object with a, b"),
        (b"3", "a single value"),
        (b"[1, 2]", "a list of 2 values"),
        (b"There are no tools here.", "text"),
        (b"orchard: npx some-server - \xe2\x9c\x93 Connected\n", "the states of servers"),
        (b"pear: https://pear.test (HTTP) - ! Connected \xc2\xb7 tools fetch failed\n", "the states of servers"),
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


SCREEN = """
Configured MCP servers:

\U0001f7e2 orchard - Ready (2 tools, 1 prompt, 1 resource) (OAuth)
  Tools:
  - mcp_orchard_pick_apples
    Pick apples.
    - This is a part of the description.
      Parameters:
      {
        "type": "object"
      }
  - mcp_orchard_ripen
  Prompts:
  - taste
  Resources:
  - trees (orchard://trees) [text/plain]

\u23f8\ufe0f plum (from fruit) - Disabled
\U0001f534 pear - Disconnected
  Error: - not_a_tool
\U0001f504 fig - Starting... (first startup may take longer) (tools and prompts will appear when ready)
"""
OLD_SCREEN = """MCP Servers Status:

\U0001f4e1 orchard (CONNECTED)
  Command: python -m orchard --port 8080
  Timeout: 15000ms
  Tools: pick_apples, ripen

\U0001f50c pear (DISCONNECTED)
  Tools:

Discovery State: COMPLETED
"""


@pytest.mark.parametrize(
    ("screen", "key", "names", "status"),
    [
        (SCREEN, "orchard", ("mcp_orchard_pick_apples", "mcp_orchard_ripen"), "ready"),
        (SCREEN, "plum", (), "disabled"),
        (SCREEN, "pear", (), "disconnected"),
        (SCREEN, "fig", (), "starting"),
        (OLD_SCREEN, "orchard", ("pick_apples", "ripen"), "connected"),
        (OLD_SCREEN, "pear", (), "disconnected"),
        ("\n".join(f"\u2502 {line:<90}\u2502" for line in SCREEN.splitlines()), "orchard", None, "ready"),
    ],
)
def test_the_screen_of_gemini_cli_is_read_server_by_server(screen, key, names, status):
    seen = read_view(screen.encode(), "registry", source="x", server_key=key)
    assert seen.surface.names == (names if names is not None else ("mcp_orchard_pick_apples", "mcp_orchard_ripen"))
    assert (seen.session, seen.servers) == ("running", ({"name": key, "status": status},))


def test_a_screen_that_was_cut_or_shows_several_servers_is_said():
    with pytest.raises(InputError, match="has 2 tools and names 1: it was cut"):
        read_view(SCREEN.partition("  - mcp_orchard_ripen")[0].encode(), "registry", source="x", server_key="orchard")
    with pytest.raises(InputError, match="4 servers"):
        read_view(SCREEN.encode(), "registry", source="x")


def test_the_plugins_of_librechat_are_those_of_servers():
    plugins = [{"name": "pick", "pluginKey": "pick_apples_mcp_orchard"}, {"name": "Google", "pluginKey": "google"}]
    seen = read_view(json.dumps(plugins).encode(), "registry", source="x")
    assert (seen.surface.names, seen.names_only) == (("pick_apples_mcp_orchard",), True)


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({"mcpServers": {"orchard": {"command": "x"}}}, "a configuration"),
        ([{"name": "orchard", "enabled": True, "transport": {"type": "stdio"}}], "a configuration"),
        ({"schema": "diagnose.recording/1"}, "a recording, which --recording takes"),
        ({"log": {"entries": []}}, "a recording, which --recording takes"),
    ],
)
def test_what_belongs_elsewhere_is_told(document, found):
    with pytest.raises(InputError, match=found):
        read_view(json.dumps(document).encode(), "registry", source="x.json")


@pytest.mark.parametrize("line", ["a: " + " - " * 400_000, "\U0001f7e2 " + "x - " * 300_000, "- " + "x (" * 300_000])
def test_a_line_without_end_takes_no_time(line):
    with contextlib.suppress(InputError):
        read_view(line.encode(), "registry", source="x")

"""What configuration files say of servers: keys, scopes, shadows, switches, lists, and never a value that is secret."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from diagnose.clients import CLIENTS, client, lens_for
from diagnose.clients.configuration import merged, servers_of, stale_names

SECRET = "sk_live_0123456789abcdef"


def read(name: str, place: int, value: Any, project: str | None = None):
    entry = client(name)
    assert entry is not None
    return servers_of(value, entry.configuration[place], client=name, source="FILE", project=project)


def test_a_server_of_codex():
    table = {
        "orchard": {
            "command": "uvx",
            "args": ["orchard"],
            "env": {"API_KEY": SECRET},
            "env_vars": ["HOME_KEY"],
            "enabled_tools": ["pick"],
            "disabled_tools": ["burn"],
        },
        "far": {
            "url": "https://a.test/mcp",
            "bearer_token_env_var": "T",
            "http_headers": {"X-A": SECRET},
            "enabled": False,
        },
    }
    orchard, far = read("codex", 1, {"mcp_servers": table}).servers
    assert (orchard.key, orchard.transport, orchard.command) == ("orchard", "stdio", ("uvx", "orchard"))
    assert orchard.env == ("API_KEY", "HOME_KEY")
    assert [(each.kind, each.names) for each in orchard.lists] == [("allow", ("pick",)), ("deny", ("burn",))]
    assert (far.transport, far.url, far.disabled) == ("http", "https://a.test/mcp", True)
    assert far.headers == ("X-A", "Authorization")
    assert SECRET not in repr((orchard, far))


def test_scopes_of_claude_code_go_before_each_other():
    home = {
        "mcpServers": {"orchard": {"type": "http", "url": "https://user.test"}, "barn": {"command": "barn"}},
        "projects": {
            "/p": {"mcpServers": {"orchard": {"type": "sse", "url": "https://local.test"}}, "disabledMcpServers": ["x"]}
        },
    }
    shared = {"mcpServers": {"orchard": {"command": "o"}, "hay": {"command": "barn"}}}
    found = merged(
        [
            *read("claude-code", 1, home, project="/p").servers,
            *read("claude-code", 2, shared).servers,
            *read("claude-code", 3, home).servers,
        ],
        frozenset({"hay"}),
    )
    assert [(each.key, each.scope, each.shadowed_by, each.used) for each in found] == [
        ("orchard", "local", None, True),
        ("orchard", "project", "local", False),
        ("hay", "project", None, False),
        ("orchard", "user", "local", False),
        ("barn", "user", None, True),
    ]
    assert found[4].same_as == "hay"


def test_gemini_uses_only_the_servers_that_are_allowed():
    value = {"mcpServers": {"a": {"httpUrl": "https://a.test"}, "b": {"command": "b"}}, "mcp": {"allowed": ["a"]}}
    assert [(each.key, each.disabled) for each in read("gemini-cli", 1, value).servers] == [("a", False), ("b", True)]


def test_names_in_lists_that_lead_nowhere_are_found():
    value = {
        "permissions": {
            "allow": [
                "mcp__orchard__pick",
                "mcp__orchard__old_x",
                "mcp__orchard__*",
                "mcp__orchard",
                "mcp__barn__x",
                "Bash(ls)",
            ]
        }
    }
    (allow,) = read("claude-code", 6, value).lists
    stale = stale_names([allow], ["pick", "prune"], lens_for("claude-code", "orchard"))
    assert [name for _, name in stale] == ["mcp__orchard__old_x"]


def test_lists_of_one_server_hold_own_names():
    entry = {"mcp_servers": {"orchard": {"command": "o", "enabled_tools": ["pick", "gone"]}}}
    (server,) = read("codex", 1, entry).servers
    stale = stale_names(server.lists, ["pick"], lens_for("codex", "orchard"))
    assert [(each.member, name) for each, name in stale] == [("enabled_tools", "gone")]


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "mcpServers",
                    "mcp_servers",
                    "servers",
                    "projects",
                    "permissions",
                    "allow",
                    "mcp",
                    "allowed",
                    "command",
                    "args",
                    "env",
                    "url",
                    "type",
                    "a",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(value=ANY)
def test_no_file_breaks_it(value):
    for entry in CLIENTS:
        for file in entry.configuration:
            merged(servers_of(value, file, client=entry.id, source="FILE", project="a").servers)

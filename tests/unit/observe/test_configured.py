"""Documented files are found on each system's layout, read within limits, and one that is broken stops no other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diagnose.clients import CLIENTS, client
from diagnose.observe import configured
from diagnose.observe.configured import Place, observe_configured, path_of

HOME, PROJECT = Path("/home/ada"), Path("/home/ada/farm")


def place(system="linux", *, home=HOME, project=PROJECT, **env):
    return Place(system=system, home=home, project=project, env=env)


def paths(name, there):
    return [path_of(file, there).as_posix() for file in client(name).configuration]


@pytest.mark.parametrize(
    ("name", "system", "path"),
    [
        ("codex", "linux", "/home/ada/.codex/config.toml"),
        ("vscode", "linux", "/home/ada/.config/Code/User/mcp.json"),
        ("vscode", "macos", "/home/ada/Library/Application Support/Code/User/mcp.json"),
        ("vscode", "windows", "/home/ada/AppData/Roaming/Code/User/mcp.json"),
        ("vscode", "linux", "/home/ada/farm/.vscode/mcp.json"),
        ("claude-desktop", "macos", "/home/ada/Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-code", "linux", "/etc/claude-code/managed-mcp.json"),
        ("goose", "windows", "/home/ada/AppData/Roaming/Block/goose/config/config.yaml"),
        ("cursor", "windows", "/home/ada/.cursor/mcp.json"),
    ],
)
def test_a_file_has_its_place_on_each_system(name, system, path):
    assert path in paths(name, place(system))


@pytest.mark.parametrize(
    ("name", "env", "path"),
    [
        ("codex", {"CODEX_HOME": "/srv/codex"}, "/srv/codex/config.toml"),
        ("claude-code", {"CLAUDE_CONFIG_DIR": "/srv/claude"}, "/srv/claude/.claude.json"),
        ("claude-code", {"CLAUDE_CONFIG_DIR": "/srv/claude"}, "/srv/claude/settings.json"),
        ("librechat", {"CONFIG_PATH": "/srv/librechat.yaml"}, "/srv/librechat.yaml"),
    ],
)
def test_the_variable_of_a_client_goes_before_its_folder(name, env, path):
    assert path in paths(name, place(**env))


def test_roaming_data_of_windows_may_lie_elsewhere():
    assert "/data/Zed/settings.json" in paths("zed", place("windows", APPDATA="/data"))


def test_a_broken_file_is_told_and_stops_no_other(tmp_path):
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text('{"mcpServers": {', encoding="utf-8")
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text('[mcp_servers.orchard]\ncommand = "o"\n', encoding="utf-8")
    found = observe_configured(CLIENTS, place(home=tmp_path, project=tmp_path / "none"))
    assert [(each.client, each.key) for each in found.servers] == [("codex", "orchard")]
    assert [(each.client, each.why) for each in found.files if each.state == "unreadable"] == [
        ("cursor", "it is no JSON (line 1)")
    ]


def test_a_file_that_is_too_large_or_no_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setitem(configured.MAX_BYTES, "json", 10)
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text('{"mcpServers": {}}', encoding="utf-8")
    (tmp_path / ".gemini").mkdir()
    os.mkfifo(tmp_path / ".gemini" / "settings.json")
    found = observe_configured(
        [client("cursor"), client("gemini-cli")], place(home=tmp_path, project=tmp_path / "none")
    )
    states = {(each.client, each.scope): each.state for each in found.files}
    assert states[("cursor", "user")] == "unreadable"
    assert states[("gemini-cli", "user")] == "absent"


def test_settings_of_claude_code_switch_servers_of_a_project_off(tmp_path):
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"orchard": {"command": "o"}}}', encoding="utf-8")
    (tmp_path / ".claude").mkdir()
    settings = '{"disabledMcpjsonServers": ["orchard"], "permissions": {"allow": ["mcp__orchard__pick"]}}'
    (tmp_path / ".claude" / "settings.local.json").write_text(settings, encoding="utf-8")
    found = observe_configured([client("claude-code")], place(home=tmp_path / "home", project=tmp_path))
    assert [(each.key, each.disabled) for each in found.servers] == [("orchard", True)]
    assert [(name, each.names) for name, each in found.lists] == [("claude-code", ("mcp__orchard__pick",))]

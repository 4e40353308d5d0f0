"""A server as a client has it becomes a target: filled in from the environment, or refused in words."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from diagnose.errors import UsageError
from diagnose.evidence.redact import Redactor
from diagnose.jobs.clients import argument_values, place_of
from diagnose.jobs.from_client import from_client

SECRET = "sk_live_0123456789abcdef"


@pytest.fixture
def taken(tmp_path):
    redactor = Redactor()

    def taken(client, entry, **env):
        if client == "codex":
            file, text = tmp_path / ".codex" / "config.toml", f"[mcp_servers.orchard]\n{entry}"
            tomllib.loads(text)
        else:
            file, text = tmp_path / ".cursor" / "mcp.json", json.dumps({"mcpServers": {"orchard": entry, "barn": {}}})
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
        env = {"HOME": str(tmp_path), **env}
        found = from_client(f"{client}:orchard", place_of(env, project=str(tmp_path / "p")), env, redactor)
        return found, redactor

    return taken


def test_a_command_gets_its_arguments_and_its_environment(taken):
    found, redactor = taken("cursor", {"command": "uvx", "args": ["o", "${env:ROW}"], "env": {"KEY": SECRET}}, ROW="7")
    assert found.spec.command == ("uvx", "o", "7")
    assert found.spec.env is not None
    assert found.spec.env["KEY"] == SECRET
    assert found.other_keys == ("barn",)
    assert SECRET not in redactor.text(f"it said {SECRET}")
    assert SECRET not in repr(found)


def test_an_address_gets_its_headers(taken):
    found, redactor = taken(
        "codex",
        'url = "https://a.test/mcp"\nbearer_token_env_var = "TOKEN"\nhttp_headers = { X-Farm = "north" }\n'
        'env_http_headers = { X-Key = "KEY" }\n',
        TOKEN=SECRET,
        KEY="another-secret",
    )
    assert found.spec.url == "https://a.test/mcp"
    assert set(found.spec.headers) == {f"Authorization=Bearer {SECRET}", "X-Farm=north", "X-Key=another-secret"}
    assert "another-secret" not in redactor.text("another-secret")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"command": "uvx", "args": ["${env:MISSING}"]}, "MISSING, which is not set"),
        ({"url": "https://a.test", "headers": {"A": "${input:token}"}}, "only the client can fill in"),
        ({"type": "ws", "url": "wss://a.test"}, "WebSocket"),
        ({"disabled": True}, "neither a command nor an address"),
    ],
)
def test_what_cannot_be_had_is_refused(taken, entry, words):
    with pytest.raises(UsageError, match=words):
        taken("cursor", entry)


def test_defaults_and_places_are_filled_in(taken, tmp_path):
    found, _ = taken("cursor", {"command": "${RUN:-uvx}", "args": ["${workspaceFolder}"], "cwd": "/x"})
    assert found.spec.command == ("uvx", str(tmp_path / "p"))
    assert any("cwd" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [("codex", "CLIENT:KEY"), ("nobody:orchard", "no client is known"), ("codex:orchard", "not configured")],
)
def test_a_name_that_leads_nowhere_is_wrong_usage(text, words, tmp_path):
    with pytest.raises(UsageError, match=words):
        from_client(text, place_of({"HOME": str(tmp_path)}), {}, Redactor())


def test_whose_files_are_read(tmp_path):
    there = place_of({"HOME": "/home/ada", "CODEX_HOME": "/x"}, home=str(tmp_path), system="windows")
    assert (there.system, there.home, there.env) == ("windows", tmp_path, {})
    assert place_of({"HOME": "/home/ada"}, system="linux").home == Path("/home/ada")
    for wrong in ({"system": "amiga"}, {"home": str(tmp_path / "none")}):
        with pytest.raises(UsageError):
            place_of({}, **wrong)


def test_values_among_the_arguments():
    words = (
        "run",
        "--api-key",
        "one",
        "--token=two",
        "--verbose",
        "x",
        "-e",
        "A=three",
        "--header",
        "B: four",
        "--password",
    )
    assert list(argument_values(words)) == [
        ("api-key", "one"),
        ("token", "two"),
        ("A", "three"),
        ("B", "four"),
        ("password", ""),
    ]

"""`clients`: files are read and nothing else, no value of theirs leaves, and names are mapped for a live list."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from support.mcp_http import answering, modern
from support.program import diagnose
from support.schemas import validated

from diagnose.clients import CLIENTS

SECRETS = (
    "planted-env-value",
    "planted-header-value",
    "planted argument",
    "planted-password",
    "planted-query",
    "planted-docker-value",
)


@pytest.fixture
def home(tmp_path):
    """A home in which three clients have servers, every secret place filled."""
    files = {
        ".codex/config.toml": """
[mcp_servers.orchard]
command = "uvx"
args = ["orchard", "-key", "planted argument", "-e", "A=planted-docker-value", "--say", "planted-env-value"]
env = { ORCHARD = "planted-env-value" }
enabled_tools = ["pick_apples", "gone"]
""",
        ".claude.json": json.dumps(
            {
                "mcpServers": {"orchard": {"command": "o"}},
                "projects": {
                    str(tmp_path): {
                        "mcpServers": {
                            "orchard": {
                                "type": "http",
                                "url": "https://ada:planted-password@a.test/mcp?key=planted-query",
                                "headers": {"X-Farm": "planted-header-value"},
                            }
                        }
                    }
                },
            }
        ),
        ".config/goose/config.yaml": (
            "extensions:\n  orchard:\n    type: stdio\n    cmd: o\n    envs:\n      A: planted-env-value\n    enabled: false\n"
        ),
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def listed(home, *args, **options):
    return diagnose(
        "clients", "list", "--system", "linux", "--project", str(home), *args, env={"HOME": str(home)}, **options
    )


def tree(folder):
    return {path: path.stat().st_mtime_ns for path in sorted(Path(folder).rglob("*"))}


def test_every_server_is_listed_with_what_hides_it(home):
    before = tree(home)
    ran = listed(home, "--format", "json")
    assert ran.code == 0
    assert tree(home) == before
    servers = validated(ran.out)["servers"]
    assert [(each["client"], each["scope"], each["used"], each["shadowedBy"]) for each in servers] == [
        ("claude-code", "local", True, None),
        ("claude-code", "user", False, "local"),
        ("codex", "user", True, None),
        ("goose", "user", False, None),
    ]
    assert servers[0]["url"].startswith("https://a.test/mcp")
    assert servers[2]["env"] == ["ORCHARD"]
    assert servers[2]["lists"][0]["names"] == ["pick_apples", "gone"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_value_of_a_configuration_leaves(home, form):
    ran = listed(home, "--format", form, "-v")
    for secret in SECRETS:
        assert secret not in ran.out + ran.err
    assert "orchard" in ran.out


def test_the_text_says_where_and_why(home):
    ran = listed(home, columns=200)
    assert "4 servers of 3 clients in 3 files" in ran.out
    assert "shadowed by local scope" in ran.out
    assert "switched off" in ran.out
    assert "enabled_tools allows only: pick_apples, gone" in ran.out


def test_a_file_that_cannot_be_read_is_no_success(home):
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{oops", encoding="utf-8")
    ran = listed(home)
    assert ran.code == 3
    assert "not read" in ran.out
    assert listed(home, "--client", "codex").code == 0


def test_nothing_configured_is_an_answer(tmp_path):
    ran = listed(tmp_path, "--format", "json")
    assert ran.code == 0
    assert validated(ran.out)["servers"] == []


@pytest.mark.parametrize("name", [entry.id for entry in CLIENTS])
def test_every_entry_is_shown(name):
    document = validated(diagnose("clients", "show", name, "--format", "json").out)
    assert document["client"]["id"] == name
    ran = diagnose("clients", "show", name, columns=60)
    assert ran.code == 0
    assert all(len(line) <= 60 for line in ran.out.splitlines())
    assert "To refresh" in ran.out


def test_a_client_is_shown_by_its_name_on_the_wire():
    assert diagnose("clients", "show", "codex-mcp-client").out == diagnose("clients", "show", "codex").out
    ran = diagnose("clients", "show", "nobody")
    assert (ran.code, ran.out) == (2, "")
    assert "claude-code" in ran.err


def named(url, *args, env=None, client="codex"):
    options = ("--client", client, "--server-key", "orchard")
    return diagnose("clients", "names", url, *options, "--system", "linux", *args, env=env)


def test_the_map_of_a_live_list_and_names_that_lead_nowhere(home):
    with answering(modern()) as url:
        ran = named(url, "--format", "json", env={"HOME": str(home)})
        text = named(url, env={"HOME": str(home)})
    document = validated(ran.out)
    assert ran.code == text.code == 0
    assert document["names"][0] == {
        "name": "pick_apples",
        "shown": "mcp__orchard__pick_apples",
        "cut": False,
        "tooLong": False,
    }
    assert [(each["name"], each["member"]) for each in document["stale"]] == [("gone", "enabled_tools")]
    assert "names gone, and there is no such tool" in " ".join(text.out.split())


def test_names_that_collide_or_cannot_be_called_are_a_difference(tmp_path):
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("do.it", "do_it", "x" * 70)]
    env = {"HOME": str(tmp_path)}
    with answering(modern(tools=tools)) as url:
        ran = named(url, "--format", "json", client="claude-code", env=env)
        text = named(url, client="claude-code", env=env)
    document = validated(ran.out)
    assert ran.code == text.code == 1
    assert document["collisions"][0]["names"] == ["do.it", "do_it"]
    assert document["names"][2]["tooLong"] is True
    assert "longer than can be called" in " ".join(text.out.split())


def test_a_server_of_a_client_is_a_target(tmp_path):
    (tmp_path / ".cursor").mkdir()
    with answering(modern()) as url:
        entry = {"url": url, "headers": {"X-Farm": "planted-header-value"}}
        server = {"mcpServers": {"orchard": entry}}
        (tmp_path / ".cursor" / "mcp.json").write_text(json.dumps(server), encoding="utf-8")
        ran = diagnose("revision", "--from-client", "cursor:orchard", env={"HOME": str(tmp_path)})
    assert ran.code == 0, ran.err
    assert "planted" not in ran.out + ran.err
    assert "as Cursor has it" in ran.err


def test_the_headers_of_a_configuration_are_sent(tmp_path):
    (tmp_path / ".cursor").mkdir()
    endpoint = modern()
    with answering(endpoint) as url:
        entry = {"url": url, "headers": {"X-Farm": "${env:FARM}"}}
        (tmp_path / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": {"orchard": entry}}), encoding="utf-8")
        env = {"HOME": str(tmp_path), "FARM": "north"}
        assert diagnose("revision", "--from-client", "cursor:orchard", env=env).code == 0
    assert {asked.headers.get("x-farm") for asked in endpoint.asked} == {"north"}


def test_a_command_of_a_client_is_started_in_its_environment(tmp_path):
    (tmp_path / ".cursor").mkdir()
    code = "import os, sys; sys.stderr.write('farm=' + os.environ['FARM']); sys.exit(3)"
    entry = {"command": sys.executable, "args": ["-c", code], "env": {"FARM": "north"}}
    (tmp_path / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": {"orchard": entry}}), encoding="utf-8")
    ran = diagnose("revision", "--from-client", "cursor:orchard", env={"HOME": str(tmp_path)})
    assert ran.code == 3
    assert "farm=north" in ran.err


def test_two_targets_are_one_too_many():
    ran = diagnose("revision", "demo", "--from-client", "cursor:orchard")
    assert (ran.code, ran.out) == (2, "")
    assert "two targets" in ran.err


def test_what_was_measured_stands_beside_what_is_said():
    ran = diagnose("clients", "show", "gemini-cli", columns=200)
    known = ran.out[ran.out.index("What is known") :].splitlines()
    said = next(place for place, line in enumerate(known) if line.startswith("  nextCursor "))
    assert "measured 0.61.0: no, 1 of 3 pages" in "\n".join(known[said : said + 4])
    assert "Measured 0.61.0 on 2026-11-30" in ran.out
    document = validated(diagnose("clients", "show", "gemini-cli", "--format", "json").out)
    results = {each["name"]: each for each in document["client"]["measured"][0]["results"]}
    assert results["schema-boolean-property"]["answer"] == "no"
    assert results["pages"]["question"].endswith("?")

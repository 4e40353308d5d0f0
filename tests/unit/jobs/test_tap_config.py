"""The entry with the tap in it: in the shape of the file, without secrets; no file is changed."""

import json
import sys
import tomllib

import pytest
from support.program import diagnose

from diagnose.errors import UsageError
from diagnose.evidence.redact import Redactor
from diagnose.jobs.clients import place_of
from diagnose.jobs.tap_config import tap_entry

SECRET = "Plum-7141-Xylophone"


@pytest.fixture
def home(tmp_path):
    servers = {
        "orchard": {"command": "npx", "args": ["-y", "orchard", "--api-key", SECRET], "env": {"TOKEN": SECRET}},
        "press": {"url": "https://press.test/mcp?key=" + SECRET},
    }
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text(
        '[mcp_servers.orchard]\ncommand = "npx"\nargs = ["-y", "orchard"]\n'
    )
    return tmp_path


def entry(home, client, key, output=None):
    place = place_of({}, home=str(home), project=str(home / "p"), system="linux")
    return tap_entry(client, key, output, place, Redactor())


def test_a_command_of_json(home):
    got = entry(home, "cursor", "orchard", "/tmp/session.jsonl")
    members = json.loads("{" + got.lines() + "}")
    assert members["command"] == sys.executable
    tap = ["-P", "-m", "diagnose", "tap", "stdio", "-o", "/tmp/session.jsonl", "--"]
    assert members["args"] == [*tap, "npx", "-y", "orchard", "--api-key", "***"]
    assert got.hides
    assert set(members) == {"command", "args"}


def test_a_command_of_toml(home):
    got = entry(home, "codex", "orchard")
    members = tomllib.loads(got.lines())
    assert members["args"][-3:] == ["npx", "-y", "orchard"]
    assert members["args"][-5] == str(home / "orchard.recording.jsonl")
    assert not got.hides


def test_an_address_asks_for_a_tap_beside_it(home):
    got = entry(home, "cursor", "press", "/tmp/session.jsonl")
    assert json.loads("{" + got.lines() + "}") == {"url": "http://127.0.0.1:8787/mcp"}
    assert got.start[:5] == ("diagnose", "tap", "http", "--listen", "127.0.0.1:8787")
    assert SECRET not in repr(got.start)


def test_a_server_that_is_not_there(home):
    with pytest.raises(UsageError, match="not configured with a server 'pear'"):
        entry(home, "cursor", "pear")


def test_the_command_shows_it_and_changes_nothing(home):
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    ran = diagnose("clients", "tap-config", "cursor", "orchard", "--home", str(home), "--system", "linux")
    assert ran.code == 0
    assert '"command": ' in ran.out
    assert "Where *** stands" in ran.out
    assert SECRET not in ran.out + ran.err
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    assert diagnose("clients", "tap-config", "cursor", "orchard", "--home", str(home), "--format", "json").code == 2

"""`--registry live`: a client is started only when that is said, and what it repeats of its configuration is hidden."""

from __future__ import annotations

import json
import os
import sys

import pytest
from support.program import diagnose

from diagnose.jobs.embedded import embedded

pytestmark = pytest.mark.skipif(os.name != "posix", reason="files that are commands by their mode")

SECRET = "planted-value-of-a-header"
CLAUDE = """#!{python}
import json, sys
open({marker!r}, "w").close()
for line in sys.stdin:
    asked = json.loads(line)
    server = {{"name": "orchard", "config": {{"headers": {{"X-Key": {secret!r}}}}}, **{server!r}}}
    answer = {{"commands": []}} if asked["request"]["subtype"] == "initialize" else {{"mcpServers": [server]}}
    response = {{"subtype": "success", "request_id": asked["request_id"], "response": answer}}
    print(json.dumps({{"type": "control_response", "response": response}}), flush=True)
"""


@pytest.fixture(scope="module")
def server():
    with embedded() as running:
        yield running


@pytest.fixture
def asked(tmp_path, server):
    """Return a function that runs a command beside a Claude Code that says this of its server."""
    (tmp_path / "home").mkdir()
    (tmp_path / "bin").mkdir()
    settings = {"mcpServers": {"orchard": {"type": "http", "url": server.url, "headers": {"X-Key": SECRET}}}}
    (tmp_path / "home" / ".claude.json").write_text(json.dumps(settings), encoding="utf-8")
    marker = tmp_path / "started"

    def run(says, *args):
        program = tmp_path / "bin" / "claude"
        text = CLAUDE.format(python=sys.executable, marker=str(marker), secret=SECRET, server=says)
        program.write_text(text, encoding="utf-8")
        program.chmod(0o755)
        places = {
            "HOME": str(tmp_path / "home"),
            "DIAGNOSE_DATA": str(tmp_path / "data"),
            "PATH": str(tmp_path / "bin"),
        }
        ran = diagnose(*args, "--format", "json", env=places)
        assert SECRET not in ran.out + ran.err
        return ran

    run.marker = marker
    return run


CONNECTED = {"status": "connected", "tools": [{"name": "pick_apples"}, {"name": "prune_tree"}]}


def registry(ran):
    return next(row for row in json.loads(ran.out)["layers"] if row["layer"] == "registry")


@pytest.mark.parametrize("command", ["triage", "surface"])
@pytest.mark.parametrize("named", ["by its id", "by its configuration"])
def test_it_is_asked_when_that_is_said(asked, server, command, named):
    who = ("--client", "claude-code", "--server-key", "orchard")
    target = (server.url, *who) if named == "by its id" else ("--from-client", "claude-code:orchard")
    ran = asked(CONNECTED, command, *target, "--registry", "live")
    assert registry(ran)["count"] == 2
    assert json.loads(ran.out)["verdict"]["layer"] == "registry"


@pytest.mark.parametrize("command", [("triage",), ("surface",), ("check", "--wait", "0.1")])
def test_it_is_not_started_otherwise(asked, server, command):
    name, *more = command
    asked(CONNECTED, name, "--from-client", "claude-code:orchard", *more)
    asked(CONNECTED, "clients", "list")
    assert not asked.marker.exists()


def test_what_it_repeats_of_its_configuration_is_hidden(asked, server):
    refused = {"status": "failed", "error": f"400 Bad Request: header X-Key: {SECRET}"}
    ran = asked(refused, "triage", "--from-client", "claude-code:orchard", "--registry", "live")
    assert "400 Bad Request" in registry(ran)["why"]
    assert asked.marker.exists()

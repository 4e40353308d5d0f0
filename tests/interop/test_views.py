"""What clients print of a server's tools, real and saved: each file is read as a view of that list, and agrees with it."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from support.program import diagnose

from diagnose.jobs.embedded import embedded

PATIENCE = 90


@pytest.fixture(scope="module")
def server():
    with embedded() as running:
        yield running


@pytest.fixture
def printed(tmp_path, node):
    """Return a function that keeps what a command prints in a file."""

    def run(*command):
        path = os.pathsep.join([str(Path(node).parent), os.environ["PATH"]])
        env = {**os.environ, "PATH": path, "HOME": str(tmp_path), "NO_COLOR": "1"}
        done = subprocess.run(
            list(map(str, command)),
            env=env,
            capture_output=True,
            check=True,
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
        )
        file = tmp_path / "view"
        file.write_bytes(done.stdout)
        return str(file)

    return run


def triaged(server, client, *args):
    ran = diagnose("triage", server.url, "--client", client, "--server-key", "orchard", *args, "--format", "json")
    assert ran.out, ran.err
    return json.loads(ran.out)


def registry(document):
    return next(row for row in document["layers"] if row["layer"] == "registry")


def test_the_inspector_s_command_line(peer, printed, server):
    inspector = peer("inspector").bin / "mcp-inspector"
    view = printed(inspector, "--cli", server.url, "--transport", "http", "--method", "tools/list")
    document = triaged(server, "inspector", "--registry", view)
    assert (document["verdict"]["state"], registry(document)["count"]) == ("in-sync", 3)


def test_fastmcp_as_json(peer, printed, server):
    view = printed(peer("fastmcp-4").bin / "fastmcp", "list", server.url, "--json")
    assert triaged(server, "fastmcp", "--registry", view)["verdict"]["state"] == "in-sync"


def test_fastmcp_as_text_tells_names_alone(peer, printed, server):
    document = triaged(server, "fastmcp", "--registry", printed(peer("fastmcp-4").bin / "fastmcp", "list", server.url))
    assert (document["verdict"]["state"], registry(document)["count"]) == ("inconclusive", 3)


def test_mcporter(peer, printed, server):
    mcporter = peer("mcporter").bin / "mcporter"
    view = printed(mcporter, "list", "--http-url", server.url, "--allow-http", "--json", "--schema")
    assert triaged(server, "mcporter", "--registry", view)["verdict"]["state"] == "in-sync"


@pytest.mark.parametrize(("trusted", "state"), [("true", "connected"), ("false", "disabled")])
def test_gemini_cli_tells_the_state_of_its_server(peer, node, tmp_path, server, trusted, state):
    settings = tmp_path / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"mcpServers": {"orchard": {"httpUrl": server.url}}}), encoding="utf-8")
    before = settings.read_bytes()
    path = os.pathsep.join([str(peer("gemini-cli").bin), str(Path(node).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "HOME": str(tmp_path), "GEMINI_CLI_TRUST_WORKSPACE": trusted}
    asked = ("--client", "gemini-cli", "--server-key", "orchard", "--registry", "live", "--format", "json")
    row = registry(json.loads(diagnose("triage", server.url, *asked, env=env).out))
    assert row["observed"] is False
    assert f"orchard is {state}" in row["why"]
    assert settings.read_bytes() == before

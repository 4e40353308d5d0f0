"""A real Claude Code beside the reference server, asked without a login and without a model turn, as `--registry live` asks it.

It has a home of its own, and nothing of a person's is read. It tells names, never schemas: where all names agree, that
proves nothing, and the verdict says so.
"""

import json
import os

import pytest
from support.program import diagnose

from diagnose.jobs.embedded import embedded
from diagnose.reference.options import ServeOptions

KEY = "orchard"
SECRET = "Plum-7141-Xylophone-of-the-header"


@pytest.fixture(scope="module")
def servers():
    """The server, and a copy of it that nobody tells of changes, as a gateway that froze is one."""
    with embedded(ServeOptions(control=True)) as server, embedded() as frozen:
        yield server, frozen


@pytest.fixture
def claude(peer, tmp_path):
    """Return a function that runs `triage` beside a Claude Code that has one server, at a URL, and its home."""
    program = peer("claude-code").module("@anthropic-ai/claude-code-linux-x64")
    home = tmp_path / "home"
    home.mkdir()
    settings = home / ".claude.json"

    def run(*args, url):
        entry = {"type": "http", "url": url, "headers": {"X-Orchard": SECRET}}
        settings.write_text(json.dumps({**_kept(settings), "mcpServers": {KEY: entry}}), encoding="utf-8")
        path = os.pathsep.join([str(program), os.environ["PATH"]])
        env = {**os.environ, "PATH": path, "HOME": str(home), "DIAGNOSE_DATA": str(tmp_path / "data")}
        env.pop("CLAUDE_CONFIG_DIR", None)
        client = ("--client", "claude-code", "--server-key", KEY, "--registry", "live")
        ran = diagnose("triage", *args, *client, "--deadline", "90", "--format", "json", env=env)
        assert ran.out, ran.err
        assert SECRET not in ran.out + ran.err
        return json.loads(ran.out)

    run.settings = settings
    return run


def _kept(settings):
    return json.loads(settings.read_text(encoding="utf-8")) if settings.exists() else {}


def row(document, layer):
    return next(each for each in document["layers"] if each["layer"] == layer)


def test_it_tells_the_names_of_a_new_session(claude, servers):
    server, _ = servers
    document = claude(server.url, url=server.url)
    assert row(document, "registry")["count"] == 3
    assert document["verdict"]["state"] == "inconclusive"
    assert any("new session" in limit for limit in document["verdict"]["limits"])


def test_its_home_is_as_it_was(claude, servers):
    server, _ = servers
    claude(server.url, url=server.url)  # the first run makes the settings whole
    before = json.loads(claude.settings.read_text(encoding="utf-8"))
    claude(server.url, url=server.url)
    assert json.loads(claude.settings.read_text(encoding="utf-8")) == before
    assert not list((claude.settings.parent / ".claude").rglob("*.jsonl"))  # no session is kept


def test_behind_a_gateway_that_froze_the_path_is_named(claude, servers):
    server, frozen = servers
    server.change({"add": "press_cider"})
    try:
        document = claude(server.url, "--path", frozen.url, url=frozen.url)
    finally:
        server.change({"restore": True})
    assert tuple(document["verdict"][key] for key in ("state", "layer", "cause")) == ("stale", "path", "proxy-frozen")
    assert (row(document, "path")["count"], row(document, "registry")["count"]) == (3, 3)


def test_a_server_that_cannot_be_reached_is_no_empty_list(claude, servers):
    server, _ = servers
    document = claude(server.url, url="http://127.0.0.1:9/mcp")
    assert row(document, "registry")["observed"] is False
    assert document["verdict"]["state"] == "inconclusive"

"""A real Codex beside the reference server: in sync, behind a gateway that froze, and after a tool was renamed.

Codex is asked as `triage --registry live` asks it, in a home of its own; nothing of a person's is read, and no model is
ever asked.
"""

import json
import os
from pathlib import Path

import pytest
from support.program import diagnose

from diagnose.jobs.embedded import embedded
from diagnose.reference.options import ServeOptions

KEY = "orchard"
RENAME = {"rename": {"from": "ripen", "to": "ripen_fruit"}}


@pytest.fixture(scope="module")
def servers():
    """The server, and a copy of it that nobody tells of changes, as a gateway that froze is one."""
    with embedded(ServeOptions(control=True)) as server, embedded() as frozen:
        yield server, frozen


@pytest.fixture
def restored(servers):
    yield
    servers[0].change({"restore": True})


@pytest.fixture
def codex(peer, node, tmp_path):
    """Return a function that runs `triage` beside a Codex that has one server, at a URL, with more lines of its entry."""
    found = peer("codex")

    def run(*args, url, entry=""):
        home = tmp_path / "codex-home"
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(f'[mcp_servers.{KEY}]\nurl = "{url}"\n{entry}')
        path = os.pathsep.join([str(found.bin), str(Path(node).parent), os.environ["PATH"]])
        env = {**os.environ, "PATH": path, "CODEX_HOME": str(home), "DIAGNOSE_DATA": str(tmp_path / "data")}
        client = ("--client", "codex", "--server-key", KEY, "--registry", "live")
        ran = diagnose("triage", *map(str, args), *client, "--deadline", "90", "--format", "json", env=env)
        assert ran.out, ran.err
        return json.loads(ran.out)

    return run


def verdict(document):
    return tuple(document["verdict"][key] for key in ("state", "layer", "cause"))


def row(document, layer):
    return next(each for each in document["layers"] if each["layer"] == layer)


def renamed(document):
    return [
        (change["was"], change["tool"])
        for pair in document["comparisons"]
        for change in pair["changes"]
        if change["kind"] == "renamed"
    ]


def test_it_is_in_sync_with_an_honest_server(codex, servers):
    server, _ = servers
    document = codex(server.url, url=server.url)
    assert verdict(document) == ("in-sync", None, None)
    assert row(document, "registry")["count"] == row(document, "origin")["count"] == 3


@pytest.mark.usefixtures("restored")
def test_behind_a_gateway_that_froze_the_path_is_named(codex, servers):
    server, frozen = servers
    server.change({"add": "press_cider"})
    document = codex(server.url, "--path", frozen.url, url=frozen.url)
    assert verdict(document) == ("stale", "path", "proxy-frozen")
    assert document["verdict"]["confidence"] == "proven"
    assert (row(document, "path")["count"], row(document, "registry")["count"]) == (3, 3)
    assert any("Codex" in step for step in document["verdict"]["next"])


@pytest.mark.usefixtures("restored")
def test_a_renamed_tool_is_told_as_one_and_not_as_two(codex, servers):
    server, frozen = servers
    server.change(RENAME)
    document = codex(server.url, "--path", frozen.url, url=frozen.url)
    assert verdict(document) == ("stale", "path", "proxy-frozen")
    assert renamed(document) == [("ripen_fruit", "ripen")]  # told from the origin to the path
    assert codex(server.url, url=server.url)["verdict"]["state"] == "in-sync"


@pytest.mark.usefixtures("restored")
def test_a_list_of_enabled_tools_that_names_the_old_one_is_named(codex, servers):
    server, _ = servers
    server.change(RENAME)
    document = codex(server.url, url=server.url, entry='enabled_tools = ["pick_apples", "ripen"]\n')
    assert verdict(document) == ("stale", "registry", "policy-stale")
    assert row(document, "registry")["count"] == 1
    (found,) = (finding for finding in document["findings"] if finding["rule"] == "policy-stale")
    assert found["args"]["dead"] == ["ripen"]

"""The taps between clients and servers that others wrote: both sides see what they see without it."""

import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from interop import rows
from interop.tapping import TAP, http_tap, json_of, recording_of
from interop.test_conformance import CHECKS, SCENARIOS, scenario, suite
from support.program import diagnose

from diagnose.judge.timeline import read

__all__ = ["scenario", "suite"]
HERE = Path(__file__).resolve().parent


def oauth(whose):
    """A server that wants OAuth; its authorization server gives tokens for any resource, or for its own alone."""
    command = ("{python}", "{servers}/fastmcp_oauth.py", whose)
    return rows.foreign("fastmcp-4", "http", *command, info="orchard", versions=rows.BOTH, list_changed={})


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Where the tap records."""
    monkeypatch.setenv("DIAGNOSE_DATA", str(tmp_path / "data"))
    return tmp_path / "session.jsonl"


@contextmanager
def served(*words):
    """Run a `serve` of ours and yield its URL."""
    pipe = subprocess.PIPE
    child = subprocess.Popen([*TAP[:-1], *words], stdout=pipe, stderr=pipe, text=True)
    try:
        line = child.stdout.readline()
        assert line, child.stderr.read()
        yield json.loads(line)["url"]
    finally:
        child.terminate()
        child.communicate(timeout=20)


@pytest.fixture
def lists(peer):
    """Return a function that lists with the client of the Python SDK 1.x."""
    python = str(peer("mcp-1").python)

    def run(transport, *words):
        return json_of([python, str(HERE / "sdk_client.py"), transport, *words])

    return run


@pytest.mark.parametrize("row", rows.ALL, ids=[row.id for row in rows.ALL])
def test_a_client_sees_the_same_through_the_tap(row, launch, listening, lists, recorded, tmp_path, monkeypatch):
    how = launch(row)
    if row.transport == "stdio":
        for name, value in how.env.items():
            monkeypatch.setenv(name, value)
        direct = lists("stdio", *how.command)
        through = lists("stdio", *TAP, "stdio", "-o", str(recorded), "--", *how.command)
    else:
        with listening(how, tmp_path / "log") as port:
            url = f"http://127.0.0.1:{port}{row.path}"
            direct = lists(row.transport, url)
            with http_tap(url, recorded) as tapped:
                through = lists(row.transport, tapped.url)
    assert through == direct
    line = read(recording_of(recorded))
    names = {name for session in line.sessions for walk in session.walks if walk.surface for name in walk.surface.names}
    assert names == set(direct["names"])
    if row.peer == "everything":  # once for each transport is enough
        replay = ("serve", "--replay", str(recorded))
        if row.transport == "stdio":
            assert lists("stdio", *TAP[:-1], *replay, "--stdio") == direct
        else:
            with served(*replay) as url:
                assert lists(row.transport, url) == direct


@pytest.mark.parametrize(
    ("name", "revision"), [(name, revision) for name, revisions in SCENARIOS.items() for revision in revisions]
)
def test_a_conformance_scenario_passes_through_the_tap(scenario, name, revision, recorded):
    client = (sys.executable, str(HERE / "tapped_client.py"))
    code, checks, said = scenario(name, revision, *client, TAP_RECORDING=str(recorded))
    failed = [check for check in checks if check["status"] not in {"SUCCESS", "INFO", "SKIPPED"}]
    assert failed == [], said
    assert code == 0
    assert sum(check["status"] == "SUCCESS" for check in checks) >= CHECKS.get(name, 1)
    assert recording_of(recorded).events


@pytest.fixture
def logs_in(peer):
    """Return the command of a client that goes through OAuth, by the peer that it is run by."""
    return lambda name: [str(peer(name).python), str(HERE / "oauth_client.py")]


def test_clients_go_through_oauth_by_the_address_of_the_tap(logs_in, launch, listening, recorded, tmp_path):
    with (
        listening(launch(oauth("any")), tmp_path / "log") as port,
        http_tap(f"http://127.0.0.1:{port}/mcp", recorded) as tapped,
    ):
        seen = [json_of([*logs_in(name), tapped.url]) for name in ("fastmcp-4", "mcp-1")]
    assert [each["names"] for each in seen] == [["pick_apples"]] * 2
    recording = recording_of(recorded)
    refused = next(event for event in recording.events if event.status == 401)
    assert "resource_metadata" in refused.headers["www-authenticate"]
    assert not [each["token"] for each in seen if each["token"] in recorded.read_text()]
    assert any("the server asks for OAuth" in line for line in tapped)
    assert [len(session.walks) for session in read(recording).sessions if session.walks] == [1, 1]
    ran = diagnose("triage", "--recording", str(recorded), "--format", "json")
    assert [finding["rule"] for finding in json.loads(ran.out)["findings"]] == []


def test_where_the_taps_address_is_refused_it_says_so_and_passes_a_token(
    logs_in, peer, launch, listening, recorded, tmp_path, monkeypatch
):
    client = logs_in("mcp-1")
    with listening(launch(oauth("own")), tmp_path / "log") as port:
        url = f"http://127.0.0.1:{port}/mcp"
        token = json_of([*client, url])["token"]
        with http_tap(url, recorded) as tapped:
            refused = subprocess.run([*client, tapped.url], capture_output=True, text=True, check=False, timeout=90)
        assert refused.returncode != 0
        assert any("start the tap with a token for the server itself" in line for line in tapped)
        monkeypatch.setenv("ORCHARD_TOKEN", token)
        second = recorded.with_name("second.jsonl")
        with http_tap(url, second, "--auth", "env:ORCHARD_TOKEN") as tapped:
            lists = [str(peer("mcp-1").python), str(HERE / "sdk_client.py"), "http", tapped.url]
            assert json_of(lists)["names"] == ["pick_apples"]
    assert token not in second.read_text()

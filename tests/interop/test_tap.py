"""The taps between clients and servers that others wrote: both sides see what they see without it."""

import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from interop import rows
from interop.test_conformance import CHECKS, SCENARIOS, scenario, suite

from diagnose.evidence.recording import Recording
from diagnose.judge.timeline import read

__all__ = ["scenario", "suite"]
HERE = Path(__file__).resolve().parent
TAP = (sys.executable, "-P", "-m", "diagnose", "tap")


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Where the tap records."""
    monkeypatch.setenv("DIAGNOSE_DATA", str(tmp_path / "data"))
    return tmp_path / "session.jsonl"


@contextmanager
def http_tap(url, path):
    child = subprocess.Popen(
        [*TAP, "http", "--listen", "127.0.0.1:0", "--to", url, "-o", str(path)], stderr=subprocess.PIPE, text=True
    )
    try:
        line = ""
        while "give the client " not in line:
            line = child.stderr.readline()
        yield line.split("give the client ")[1].split()[0]
    finally:
        child.terminate()
        child.communicate(timeout=20)


@pytest.fixture
def lists(peer):
    """Return a function that lists with the client of the Python SDK 1.x."""
    python = str(peer("mcp-1").python)

    def run(transport, *words):
        command = [python, str(HERE / "sdk_client.py"), transport, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

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
                through = lists(row.transport, tapped)
    assert through == direct
    recording = Recording.of_lines(recorded.read_bytes().splitlines(keepends=True))
    assert recording.notes == ()
    line = read(recording)
    names = {name for session in line.sessions for walk in session.walks if walk.surface for name in walk.surface.names}
    assert names == set(direct["names"])


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
    assert Recording.of_lines(recorded.read_bytes().splitlines(keepends=True)).notes == ()

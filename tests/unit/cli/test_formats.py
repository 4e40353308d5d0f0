"""`surface` in every format, whatever the server does: the exit code and the report never disagree."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from support.mcp_http import Said, answering, error, modern
from support.program import diagnose

SERVERS = {
    "good": (modern(), 0),
    "broken": (modern(tools=[{"name": "a", "inputSchema": {}}]), 1),
    "no-list": (modern(tools__list=lambda asked: error(asked, -32603)), 1),
    "refused": (modern(tools__list=Said(status=401)), 4),
    "unobserved": (modern(server__discover=Said(status=500)), 3),
}


@pytest.fixture
def reports(tmp_path, monkeypatch):
    """Run once, and return the exit code with the same result in all formats."""
    monkeypatch.chdir(tmp_path)

    def run(server):
        names = ("json", "sarif", "junit", "github", "markdown")
        also = [word for name in names for word in ("--also", f"{name}={name}.out")]
        with answering(server) as url:
            ran = diagnose("surface", url, "--timeout", "2", *also, env={"DIAGNOSE_DATA": str(tmp_path / "data")})
        return ran, {name: (tmp_path / f"{name}.out").read_text() for name in names}

    return run


@pytest.mark.parametrize("name", SERVERS)
def test_the_exit_code_and_the_report_never_disagree(reports, name):
    server, code = SERVERS[name]
    ran, shown = reports(server)
    assert ran.code == code, ran.err
    assert ran.out.rstrip().endswith(f"Exit code {code}.")
    assert json.loads(shown["json"])["exitCode"] == code
    (run,) = json.loads(shown["sarif"])["runs"]
    assert run["invocations"][0]["exitCode"] == code
    top = ET.fromstring(shown["junit"])
    assert bool(int(top.get("failures")) + int(top.get("errors"))) is bool(code)
    assert ("::error " in shown["github"]) is bool(code)
    assert f"Exit code {code}." in shown["markdown"]


def test_one_result_has_one_verdict_and_the_same_fingerprints_in_all_formats(reports):
    _, shown = reports(SERVERS["broken"][0])
    document = json.loads(shown["json"])
    (run,) = json.loads(shown["sarif"])["runs"]
    told = [finding["fingerprint"] for finding in document["findings"]]
    assert [next(iter(result["partialFingerprints"].values())) for result in run["results"]] == told
    cause = document["verdict"]["cause"]
    assert cause in shown["markdown"].splitlines()[0]
    assert cause in shown["github"]
    assert run["properties"]["cause"] == cause

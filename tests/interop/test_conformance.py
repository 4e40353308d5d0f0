"""The client scenarios of the conformance suite that concern discovery and listing, in every revision they apply to."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

CLIENT = Path(__file__).resolve().parent / "conformance_client.py"
DATED = ("2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
#: What concerns us, with its revisions. A test holds that to what the suite itself says.
SCENARIOS = {
    "initialize": DATED,
    "tools_call": (*DATED, MODERN),
    "sse-retry": ("2025-11-25",),
    "request-metadata": (MODERN,),
    "http-standard-headers": (MODERN,),
    "http-custom-headers": (MODERN,),
    "http-invalid-tool-headers": (MODERN,),
    "json-schema-ref-no-deref": (MODERN,),
    "json-schema-2020-12-preservation": ("2025-11-25", MODERN),
}
#: Each of them must have found something to check: so many checks, at least.
CHECKS = {"sse-retry": 3, "request-metadata": 5, "http-standard-headers": 9, "http-custom-headers": 18}
CHECKS |= {"http-invalid-tool-headers": 12, "json-schema-2020-12-preservation": 9, "tools_call": 2}


@pytest.fixture(scope="session")
def suite(peer, node):
    """Return a function that runs the suite's program."""
    program = str(peer("conformance").module("@modelcontextprotocol/conformance/dist/index.js"))

    def run(*arguments, **extra):
        path = f"{Path(node).parent}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            [node, program, *arguments],
            env={**os.environ, "PATH": path, **extra},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )

    return run


@pytest.fixture
def scenario(suite, tmp_path):
    """Return a function that runs one scenario against a client and gives exit code and checks."""

    def run(name, revision, *client, **extra):
        command = shlex.join(client or (sys.executable, str(CLIENT)))
        where = ("--output-dir", str(tmp_path))
        done = suite("client", "--command", command, "--scenario", name, "--spec-version", revision, *where, **extra)
        told = list(tmp_path.rglob("checks.json"))
        assert len(told) == 1, done.stdout + done.stderr
        said = (told[0].parent / "stderr.txt").read_text(encoding="utf-8")
        return done.returncode, json.loads(told[0].read_text(encoding="utf-8")), said

    return run


def test_the_revisions_are_those_of_the_suite(suite):
    listed = re.findall(r"^ *- (\S+) \[([^\]]*)\]", suite("list", "--client").stdout, re.MULTILINE)
    known = {name: tuple(revisions.split(",")) for name, revisions in listed}
    assert {name: known.get(name) for name in SCENARIOS} == SCENARIOS


@pytest.mark.parametrize(
    ("name", "revision"), [(name, revision) for name, revisions in SCENARIOS.items() for revision in revisions]
)
def test_a_scenario_passes(scenario, name, revision):
    code, checks, said = scenario(name, revision)
    failed = [check for check in checks if check["status"] not in {"SUCCESS", "INFO", "SKIPPED"}]
    assert failed == [], said
    assert (code, said) == (0, "")
    assert sum(check["status"] == "SUCCESS" for check in checks) >= CHECKS.get(name, 1)


def test_a_scenario_fails_a_client_that_does_nothing(scenario):
    code, checks, _ = scenario("tools_call", MODERN, "true")
    assert code != 0
    assert any(check["status"] == "FAILURE" for check in checks)

"""Every fault that one round can show is found by `surface`, under its own name, and nothing else is an error.

For each fault: the exit code, and the state and layer of the verdict. The cause is the fault's name, unless the state
names none; then the fault's name is that of a finding.
"""

from __future__ import annotations

import io
import json
import os
import sys
from urllib.parse import urlsplit

import pytest
from support.faults import in_front_of

from diagnose.cli import run
from diagnose.jobs.embedded import embedded
from diagnose.reference.faults import FAULTS
from diagnose.version import __version__

EXPECTED = {
    "auth-blocked": (4, "broken", "origin"),
    "count-mismatch": (1, "broken", "origin"),
    "cursor-empty-string": (1, "broken", "origin"),
    "cursor-loop": (1, "broken", "origin"),
    "cursor-rejected": (1, "broken", "origin"),
    "handshake-failed": (3, "inconclusive", None),
    "invalid-definition": (1, "broken", "origin"),
    "limit-exceeded": (3, "inconclusive", None),
    "list-error": (1, "broken", "origin"),
    "manifest-disagrees": (1, "stale", "origin"),
    "manifest-gated": (1, "broken", "manifest"),
    "mixed-builds": (1, "stale", "deployed"),
    "name-collision": (1, "broken", "origin"),
    "order-unstable": (0, "in-sync", None),
    "page-mixed-snapshot": (1, "broken", "origin"),
    "replica-skew": (1, "broken", "origin"),
    "revision-mismatch": (1, "broken", "origin"),
    "server-frozen-snapshot": (1, "stale", "origin"),
    "server-old-build": (1, "stale", "deployed"),
    "surface-changed": (1, "stale", "baseline"),
    "timed-out": (3, "inconclusive", None),
    "unreachable": (3, "inconclusive", None),
    "wire-corrupt": (1, "broken", "origin"),
}
OPTIONS = {"server-old-build": ("--expect-version", __version__), "timed-out": ("--timeout", "1")}
OVER_HTTP = [(name, era) for name in EXPECTED if "http" in FAULTS[name].transports for era in FAULTS[name].eras]
#: A child takes a second to start, so that only what differs from HTTP is tried.
OVER_STDIO = ["count-mismatch", "cursor-loop", "list-error", "unreachable", "wire-corrupt"]


@pytest.fixture(scope="module")
def honest():
    with embedded() as server:
        yield urlsplit(server.url).port


@pytest.fixture
def surface(tmp_path):
    def go(*args: str):
        out, err = io.StringIO(), io.StringIO()
        env = {**os.environ, "DIAGNOSE_DATA": str(tmp_path)}
        code = run(["surface", "--format", "json", *args], out, err, env=env)
        document = json.loads(out.getvalue())
        assert document["exitCode"] == code
        return document

    return go


@pytest.mark.parametrize(("name", "era"), OVER_HTTP)
def test_a_fault_is_found_under_its_name(surface, honest, name: str, era: str) -> None:
    with in_front_of(honest, name) as url:
        args = [url, "--era", era, *OPTIONS.get(name, ())]
        if name == "surface-changed":
            assert surface(*args, "--save")["exitCode"] == 0
        judge(surface(*args), name)


@pytest.mark.parametrize("name", OVER_STDIO)
def test_a_fault_over_stdio_is_found_under_its_name(surface, name: str) -> None:
    command = [sys.executable, "-m", "diagnose", "serve", "--stdio", "--fault", name]
    judge(surface(*OPTIONS.get(name, ()), "--", *command), name)


def judge(document, name: str) -> None:
    """Hold a diagnosis to what the fault stands for."""
    verdict = document["verdict"]
    code, state, layer = EXPECTED[name]
    assert (document["exitCode"], verdict["state"], verdict["layer"]) == (code, state, layer)
    named = state not in {"in-sync", "inconclusive"}
    assert verdict["cause"] == (name if named else None)
    assert name in {finding["rule"] for finding in document["findings"]}
    errors = {finding["rule"] for finding in document["findings"] if finding["severity"] == "error"}
    assert errors == ({name} if named else set())

"""The reference server before the server scenarios of the conformance suite, in both eras."""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from interop.test_conformance import suite

from diagnose.jobs import embedded as jobs
from diagnose.reference.options import ServeOptions

__all__ = ["suite"]
LEGACY = "2025-11-25"
MODERN = "2026-07-28"
#: The server: ours, and the tools by which the suite has it change its list, log, and ask for more.
SERVER = Path(__file__).resolve().parent / "servers" / "suite_orchard.py"

#: What concerns discovery, lifecycle, listing, caching, listen and the streams under them, with its revisions.
SCENARIOS = {
    "server-initialize": (LEGACY,),
    "server-session-lifecycle": (LEGACY,),
    "ping": (LEGACY,),
    "server-stateless": (MODERN,),
    "tools-list": (LEGACY, MODERN),
    "prompts-list": (LEGACY, MODERN),
    "resources-list": (LEGACY, MODERN),
    "caching": (MODERN,),
    "http-header-validation": (MODERN,),
    "dns-rebinding-protection": (LEGACY, MODERN),
    "server-sse-multiple-streams": (LEGACY, MODERN),
}

_TOOL = "is about what comes of calling a tool, not about listing"
_PROMPT = "asks for a test prompt of the suite's own"
_RESOURCE = "reads a test resource of the suite's own"
_UNDECLARED = "is about a feature that the reference server neither has nor declares"
#: Why each other scenario of these revisions is left out.
LEFT_OUT = {
    **dict.fromkeys(("logging-set-level", "completion-complete"), _UNDECLARED),
    **dict.fromkeys(("resources-subscribe", "resources-unsubscribe"), _UNDECLARED),
    **dict.fromkeys(("prompts-get-simple", "prompts-get-with-args"), _PROMPT),
    **dict.fromkeys(("prompts-get-embedded-resource", "prompts-get-with-image"), _PROMPT),
    "input-required-result-non-tool-request": _PROMPT,
    **dict.fromkeys(("resources-read-text", "resources-read-binary", "resources-templates-read"), _RESOURCE),
    "sep-2164-resource-not-found": "is about reading a resource, not about listing",
    **dict.fromkeys(("json-schema-2020-12", "http-custom-header-server-validation", "server-sse-polling"), _TOOL),
    **dict.fromkeys(("elicitation-sep1034-defaults", "elicitation-sep1330-enums"), _TOOL),
    **dict.fromkeys(
        (
            f"tools-call-{what}"
            for what in (
                *("simple-text", "image", "audio", "embedded-resource", "mixed-content", "with-logging"),
                *("error", "with-progress", "sampling", "elicitation"),
            )
        ),
        _TOOL,
    ),
    **dict.fromkeys(
        (
            f"input-required-result-{what}"
            for what in (
                *("basic-elicitation", "basic-sampling", "basic-list-roots", "request-state"),
                *("multiple-input-requests", "multi-round", "missing-input-response", "result-type"),
                *("unsupported-methods", "tampered-state", "capability-check", "ignore-extra-params"),
                "validate-input",
            )
        ),
        _TOOL,
    ),
}
#: So many checks must have passed, where a scenario has more than one of its own.
CHECKS = {"server-initialize": 3, "server-session-lifecycle": 3, "server-stateless": 28, "tools-list": 3}
CHECKS |= {"caching": 8, "http-header-validation": 14, "dns-rebinding-protection": 2}


@pytest.fixture(scope="module")
def reference():
    """The reference server with the suite's own test tools; its list has pages of two, and can be changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "child_command", lambda: [sys.executable, "-P", str(SERVER)])
        with jobs.embedded(ServeOptions(page_size=2, control=True)) as server:
            yield server


@pytest.fixture
def checked(suite, reference, tmp_path):
    """Return a function that runs one scenario, and gives exit code, and its checks by what became of them."""

    def run(name, revision):
        where = ("--output-dir", str(tmp_path))
        done = suite("server", "--url", reference.url, "--scenario", name, "--spec-version", revision, *where)
        told = list(tmp_path.rglob("checks.json"))
        assert len(told) == 1, done.stdout + done.stderr
        checks = defaultdict(list)
        for check in json.loads(told[0].read_text(encoding="utf-8")):
            checks[check["status"]].append(check)
        return done.returncode, checks

    return run


def test_every_scenario_of_the_suite_is_run_or_left_out_for_a_reason(suite):
    listed = re.findall(r"^ *- (\S+) \[([^\]]*)\]", suite("list", "--server").stdout, re.MULTILINE)
    known = {name: tuple(each for each in said.split(",") if each in (LEGACY, MODERN)) for name, said in listed}
    ours = {name: revisions for name, revisions in known.items() if revisions}
    assert {name: ours.get(name) for name in SCENARIOS} == SCENARIOS
    assert set(ours) - set(SCENARIOS) == set(LEFT_OUT)


EACH = [(name, revision) for name, revisions in SCENARIOS.items() for revision in revisions]


@pytest.mark.parametrize(("name", "revision"), EACH)
def test_the_reference_server_passes(checked, name, revision):
    code, checks = checked(name, revision)
    assert (checks["FAILURE"], checks["WARNING"], code) == ([], [], 0)
    assert len(checks["SUCCESS"]) >= CHECKS.get(name, 1)


def test_a_listener_is_told_of_a_change_and_of_nothing_else(checked):
    _, checks = checked("server-stateless", MODERN)
    assert {
        "sep-2575-server-sends-subscription-ack",
        "sep-2575-server-tags-subscription-id",
        "sep-2575-server-honors-notification-filter",
        "sep-2575-server-sends-tools-list-changed-on-subscription",
    } <= {check["id"] for check in checks["SUCCESS"]}


def test_a_scenario_fails_a_server_with_a_fault(suite):
    with jobs.embedded(ServeOptions(fault="ttl-misuse:negative")) as server:
        done = suite("server", "--url", server.url, "--scenario", "caching", "--spec-version", MODERN)
    assert done.returncode == 1
    assert "sep-2549-ttl-non-negative" in done.stdout

"""Every fault of the reference server is found by `check`, under its own name, and nothing else is an error.

For each fault: the severity of the finding. What only a change brings out is checked with `--trigger`, what only a
second caller brings out with `--second-auth`.
"""

from __future__ import annotations

import io
import json
import os
import socket
import sys
from urllib.parse import urlsplit

import pytest
from support.faults import in_front_of

from diagnose.cli import run
from diagnose.jobs import trials
from diagnose.jobs.embedded import embedded
from diagnose.judge.timeline.rules import needs
from diagnose.reference.faults import FAULTS, signals
from diagnose.reference.options import ServeOptions
from diagnose.version import __version__

EXPECTED = {
    "auth-blocked": "error",
    "auth-view-diff": "note",
    "cache-hints-legacy": "note",
    "cache-hints-missing-elsewhere:discover": "error",
    "cache-hints-missing-elsewhere:prompts": "error",
    "cache-hints-missing-elsewhere:resources": "error",
    "cache-hints-missing-elsewhere:templates": "error",
    "cache-scope-invalid": "error",
    "capability-false-claim:get-405": "error",
    "capability-false-claim:listen-closed": "error",
    "capability-false-claim:listen-refused": "error",
    "capability-undeclared": "error",
    "count-mismatch": "error",
    "cursor-empty-string": "error",
    "cursor-loop": "error",
    "cursor-rejected": "error",
    "cursor-unchecked": "warning",
    "cursor-unstable": "warning",
    "definition-too-large": "warning",
    "discover-incomplete": "note",
    "discover-overclaims": "error",
    "eras-differ": "note",
    "handshake-failed": "warning",
    "header-annotation-invalid": "error",
    "header-mismatch-accepted": "error",
    "initialize-unhelpful": "warning",
    "invalid-definition": "error",
    "invisible-characters": "warning",
    "keep-alive-missing": "note",
    "limit-exceeded": "warning",
    "list-error": "error",
    "list-too-large": "warning",
    "list-varies-by-connection": {"modern": "error", "legacy": "warning"},
    "list-varies-by-connection:other-requests": {"modern": "error", "legacy": "warning"},
    "listen-end-without-result": "warning",
    "listen-filter-exceeded": "error",
    "listen-id-missing": "error",
    "listen-nonsense-uri": "warning",
    "listen-one-only": "error",
    "listen-unknown-field": "warning",
    "listen-wrong-id:number": "error",
    "listen-wrong-id:text": "error",
    "manifest-disagrees": "error",
    "manifest-gated": "error",
    "mixed-builds": "error",
    "name-case-twins": "warning",
    "name-collision": "error",
    "name-unusual:characters": "warning",
    "name-unusual:length": "warning",
    "notification-invalid": "error",
    "number-precision": "warning",
    "order-unstable": "warning",
    "page-mixed-snapshot": "error",
    "page-scope-differs": "error",
    "page-sizes": "note",
    "private-identical": "note",
    "private-without-credential": "warning",
    "proxy-buffers": "warning",
    "proxy-buffers:next-event": "warning",
    "removed-method-wrong": "warning",
    "replica-skew": "error",
    "revision-mismatch": "error",
    "revision-places-differ": "error",
    "schema-invalid": "error",
    "scope-leak": "error",
    "server-frozen-snapshot": "error",
    "server-no-signal": "error",
    "server-old-build": "error",
    "server-signal-early": "error",
    "server-signal-storm:self-triggered": "error",
    "server-signal-storm:without-change": "error",
    "stream-dropped": "warning",
    "stream-missing": "error",
    "stream-no-ack:late-ack": "error",
    "stream-no-ack:no-ack": "error",
    "stream-no-ack:ungranted-event": "error",
    "timed-out": "warning",
    "tools-capability-missing": "error",
    "ttl-misuse:changed-inside": "warning",
    "ttl-misuse:float": "error",
    "ttl-misuse:missing": "error",
    "ttl-misuse:negative": "error",
    "ttl-misuse:seconds-key": "error",
    "ttl-misuse:text": "error",
    "ttl-on-varying-list": "warning",
    "ttl-too-long": "warning",
    "ttl-unit": "warning",
    "tunnel-degraded": "note",
    "unreachable": "warning",
    "wire-corrupt": "error",
}
#: `check` holds a server to what it promises, not to its past; `surface` finds this one.
OF_THE_PAST = {"surface-changed"}
TRIGGERED = {
    "capability-undeclared",
    "listen-id-missing",
    "notification-invalid",
    "proxy-buffers",
    "server-no-signal",
    "server-signal-early",
}
OF_CALLERS = {"auth-view-diff", "private-identical", "scope-leak"}
OPTIONS = {
    "keep-alive-missing": ("--wait", "1.5"),
    "server-old-build": ("--expect-version", __version__),
    "timed-out": ("--timeout", "1"),
}
#: Seconds for which a quiet channel has to be held to see it; for all else a moment will do.
QUIET = {
    "server-signal-storm:self-triggered": 1.0,
    "server-signal-storm:without-change": 1.0,
    "listen-end-without-result": 2.0,
    "stream-dropped": 2.0,
}
MOMENT = 0.2
#: The errors that follow from a fault by their own words.
FOLLOWING = {
    # Whoever sends a number and gets a text has no acknowledgement, and no signal.
    "listen-wrong-id:number": {"stream-no-ack", "server-no-signal"},
}
OVER_HTTP = [
    (name, era)
    for name in EXPECTED
    if "http" in FAULTS[name].transports
    for era in (["auto"] if name == "eras-differ" else FAULTS[name].eras)
]
#: A child takes a second to start, so that one of each kind is tried.
OVER_STDIO = [
    "capability-undeclared",
    "name-case-twins",
    "server-no-signal",
    "server-signal-storm:self-triggered",
    "stream-no-ack:late-ack",
    "ttl-misuse:text",
]

CHANGE = """
import json, sys, time
from urllib.request import ProxyHandler, Request, build_opener
change = {"describe": {"name": "prune_tree", "description": f"Cut it back since {time.time()}."}}
build_opener(ProxyHandler({})).open(Request(sys.argv[1], data=json.dumps(change).encode())).close()
"""


@pytest.fixture(scope="module")
def honest():
    with embedded(ServeOptions(control=True)) as server:
        yield server


@pytest.fixture
def free_port() -> int:
    """Return a port that was free a moment ago; only a server on stdio has to be told one."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(autouse=True)
def impatient(monkeypatch) -> None:
    monkeypatch.setattr(trials, "QUIET", MOMENT)
    monkeypatch.setattr(needs, "KEEP_ALIVE", 1.2)
    monkeypatch.setattr(signals, "DELAY", 1.8)


@pytest.fixture
def check(tmp_path):
    (tmp_path / "change.py").write_text(CHANGE)

    def go(*args: str, trigger: str | None = None):
        out, err = io.StringIO(), io.StringIO()
        env = {**os.environ, "DIAGNOSE_DATA": str(tmp_path), "ORCHARD": "sk_orchard_1", "MEADOW": "sk_meadow_1"}
        change = () if trigger is None else ("--trigger", f"{sys.executable} {tmp_path / 'change.py'} {trigger}")
        wait = () if "--wait" in args else ("--wait", "2")
        code = run(["check", "--format", "json", *wait, *change, *args], out, err, env=env)
        document = json.loads(out.getvalue())
        assert document["exitCode"] == code
        return document

    return go


def severities(document, name: str) -> set[str]:
    return {finding["severity"] for finding in document["findings"] if finding["rule"] == FAULTS[name].rule}


def errors(document, name: str) -> set[str]:
    found = {finding["rule"] for finding in document["findings"] if finding["severity"] == "error"}
    return found - {FAULTS[name].rule} - FOLLOWING.get(name, set())


@pytest.mark.parametrize("era", ["auto", "modern", "legacy"])
def test_the_honest_server_passes(check, honest, era: str) -> None:
    document = check(honest.url, "--era", era, trigger=honest.url.replace("/mcp", "/control"))
    assert (document["exitCode"], document["findings"]) == (0, [])


@pytest.mark.parametrize(("name", "era"), OVER_HTTP)
def test_a_fault_is_found_under_its_name(check, honest, monkeypatch, name: str, era: str) -> None:
    monkeypatch.setattr(trials, "QUIET", QUIET.get(name, MOMENT))
    honest.change({"restore": True})
    with in_front_of(urlsplit(honest.url).port, name) as url:
        callers = ("--auth", "env:ORCHARD", "--second-auth", "env:MEADOW") if name in OF_CALLERS else ()
        trigger = url.replace("/mcp", "/control") if FAULTS[name].rule in TRIGGERED else None
        document = check(url, "--era", era, *callers, *OPTIONS.get(name, ()), trigger=trigger)
    expected = EXPECTED[name]
    assert (expected if isinstance(expected, str) else expected[era]) in severities(document, name)
    assert errors(document, name) == set()


@pytest.mark.parametrize("name", OVER_STDIO)
def test_a_fault_over_stdio_is_found_under_its_name(check, free_port, monkeypatch, name: str) -> None:
    monkeypatch.setattr(trials, "QUIET", 1.5)
    command = [sys.executable, "-m", "diagnose", "serve", "--stdio", "--fault", name, "--control"]
    trigger = f"http://127.0.0.1:{free_port}/control" if name in TRIGGERED else None
    document = check("--", *command, "--port", str(free_port), trigger=trigger)
    assert EXPECTED[name] in severities(document, name)
    assert errors(document, name) == set()


def test_every_fault_is_held_to_a_finding() -> None:
    # What a ledger says of its state is held to by `statesync`.
    assert EXPECTED.keys() | OF_THE_PAST == {name for name, fault in FAULTS.items() if not fault.ledger}

"""Faults over stdio: a process between the client and an honest server that is its child."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager

import psutil
import pytest

from diagnose.reference.contract import MANIFEST

from .conftest import HANDSHAKE, META

LIMIT = 20


@contextmanager
def served(fault: str, code: int = 0):
    process = subprocess.Popen(
        [sys.executable, "-m", "diagnose", "serve", "--stdio", "--fault", fault],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            yield process
            process.stdin.close()
            assert process.wait(LIMIT) == code
            assert process.stderr.read() == b""
        finally:
            process.kill()


def ask(process, method: str, number: int = 1, **params):
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    return process.stdout.readline()


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_fault_changes_one_answer_and_leaves_the_rest(era: str) -> None:
    with served("count-mismatch") as process:
        meta = {"_meta": META} if era == "modern" else {}
        if era == "modern":
            handshake = json.loads(ask(process, "server/discover", **meta))["result"]
        else:
            handshake = json.loads(ask(process, "initialize", **HANDSHAKE))["result"]
        told = json.loads(ask(process, "tools/list", 2, **meta))["result"]["_meta"][MANIFEST]
        assert told == {"revision": handshake["_meta"][MANIFEST]["revision"], "count": 4}


def test_the_caller_s_settings_do_not_reach_the_server(monkeypatch) -> None:
    monkeypatch.setenv("DIAGNOSE_TOKEN", "sk_orchard")
    with served("count-mismatch") as process:
        ask(process, "server/discover", _meta=META)
        (child,) = psutil.Process(process.pid).children()
        assert "DIAGNOSE_TOKEN" not in child.environ()


def test_a_banner_stands_before_the_first_answer_only() -> None:
    with served("wire-corrupt") as process:
        assert ask(process, "server/discover", _meta=META) == b"The orchard is open.\n"
        assert json.loads(process.stdout.readline())["id"] == 1
        assert json.loads(ask(process, "tools/list", 2, _meta=META))["id"] == 2


def test_a_fault_that_hangs_up_ends_the_process() -> None:
    with served("unreachable", code=1) as process:
        assert ask(process, "server/discover", _meta=META) == b""


def test_an_open_subscription_holds_nothing_else_up() -> None:
    with served("count-mismatch") as process:
        acknowledged = ask(process, "subscriptions/listen", 7, _meta=META, notifications={"toolsListChanged": True})
        assert json.loads(acknowledged)["method"] == "notifications/subscriptions/acknowledged"
        assert json.loads(ask(process, "tools/list", 8, _meta=META))["id"] == 8

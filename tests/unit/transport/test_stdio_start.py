"""What a child is started with, what cannot be started, and that no child survives its owner."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

import psutil
import pytest

from diagnose.errors import ObservationError, UsageError
from diagnose.transport.deadline import Deadline
from diagnose.transport.stdio import StdioProcess, child_environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts and signals")

WAIT = 10.0
"""Seconds for what must come; only a failure ever waits so long."""


def test_ctrl_c_at_the_terminal_does_not_reach_the_child(start):
    process = start("cat")
    assert os.getpgid(process.pid) == process.pid != os.getpgid(0)
    assert os.getsid(process.pid) == process.pid


def test_the_child_sees_our_environment_without_our_settings(start, monkeypatch):
    monkeypatch.setenv("DIAGNOSE_TOKEN", "hunter2")
    monkeypatch.setenv("ORCHARD", "apples")
    seen = start("sh", "-c", "env; echo end-of-env").until(b"end-of-env\n").decode()
    assert "ORCHARD=apples" in seen
    assert "hunter2" not in seen


def test_the_child_sees_the_environment_and_the_folder_that_were_named(start, tmp_path):
    process = start("/bin/sh", "-c", "pwd; echo $A-$DIAGNOSE_B.", env={"A": "1", "DIAGNOSE_B": "2"}, cwd=tmp_path)
    assert process.until(b".\n").decode() == f"{tmp_path.resolve()}\n1-.\n"


def test_settings_of_ours_are_known_in_any_case():
    assert child_environment({"DIAGNOSE_X": "", "diagnose_token": "", "DIAGNOSE": "1", "A_DIAGNOSE_": "2"}) == {
        "DIAGNOSE": "1",
        "A_DIAGNOSE_": "2",
    }


def refused(command, **options):
    with pytest.raises(ObservationError) as caught:
        StdioProcess(command, deadline=Deadline(5), **options)
    assert caught.value.rule == "unreachable"
    return str(caught.value), caught.value.args_by_name["kind"]


def test_a_command_that_cannot_be_started(tmp_path):
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "binary").write_bytes(b"\x00\x01\x02")
    (tmp_path / "script").write_text("#!/no/such/interpreter\n")
    (tmp_path / "binary").chmod(0o755)
    (tmp_path / "script").chmod(0o755)
    assert refused(["no-such-command", "--token", "hunter2"]) == (
        "The command no-such-command cannot be started: there is no such program.",
        "not-found",
    )
    assert refused([str(tmp_path / "plain")])[1] == "not-executable"
    assert refused([str(tmp_path / "binary")])[1] == "not-executable"
    assert "interpreter that its first line names" in refused([str(tmp_path / "script")])[0]
    assert refused([str(tmp_path)])[1] == "not-executable"
    assert refused(["cat", "a\0b"])[1] == "not-executable"
    assert refused(["cat"], cwd=tmp_path / "none")[1] == "no-folder"


@pytest.mark.parametrize("command", [[], [""]])
def test_no_command_is_a_usage_error(command):
    with pytest.raises(UsageError):
        StdioProcess(command, deadline=Deadline(5))


OWNER = """
import sys
from diagnose.transport.deadline import Deadline
from diagnose.transport.stdio import StdioProcess
process = StdioProcess(["sh", "-c", "trap '' TERM; sleep 1000 & echo ready; while :; do sleep 0.05; done"], deadline=Deadline(60), grace=0.5)
while process.receive(10) != b"ready\\n": pass
print(process.pid, flush=True)
{then}
"""


@pytest.mark.parametrize(
    ("then", "number"),
    [
        ("with process: process.receive(60)", signal.SIGINT),
        ("process.receive(60)", signal.SIGINT),
        ("", None),
        ("raise SystemExit(1)", None),
        ("raise RuntimeError", None),
    ],
)
def test_no_orphan_survives_its_owner(alive_in_group, then, number):
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER.format(then=then)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert owner.stdout is not None
    group = int(owner.stdout.readline())
    try:
        if number is not None:
            owner.send_signal(number)
        owner.wait(WAIT)
        assert psutil.wait_procs(alive_in_group(group), timeout=WAIT)[1] == []
    finally:
        owner.kill()
        owner.wait()
        owner.stdout.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)

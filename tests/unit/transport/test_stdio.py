"""Children that behave, hang, flood, die and leave others behind; none outlives its owner."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from diagnose.errors import ObservationError, UsageError
from diagnose.transport.deadline import Deadline
from diagnose.transport.stdio import EOF, STDERR_TAIL, StdioProcess, child_environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts and signals")

WAIT = 10.0
"""Seconds for what must come; only a failure ever waits so long."""
LATE = 8.0
"""Seconds after which something was plainly not done in time."""


@pytest.fixture
def start():
    """Start children in the usual way; all are ended with the test, however it ends."""
    started = []

    def begin(*command, **options):
        settings = {"deadline": Deadline(60), "grace": 0.5, **options}
        started.append(StdioProcess(command, **settings))
        return started[-1]

    yield begin
    for process in started:
        process.close()
        assert not alive_in_group(process.pid)


def python(code):
    return sys.executable, "-c", code


def receive_until(process, wanted):
    """Return what stdout says up to and with ``wanted``."""
    got = b""
    while wanted not in got:
        chunk = process.receive(WAIT)
        assert chunk, f"{wanted!r} did not come, only {got[-200:]!r}"
        got += chunk
    return got


def alive_in_group(group):
    """Return the processes of a group that have not ended."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def test_bytes_go_there_and_back(start):
    process = start("cat")
    process.send(b"hello\r\n\xff")
    assert receive_until(process, b"\xff") == b"hello\r\n\xff"
    end = process.close()
    assert (end.step, end.exit_code, end.left_behind) == ("stdin-closed", 0, False)


def test_silence_is_none_and_the_end_is_eof(start):
    process = start("cat")
    assert process.receive(0.01) is None
    process.close()
    process = start("true")
    assert process.receive(WAIT) == EOF
    assert process.receive(WAIT) == EOF


def test_waiting_ends_with_the_deadline(start):
    process = start("cat", deadline=Deadline(0.1))
    began = time.monotonic()
    assert process.receive(60) is None
    assert time.monotonic() - began < LATE


def test_a_large_message_and_a_large_answer_do_not_block_each_other(start):
    process = start("cat", max_unread=64 * 1024)
    data = os.urandom(8 * 1024 * 1024)
    process.send(data)
    got = bytearray()
    while len(got) < len(data):
        chunk = process.receive(WAIT)
        assert chunk
        got += chunk
    assert got == data


def test_a_child_that_never_reads_blocks_nobody(start):
    process = start("sh", "-c", "echo ready; exec sleep 1000")
    receive_until(process, b"ready")
    began = time.monotonic()
    process.send(b"x" * 4_000_000)
    end = process.close()
    assert end.step == "terminated"
    assert time.monotonic() - began < LATE


def test_what_waits_to_be_read_by_the_child_is_bounded(start):
    process = start("sleep", "1000")
    for _ in range(4):
        process.send(b"x" * 16 * 1024 * 1024)
    with pytest.raises(ObservationError, match="unread") as caught:
        process.send(b"x" * 1024 * 1024)
    assert caught.value.rule == "limit-exceeded"


def test_a_child_that_floods_stdout_has_to_wait_and_memory_stays_bounded(start):
    process = start(*python("import os\nwhile True: os.write(1, b'x' * 65536)"), max_unread=256 * 1024)
    for _ in range(20):
        assert process.receive(WAIT)
    assert process._inbox._unread <= 256 * 1024 + 65536
    assert process.close().step == "terminated"


def test_output_without_a_newline_comes_all_the_same(start):
    assert receive_until(start("printf", "no newline"), b"newline") == b"no newline"


def test_a_flood_of_stderr_is_drained_and_its_end_kept(start):
    code = "import sys; [print('line', n, file=sys.stderr) for n in range(50_000)]; print('done', flush=True)"
    process = start(*python(code))
    receive_until(process, b"done")
    assert process.wait(WAIT) == 0
    tail = process.stderr_tail()
    assert tail[-1] == "line 49999"
    assert tail[0].startswith("…")
    assert tail[1] == f"line {49999 - len(tail) + 2}"
    assert sum(len(line) + 1 for line in tail) <= STDERR_TAIL + 1


def test_stderr_in_any_bytes_is_text(start):
    process = start("sh", "-c", r"printf 'one\r\n\377two\n\nthree' >&2")
    process.wait(WAIT)
    assert process.stderr_tail() == ("one", "\ufffdtwo", "", "three")


def test_a_child_that_exits_at_once(start):
    process = start("sh", "-c", "echo sorry >&2; exit 3")
    assert process.receive(WAIT) == EOF
    assert process.wait(WAIT) == 3
    end = process.close()
    assert (end.step, end.exit_code, end.stderr_tail) == ("had-exited", 3, ("sorry",))


def test_nothing_can_be_sent_to_a_child_that_has_gone(start):
    process = start("true")
    assert process.wait(WAIT) == 0
    with pytest.raises(ObservationError, match="has ended") as caught:
        process.send(b"x")
    assert (caught.value.rule, caught.value.args_by_name["kind"]) == ("unreachable", "exited")


def test_closing_again_returns_the_same_and_nothing_can_be_sent(start):
    process = start("cat")
    assert process.close() is process.close()
    with pytest.raises(ObservationError, match="has ended"):
        process.send(b"x")


def test_what_was_sent_last_still_arrives(start, tmp_path):
    process = start("sh", "-c", f"cat > {tmp_path}/got")
    process.send(b"goodbye\n")
    assert process.close().step == "stdin-closed"
    assert (tmp_path / "got").read_bytes() == b"goodbye\n"


def test_a_child_that_ignores_the_end_of_stdin_is_terminated(start):
    process = start("sh", "-c", "trap 'echo bye >&2; exit 7' TERM; echo ready; while :; do sleep 0.05; done")
    receive_until(process, b"ready")
    end = process.close()
    assert (end.step, end.exit_code, end.stderr_tail[-1]) == ("terminated", 7, "bye")


def test_a_child_that_ignores_that_too_is_killed(start):
    process = start("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done")
    receive_until(process, b"ready")
    end = process.close()
    assert (end.step, end.exit_code) == ("killed", -signal.SIGKILL)


def test_a_grandchild_goes_with_its_launcher(start):
    process = start("sh", "-c", "sleep 1000 & echo $!; wait")
    grandchild = psutil.Process(int(receive_until(process, b"\n")))
    end = process.close()
    assert (end.step, end.left_behind) == ("terminated", False)
    assert not is_alive(grandchild)


def test_a_grandchild_that_was_left_behind_is_ended_and_told(start):
    process = start("sh", "-c", "sleep 1000 & echo $!")
    grandchild = psutil.Process(int(receive_until(process, b"\n")))
    assert process.wait(WAIT) == 0
    end = process.close()
    assert (end.step, end.exit_code, end.left_behind) == ("terminated", 0, True)
    assert not is_alive(grandchild)


def test_a_stubborn_grandchild_is_killed_though_its_launcher_has_gone(start):
    stubborn = "trap '' TERM; echo $$; while :; do sleep 0.05; done"
    process = start("sh", "-c", f'sh -c "{stubborn.replace("$", chr(92) + "$")}" & exec cat')
    grandchild = psutil.Process(int(receive_until(process, b"\n")))
    end = process.close()
    assert (end.step, end.exit_code, end.left_behind) == ("killed", 0, True)
    assert not is_alive(grandchild)


def test_a_server_goes_on_after_its_launcher_and_ends_with_stdin(start):
    process = start("sh", "-c", "exec 3<&0; cat <&3 & echo started")
    receive_until(process, b"started")
    assert process.wait(WAIT) == 0
    process.send(b"still here\n")
    assert b"still here" in receive_until(process, b"here")
    assert process.close().step == "stdin-closed"


def test_past_the_deadline_the_end_is_quick(start):
    process = start(
        "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done", grace=2.0, deadline=Deadline(0.5)
    )
    receive_until(process, b"ready")
    process._deadline = Deadline(0)
    began = time.monotonic()
    assert process.close().step == "killed"
    assert time.monotonic() - began < 2.0


def test_an_error_ends_the_child(start):
    process = start("sh", "-c", "echo ready; cat")
    receive_until(process, b"ready")
    with pytest.raises(ZeroDivisionError), process:
        process.send(b"x" * (1 // 0))
    assert not alive_in_group(process.pid)


def test_an_interrupt_while_closing_kills_at_once(start, monkeypatch):
    process = start("sh", "-c", "trap '' TERM; sleep 1000 & echo ready; while :; do sleep 0.05; done")
    receive_until(process, b"ready")

    def interrupted(self, seconds):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("diagnose.transport.group.ProcessGroup.wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            process.close()
    assert process.wait(WAIT) == -signal.SIGKILL
    assert process._group.wait(WAIT)


OWNER = """
import sys
from diagnose.transport import Deadline, StdioProcess
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
def test_no_orphan_survives_its_owner(then, number):
    owner = subprocess.Popen(python(OWNER.format(then=then)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
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


def test_ctrl_c_at_the_terminal_does_not_reach_the_child(start):
    process = start("cat")
    assert os.getpgid(process.pid) == process.pid != os.getpgid(0)
    assert os.getsid(process.pid) == process.pid


def test_the_child_sees_our_environment_without_our_settings(start, monkeypatch):
    monkeypatch.setenv("DIAGNOSE_TOKEN", "hunter2")
    monkeypatch.setenv("ORCHARD", "apples")
    seen = receive_until(start("sh", "-c", "env; echo end-of-env"), b"end-of-env\n").decode()
    assert "ORCHARD=apples" in seen
    assert "hunter2" not in seen


def test_the_child_sees_the_environment_and_the_folder_that_were_named(start, tmp_path):
    process = start("/bin/sh", "-c", "pwd; echo $A-$DIAGNOSE_B.", env={"A": "1", "DIAGNOSE_B": "2"}, cwd=tmp_path)
    assert receive_until(process, b".\n").decode() == f"{tmp_path.resolve()}\n1-.\n"


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


def test_no_descriptor_and_no_thread_is_left(start):
    def cycle():
        process = start("sh", "-c", "cat; echo bye >&2")
        process.send(b"hello")
        process.receive(WAIT)
        process.close()

    cycle()
    descriptors, threads = psutil.Process().num_fds(), threading.active_count()
    for _ in range(10):
        cycle()
    assert psutil.Process().num_fds() <= descriptors
    assert threading.active_count() <= threads


def is_alive(process):
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False

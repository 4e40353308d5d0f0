"""Children that behave, hang, flood, die and leave others behind; none outlives its owner."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import psutil
import pytest

from diagnose.errors import ObservationError
from diagnose.transport.deadline import Deadline
from diagnose.transport.stdio import EOF, STDERR_TAIL

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts and signals")

WAIT = 10.0
"""Seconds for what must come; only a failure ever waits so long."""
LATE = 8.0
"""Seconds after which something was plainly not done in time."""


def python(code):
    return sys.executable, "-c", code


def test_bytes_go_there_and_back(start):
    process = start("cat")
    process.send(b"hello\r\n\xff")
    assert process.until(b"\xff") == b"hello\r\n\xff"
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
    process.until(b"ready")
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


def test_a_child_that_says_more_than_is_read_has_to_wait(start):
    size = 32 * 1024 * 1024
    process = start(
        *python(f"import os; n = 0\nwhile n < {size}: n += os.write(1, b'x' * 65536)"), max_unread=256 * 1024
    )
    assert process.wait(1.0) is None
    got = 0
    while chunk := process.receive(WAIT):
        got += len(chunk)
    assert got == size
    assert process.wait(WAIT) == 0


def test_a_child_that_floods_stdout_can_be_ended(start):
    process = start(*python("import os\nwhile True: os.write(1, b'x' * 65536)"))
    assert process.receive(WAIT)
    assert process.close().step == "terminated"


def test_a_child_may_say_much_on_its_way_out(start):
    process = start(
        *python("import sys; sys.stdin.read(); sys.stdout.write('x' * 4_000_000)"), max_unread=1, grace=10.0
    )
    assert process.close().step == "stdin-closed"


def test_output_without_a_newline_comes_all_the_same(start):
    assert start("printf", "no newline").until(b"newline") == b"no newline"


def test_a_flood_of_stderr_is_drained_and_its_end_kept(start):
    code = "import sys; [print('line', n, file=sys.stderr) for n in range(50_000)]; print('done', flush=True)"
    process = start(*python(code))
    process.until(b"done")
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
    process.until(b"ready")
    end = process.close()
    assert (end.step, end.exit_code, end.stderr_tail[-1]) == ("terminated", 7, "bye")


def test_a_child_that_ignores_that_too_is_killed(start):
    process = start("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done")
    process.until(b"ready")
    end = process.close()
    assert (end.step, end.exit_code) == ("killed", -signal.SIGKILL)


def test_a_grandchild_goes_with_its_launcher(start):
    process = start("sh", "-c", "sleep 1000 & echo $!; wait")
    grandchild = psutil.Process(int(process.until(b"\n")))
    end = process.close()
    assert (end.step, end.left_behind) == ("terminated", False)
    assert not is_alive(grandchild)


def test_a_grandchild_that_was_left_behind_is_ended_and_told(start):
    process = start("sh", "-c", "sleep 1000 & echo $!")
    grandchild = psutil.Process(int(process.until(b"\n")))
    assert process.wait(WAIT) == 0
    end = process.close()
    assert (end.step, end.exit_code, end.left_behind) == ("terminated", 0, True)
    assert not is_alive(grandchild)


def test_a_stubborn_grandchild_is_killed_though_its_launcher_has_gone(start):
    stubborn = "trap '' TERM; echo $$; while :; do sleep 0.05; done"
    process = start("sh", "-c", f'sh -c "{stubborn.replace("$", chr(92) + "$")}" & exec cat')
    grandchild = psutil.Process(int(process.until(b"\n")))
    end = process.close()
    assert (end.step, end.exit_code, end.left_behind) == ("killed", 0, True)
    assert not is_alive(grandchild)


def test_a_server_goes_on_after_its_launcher_and_ends_with_stdin(start):
    process = start("sh", "-c", "exec 3<&0; cat <&3 & echo started")
    process.until(b"started")
    assert process.wait(WAIT) == 0
    process.send(b"still here\n")
    assert b"still here" in process.until(b"here")
    assert process.close().step == "stdin-closed"


def test_past_the_deadline_the_end_is_quick(start):
    process = start(
        "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done", grace=2.0, deadline=Deadline(0.5)
    )
    process.until(b"ready")
    process._deadline = Deadline(0)
    began = time.monotonic()
    assert process.close().step == "killed"
    assert time.monotonic() - began < 2.0


def test_an_error_ends_the_child(start, alive_in_group):
    process = start("sh", "-c", "echo ready; cat")
    process.until(b"ready")
    with pytest.raises(ZeroDivisionError), process:
        process.send(b"x" * (1 // 0))
    assert not alive_in_group(process.pid)


def test_an_interrupt_while_closing_kills_at_once(start, monkeypatch):
    process = start("sh", "-c", "trap '' TERM; sleep 1000 & echo ready; while :; do sleep 0.05; done")
    process.until(b"ready")

    def interrupted(self, seconds):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("diagnose.transport.group.ProcessGroup.wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            process.close()
    assert process.wait(WAIT) == -signal.SIGKILL
    assert process._group.wait(WAIT)


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

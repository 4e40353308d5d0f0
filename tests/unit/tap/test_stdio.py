"""The stdio tap is not there: bytes, ends, codes and signals are those of the server; and it has recorded them."""

import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading

import pytest

from diagnose.evidence.recording import Recording

ECHO = (
    sys.executable,
    "-u",
    "-c",
    "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line); sys.stdout.flush()",
)

PYTHON = (sys.executable, "-u", "-c")


def rpc(number, method="tools/list", **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def test_ten_thousand_messages_are_byte_identical_and_all_recorded(tap):
    chance = random.Random(17)
    lines = [rpc(number, text="ü" * chance.randrange(400)) for number in range(10_000)]
    out, _, code = tap.run(b"".join(lines), *ECHO)
    assert code == 0
    assert hashlib.sha256(out).hexdigest() == hashlib.sha256(b"".join(lines)).hexdigest()
    recording = tap.recording()
    by = {
        side: [e.message["id"] for e in recording.events if e.sender == side and e.message]
        for side in ("client", "server")
    }
    assert by == {"client": list(range(10_000)), "server": list(range(10_000))}
    assert (recording.ended, recording.notes) == ("closed", ())


def test_bytes_that_are_no_messages_pass_as_they_are(tap):
    odd = [
        b"banner\r\n",
        b'{"a":1}{"b":2}\n',
        b"\xff\xfe\n",
        b"\xef\xbb\xbf{}\n",
        b"\n",
        b'{"jsonrpc": "2.0", "id": 1, "res',
    ]
    out, _, _ = tap.run(
        b"".join(odd), *PYTHON, "import sys,shutil; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)"
    )
    assert out == b"".join(odd)
    kinds = [event.kind for event in tap.recording().events if event.sender == "server"]
    assert kinds.count("raw") >= 4


def test_a_line_of_many_megabytes_in_both_directions_at_once_does_not_block(tap):
    data = rpc(1, text="x" * 12_000_000) * 2
    out, _, _ = tap.run(data, *ECHO)
    assert out == data


@pytest.mark.parametrize("code", [0, 3, 255])
def test_the_exit_code_is_the_servers(tap, code):
    _, _, came = tap.run(b"", *PYTHON, f"raise SystemExit({code})")
    assert came == code
    assert tap.recording().events[-2].code == code


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGSEGV"])
def test_it_ends_by_the_signal_that_ended_the_server(tap, name):
    number = getattr(signal, name)
    _, _, code = tap.run(b"", *PYTHON, f"import os; os.kill(os.getpid(), {int(number)})")
    assert code == -number


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGUSR1"])
def test_signals_reach_the_server(tap, name):
    server = (
        "import signal, sys\n"
        f"def seen(number, frame): print('got', number, flush=True); sys.exit(9)\n"
        f"signal.signal(signal.{name}, seen)\nprint('ready', flush=True)\nsys.stdin.read()"
    )
    child = tap.start(*PYTHON, server)
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(getattr(signal, name))
    assert child.stdout.readline() == f"got {int(getattr(signal, name))}\n".encode()
    assert child.wait(20) == 9


def test_what_a_server_says_after_stdin_has_ended_still_arrives(tap):
    out, err, code = tap.run(
        b"x", *PYTHON, "import sys; sys.stdin.read(); print('last'); print('words', file=sys.stderr)"
    )
    assert out == b"last\n"
    assert b"words\n" in err
    assert code == 0


def test_the_client_sees_the_end_of_stdout_while_the_server_lives(tap):
    child = tap.start(*PYTHON, "import os, sys; os.write(1, b'all'); os.close(1); sys.stdin.read(); sys.exit(4)")
    assert child.stdout.read() == b"all"
    assert child.poll() is None
    child.stdin.close()
    assert child.wait(20) == 4


def test_a_client_that_reads_no_more_is_met_by_the_server(tap):
    server = "import os\ntry:\n  while True: os.write(1, b'y' * 1000 + b'\\n')\nexcept BrokenPipeError: os._exit(5)"
    child = tap.start(*PYTHON, server)
    child.stdout.readline()
    child.stdout.close()
    assert child.wait(20) == 5


def test_a_server_that_cannot_be_started_is_said(tap):
    out, err, code = tap.run(b"", "no-such-orchard-server")
    assert (out, code) == (b"", 3)
    assert b"no-such-orchard-server cannot be started" in err


def test_without_a_file_or_a_command_it_is_wrong_usage(tap):
    child = subprocess.run([*tap.command()], env=tap.env, capture_output=True, check=False)
    assert child.returncode == 2
    tap_without = [word for word in tap.command(*ECHO) if word not in {"-o", str(tap.path)}]
    assert subprocess.run(tap_without, env=tap.env, capture_output=True, check=False).returncode == 2


def test_a_file_that_cannot_be_written_harms_nothing(tap):
    tap.path = tap.path.parent / "nowhere" / "session.jsonl"
    out, err, code = tap.run(rpc(1), *ECHO)
    assert (out, code) == (rpc(1), 0)
    assert b"cannot be written" in err
    assert b"unrecorded" in err


def full_disk():
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))


def test_a_full_disk_harms_nothing_and_leaves_whole_lines(tap):
    lines = b"".join(rpc(number) for number in range(5_000))
    child = tap.start(*ECHO, preexec_fn=full_disk)
    out, err = child.communicate(lines, timeout=60)
    assert out == lines
    assert child.returncode == 0
    assert b"cannot be written any more" in err
    recording = tap.recording()
    assert 100 < len(recording.events) < 10_000
    assert (recording.ended, recording.notes) == (None, ())


def recorder_of(child):
    import psutil

    return next(p for p in psutil.Process(child.pid).children() if "diagnose.tap" in p.cmdline())


def test_killing_the_recorder_harms_nothing(tap):
    child = tap.start(*ECHO)
    child.stdin.write(rpc(1))
    child.stdin.flush()
    assert child.stdout.readline() == rpc(1)
    recorder_of(child).kill()
    rest = b"".join(rpc(number, text="z" * 1000) for number in range(2, 2_000))
    out, err = child.communicate(rest, timeout=60)
    assert out == rest
    assert child.returncode == 0
    assert b"the recorder has ended; the session goes on, unrecorded" in err
    assert not tap.path.exists() or tap.recording().ended is None


@pytest.mark.parametrize("whole_group", [False, True])
def test_a_tap_that_is_killed_has_recorded_what_passed(tap, whole_group):
    child = tap.start(*ECHO, start_new_session=True)
    for number in range(300):
        child.stdin.write(rpc(number))
        child.stdin.flush()
        assert child.stdout.readline() == rpc(number)
    recorder = recorder_of(child)
    if whole_group:
        os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.wait(20)
    recorder.wait(20)
    recording = tap.recording()
    assert recording.ended is None
    assert [e.message["id"] for e in recording.events if e.sender == "server"][-1] >= 298


@pytest.mark.skipif(sys.platform != "linux", reason="nothing names a process safely elsewhere")
def test_a_server_that_does_not_notice_the_end_of_its_tap_is_ended(tap):
    import psutil

    deaf = "import signal, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(60)"
    child = tap.start(*PYTHON, deaf)
    assert child.stdout.readline() == b"up\n"
    server = next(p for p in psutil.Process(child.pid).children() if "diagnose.tap" not in p.cmdline())
    child.kill()
    child.wait(20)
    assert server.wait(20) is None or not server.is_running()


def test_a_recording_is_private_and_never_written_over(tap):
    tap.run(rpc(1), *ECHO)
    before = tap.path.read_bytes()
    assert tap.path.stat().st_mode & 0o777 == 0o600
    _, told, _ = tap.run(rpc(2), *ECHO)
    assert tap.path.read_bytes() == before
    assert b"session.jsonl is there already" in told
    second = tap.path.with_name("session-2.jsonl")
    assert [e.message["id"] for e in Recording.of_lines(second.read_bytes().splitlines()).events if e.message] == [2, 2]


def test_a_bare_environment_is_enough(tap):
    out, _, code = tap.run(rpc(1), *ECHO, env={})
    assert (out, code) == (rpc(1), 0)
    assert tap.recording().ended == "closed"


def test_our_settings_do_not_reach_the_server(tap):
    out, _, _ = tap.run(
        b"",
        *PYTHON,
        "import os; print(sorted(k for k in os.environ if 'DIAGNOSE' in k), os.environ['X'])",
        env={**tap.env, "X": "kept"},
    )
    assert out == b"[] kept\n"


def test_two_sides_that_talk_at_once_are_recorded_in_their_order(tap):
    child = tap.start(*ECHO)
    got = []
    reader = threading.Thread(target=lambda: got.extend(iter(child.stdout.readline, b"")))
    reader.start()
    for number in range(2_000):
        child.stdin.write(rpc(number))
        child.stdin.flush()
    child.stdin.close()
    child.wait(60)
    reader.join(20)
    assert len(got) == 2_000
    at = {}
    for event in tap.recording().events:
        if event.message:
            at[event.sender, event.message["id"]] = event.frame
    assert all(at["client", number] < at["server", number] for number in range(2_000))

"""The embedded server starts, ends with its block, and never outlives whoever started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from urllib.request import urlopen

import psutil
import pytest

from diagnose.errors import ObservationError, UsageError
from diagnose.jobs import embedded as job
from diagnose.jobs.embedded import embedded, embedded_server
from diagnose.reference import serve
from diagnose.reference.options import ServeOptions

LIMIT = 15
STARTER = """
from diagnose.jobs.embedded import embedded
with embedded() as server:
    print(server.pid, flush=True)
    input()
"""


def test_it_answers_inside_the_block_and_has_ended_after_it() -> None:
    with embedded() as server:
        assert urlopen(server.url.replace("/mcp", "/health"), timeout=LIMIT).status == 200
    assert not psutil.pid_exists(server.pid)


def test_the_caller_s_settings_do_not_reach_it(tmp_path) -> None:
    with embedded_server({**os.environ, "DIAGNOSE_TOKEN": "sk_orchard"}) as url:
        assert url.startswith("http://127.0.0.1:")
        (child,) = [c for c in psutil.Process().children() if "diagnose.reference" in c.cmdline()]
        assert "DIAGNOSE_TOKEN" not in child.environ()


def test_it_ends_when_an_exception_leaves_the_block() -> None:
    with pytest.raises(KeyboardInterrupt), embedded() as server:
        raise KeyboardInterrupt
    assert not psutil.pid_exists(server.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is of POSIX")
def test_it_ends_when_its_starter_is_killed() -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    child = psutil.Process(int(starter.stdout.readline()))
    starter.send_signal(signal.SIGKILL)
    starter.communicate(timeout=LIMIT)
    child.wait(LIMIT)


def test_a_server_that_does_not_start_is_told_in_one_sentence() -> None:
    with (
        pytest.raises(ObservationError, match=r"did not start: diagnose: there is no fault named 'x'") as caught,
        embedded(ServeOptions(fault="x")),
    ):
        pass
    assert caught.value.rule == "unreachable"


def test_a_command_that_is_no_server_is_told_too(monkeypatch) -> None:
    monkeypatch.setattr(job, "child_command", lambda: [sys.executable, "-c", "raise SystemExit('rotten')"])
    with pytest.raises(ObservationError, match="did not start: rotten"), embedded():
        pass


def test_without_the_extra_the_install_line_is_told(monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match="needs the extra 'server'") as caught, embedded():
        pass
    assert serve.INSTALL in caught.value.diagnostics()

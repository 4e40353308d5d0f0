import os
import sys

import psutil
import pytest

from diagnose.credentials.command import first_line
from diagnose.errors import UsageError

ENV = {"PATH": os.environ["PATH"], "DIAGNOSE_TOKEN": "mine", "OTHER": "x"}


def run(program, *, patience=10.0, limit=100):
    return first_line([sys.executable, "-c", program], ENV, source="the helper", limit=limit, patience=patience)


def test_the_first_line_is_taken():
    assert run("print('one'); print('two')") == b"one"
    assert run("print('no end', end='')") == b"no end"
    assert run("") == b""


def test_no_more_than_the_limit_is_kept():
    assert run("print('x' * 1_000_000)", limit=10) == b"x" * 10


def test_our_variables_are_kept_from_it_and_it_has_no_input():
    assert run("import os; print(sorted(set(os.environ) & {'DIAGNOSE_TOKEN', 'OTHER'}))") == b"['OTHER']"
    assert run("import sys; print(repr(sys.stdin.read()))") == b"''"


def test_a_failure_is_told_without_what_it_said():
    with pytest.raises(UsageError, match="the helper failed with exit code 3") as caught:
        run("import sys; print('s3cret'); print('s3cret', file=sys.stderr); sys.exit(3)")
    assert "s3cret" not in str(caught.value) + caught.value.diagnostics()


@pytest.mark.parametrize("words", [["/no/such/program"], ["a\0b"], ["/"]])
def test_what_cannot_be_started_is_told(words):
    with pytest.raises(UsageError, match="the helper cannot be started: "):
        first_line(words, ENV, source="the helper", limit=10)


FLOOD = "while True: print('x' * 10_000)"
HANG = "import time; time.sleep(100)"
ORPHAN = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)']); print('x')"


@pytest.mark.parametrize("program", [FLOOD, HANG, ORPHAN], ids=["flood", "hang", "orphan"])
def test_what_does_not_end_is_ended_with_all_that_it_started(program):
    with pytest.raises(UsageError, match="the helper did not end within 1 seconds"):
        run(program, patience=1.0)
    children = psutil.Process().children(recursive=True)
    assert not [child for child in children if child.status() != psutil.STATUS_ZOMBIE]

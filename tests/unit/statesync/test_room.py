"""The room as an integrator meets it: its example, and what it costs to import."""

from __future__ import annotations

import doctest
import subprocess
import sys

from diagnose import statesync

HEAVY = ("httpx", "pydantic", "deepdiff", "sqlite3", "typer", "rich", "asyncio", "logging", "tomllib", "subprocess")


def test_its_example_is_true():
    assert doctest.testmod(statesync) == doctest.TestResults(failed=0, attempted=8)


def test_importing_it_loads_nothing_heavy():
    program = f"import sys, diagnose.statesync; print([name for name in {HEAVY} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"

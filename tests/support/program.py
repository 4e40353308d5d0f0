"""Runs the program in-process, as a person would type it."""

import io
from dataclasses import dataclass

from diagnose.cli import run


@dataclass
class Ran:
    code: int
    out: str
    err: str


def diagnose(*args, env=None, stdin="", columns=80):
    """Run with an environment that holds nothing but what is given, and return what came of it."""
    out, err = io.StringIO(), io.StringIO()
    code = run(args, out, err, stdin=io.StringIO(stdin), env={"COLUMNS": str(columns), **(env or {})})
    return Ran(code, out.getvalue(), err.getvalue())

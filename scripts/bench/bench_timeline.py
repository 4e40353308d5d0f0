"""`diagnose timeline` on a million events: how long it takes, how much memory, and whether that grows with the length."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import events
from ratios import Figure, main, peak

EVENTS = 1_000_000
#: Of each session the first 500 and the newest thing of a kind are kept; until these shelves are full, memory grows.
_GROWTH = 1.5
#: Sessions that outlive the recording, and sessions of which there are more than the reader tells apart.
_LONG, _SHORT = EVENTS, 30


def measure() -> list[Figure]:
    """Let the program read a recording, one of a quarter of its length, and one of very many sessions."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        events.write(path, EVENTS // 4, rounds=_LONG)
        _, less = _read(path)
        events.write(path, EVENTS, rounds=_LONG)
        _, more = _read(path)
        size = events.write(path, EVENTS)
        seconds, _ = _read(path)
        events.write(path, EVENTS, rounds=_SHORT)
        _, most = _read(path)
    what = f"timeline of {EVENTS:,} events"
    return [
        Figure(what=f"{what} ({size >> 20} MB), seconds of computing", ratio=seconds, limit=60),
        Figure(what=f"{what}, peak memory / that of a quarter of it", ratio=more / less, limit=_GROWTH),
        Figure(what=f"{what} in thousands of sessions, peak memory in MB", ratio=most / (1 << 20), limit=384),
    ]


def _read(path: Path) -> tuple[float, int]:
    """Return how many seconds the whole command computed, which a busy machine changes least, and its peak memory."""
    command = [sys.executable, __file__, "child", str(path)]
    before = os.times()
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, int(run.stdout.split()[-1])


def child(path: str) -> None:
    """Run the command as a person would, with the report thrown away, and print the peak of this process's memory."""
    from diagnose.cli import run

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        code = run(["timeline", path, "--format", "html"], nowhere, sys.stderr)
    assert code in {0, 1, 3}, code
    print(peak())


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(sys.argv[2])
    else:
        raise SystemExit(main(measure))

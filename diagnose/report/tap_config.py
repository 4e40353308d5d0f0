"""The changed entry of a client's configuration, with what a person does with it."""

from __future__ import annotations

import shlex

from diagnose.evidence.harmless import harmless
from diagnose.jobs.tap_config import TapEntry


def tap_entry_text(entry: TapEntry) -> str:
    """Return the entry to paste and the steps before and after."""
    steps = []
    if entry.start:
        steps.append(f"Start the tap, and leave it running:\n\n  {shlex.join(entry.start)}")
    steps.append(
        f"In {entry.source}, change these members of the server {entry.key!r}, and leave all others as they are:\n\n"
        f"{_indented(entry.lines())}"
    )
    if entry.hides:
        steps.append("Where *** stands, keep what your file has: it looks like a secret, and is not shown.")
    steps.append(f"Have {entry.client} start the server anew, do what goes wrong, and change the entry back.")
    return harmless("\n\n".join(steps), newlines=True) + "\n"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())

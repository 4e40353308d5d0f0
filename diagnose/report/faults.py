"""The faults of the reference server: `diagnose.faults/1`, and their list in text."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diagnose.reference.faults import Fault

#: Text wider than this is hard to read, however wide the terminal is.
WIDEST = 100


def faults_document(faults: Iterable[Fault]) -> dict[str, Any]:
    """Return `diagnose.faults/1`: what each fault breaks, and in which eras and over which transports it can stand."""
    rows = [
        {"name": fault.name, "breaks": fault.breaks, "eras": list(fault.eras), "transports": list(fault.transports)}
        for fault in faults
    ]
    return {"schema": "diagnose.faults/1", "faults": rows}


def faults_json(faults: Iterable[Fault]) -> str:
    """Return that document as JSON text."""
    return json.dumps(faults_document(faults), indent=2, ensure_ascii=False)


def faults_text(faults: Iterable[Fault], width: int) -> str:
    """Return the list for a person: the name, and below it what it breaks."""
    return "\n".join(_entry(fault, min(width, WIDEST)) for fault in faults)


def _entry(fault: Fault, width: int) -> str:
    where = "" if len(fault.transports) > 1 else f"  ({fault.transports[0]} only)"
    words = textwrap.fill(fault.breaks, width, initial_indent="    ", subsequent_indent="    ")
    return f"{fault.name}{where}\n{words}"

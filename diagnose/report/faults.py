"""The faults of the reference server: `diagnose.faults/1`, and their list in text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from diagnose.report.layout import Page

if TYPE_CHECKING:
    from diagnose.reference.faults import Fault


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
    page = Page(width=width)
    return "\n".join(line for fault in faults for line in _entry(fault, page))


def _entry(fault: Fault, page: Page) -> list[str]:
    where = [] if len(fault.transports) > 1 else [f"{fault.transports[0]} only"]
    # Those of the ledger are found by another command than all others.
    where += ["statesync"] if fault.ledger else []
    told = f"  ({', '.join(where)})" if where else ""
    return [fault.name + told, *page.wrap(fault.breaks, first="    ")]

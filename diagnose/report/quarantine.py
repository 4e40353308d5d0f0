"""The results of `quarantine`: the document `diagnose.quarantine/1`, and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import harmless
from diagnose.report.document import json_document
from diagnose.report.layout import Page
from diagnose.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.evidence.redact import Redactor
    from diagnose.jobs.quarantine import QuarantineLook
    from diagnose.report.layout import Ink
    from diagnose.store.quarantine.quarantine import Standing, State

SCHEMA = "diagnose.quarantine/1"
_INKS: dict[State, Ink] = {"quarantined": "doubt", "restored": "good", "missing": "bad"}
_MEANING: dict[State, str] = {
    "planned": "",
    "quarantined": "",
    "restored": "",
    "not-moved": "the run that was to move it gave up or ended before; nothing was moved",
    "missing": "neither the backup nor what was moved is there",
}


def quarantine_json(look: QuarantineLook, redactor: Redactor) -> str:
    """Return `diagnose.quarantine/1`; `done` tells whether anything was moved."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "tool": {"name": "diagnose", "version": __version__},
        "action": look.action,
        "done": look.done,
        "moves": [_document(move, look) for move in look.moves],
    }
    return json_document(document, redactor)


def quarantine_text(look: QuarantineLook, redactor: Redactor, *, width: int, colour: bool = False) -> str:
    """Return what was done or would be done, and for each move what there is to know of it."""
    page = Page(width=width, colour=colour)
    if not look.moves:
        return "nothing was moved to quarantine"
    lines = [line for move in look.moves for line in _lines(move, look, redactor, page)]
    if look.action != "list" and not look.done:
        lines += ["", "nothing was moved; say --yes to move it"]
    return "\n".join(lines)


def _document(move: Standing, look: QuarantineLook) -> dict[str, Any]:
    entry, client = move.entry, look.client(move)
    return {
        "id": None if _is_only_a_plan(move, look) else entry.id,
        "state": move.state,
        "path": str(entry.path),
        "backup": str(entry.backup_path),
        "kind": entry.kind,
        "files": entry.files,
        "bytes": entry.bytes,
        "reason": entry.reason,
        "movedAt": None if _is_only_a_plan(move, look) else entry.at,
        "restoredAt": entry.restored_at,
        "client": None if client is None else client.id,
        "notes": list(move.notes),
    }


def _is_only_a_plan(move: Standing, look: QuarantineLook) -> bool:
    """Tell whether nothing was written down: the id and the time are those of the act."""
    return look.action == "move" and move.state == "planned"


def _lines(move: Standing, look: QuarantineLook, redactor: Redactor, page: Page) -> Iterator[str]:
    entry = move.entry
    path, backup = _plain(str(entry.path), redactor), _plain(str(entry.backup_path), redactor)
    size = f"{entry.kind}, {entry.bytes} bytes" + (f", {entry.files} entries" if entry.kind == "folder" else "")
    if look.action == "list":
        state = page.ink(f"{move.state:<11}", _INKS.get(move.state, "plain"))
        first, *rest = page.wrap(path, first=" " * 23)
        yield f"{entry.id}  {state}  {first[23:]}"
        yield from rest
        yield from page.wrap(f"{entry.at[:19].replace('T', ' ')}Z  {size}", first="          ")
        yield from page.wrap(f"reason: {_plain(entry.reason, redactor)}", first="          ")
        if move.state == "quarantined":
            yield from page.wrap(f"backup: {backup}", first="          ")
        if _MEANING[move.state]:
            yield from page.wrap(_MEANING[move.state], first="          ")
        return
    there, back = (backup, path) if look.action == "restore" else (path, backup)
    yield from page.wrap(f"{'moved' if look.done else 'would move'} {there} ({size})", rest="  ")
    yield from page.wrap(f"to {back}", first="  ", rest="  ")
    yield from (line for note in move.notes for line in page.wrap(f"note: {_plain(note, redactor)}", rest="  "))
    if look.action == "move":
        yield from _advice(move, look, page)


def _advice(move: Standing, look: QuarantineLook, page: Page) -> Iterator[str]:
    """Yield how to undo it, or what the client itself offers before a file is moved."""
    if look.done:
        yield from page.wrap(f"to undo it: diagnose quarantine restore {move.entry.id} --yes", rest="  ")
        return
    client = look.client(move)
    if client is not None:
        yield from page.wrap(
            f"{client.name} has a way of its own, to be tried first: {client.refresh[0].text}", rest="  "
        )


def _plain(text: str, redactor: Redactor) -> str:
    return harmless(redactor.text(text))

"""The results of `snapshot`: the document `diagnose.snapshots/1` and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import harmless, shorten
from diagnose.report.document import json_document
from diagnose.store.portable import SCHEMA
from diagnose.store.record import NO_PRINCIPAL, Record, record_document
from diagnose.store.snapshot import Snapshot
from diagnose.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from diagnose.evidence.redact import Redactor


def records_json(records: Iterable[Record], redactor: Redactor, **more: Any) -> str:
    """Return `diagnose.snapshots/1` without tools; `more` are the keys of the command that shows it."""
    return json_document({**_head(), **more, "snapshots": [record_document(record) for record in records]}, redactor)


def snapshot_json(snapshot: Snapshot, redactor: Redactor) -> str:
    """Return `diagnose.snapshots/1` of one snapshot, with its tools in it."""
    entry = {**record_document(snapshot.record), "tools": snapshot.entries()}
    return json_document({**_head(), "snapshots": [entry]}, redactor)


def records_text(records: Sequence[Record], redactor: Redactor, *, width: int) -> str:
    """Return a line a snapshot, oldest first, under the target and the credential that it is of."""
    if not records:
        return "no snapshots"
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.target.id, record.principal), []).append(record)
    return "\n".join(
        line for owner, members in groups.items() for line in _group_lines(owner, members, redactor, width)
    )


def snapshot_text(snapshot: Snapshot, redactor: Redactor, *, width: int) -> str:
    """Return what is known of a snapshot, a line a fact, then its tools by name, in the server's order."""
    record = snapshot.record
    rows = {
        "snapshot": record.id,
        "target": record.target.id,
        "endpoint": record.target.endpoint,
        "credential": _credential(record.principal),
        "taken": record.at,
        "source": record.source,
        "era": record.era,
        "protocol": record.protocol_version,
        "server": _server(record),
        "revision": record.revision,
        "digest": record.digest,
        "advertised": record.advertised.list,
        "ttlMs": record.ttl_ms,
        "cacheScope": record.cache_scope,
        "complete": "yes" if record.complete else "no",
        "tools": record.count,
    }
    lines = [f"{key:<10}  {_cell(value, redactor, width - 12)}" for key, value in rows.items() if value is not None]
    return "\n".join([*lines, *(f"  {_cell(_name(entry), redactor, width - 2)}" for entry in snapshot.entries())])


def pruned_text(records: Sequence[Record], redactor: Redactor, *, width: int, done: bool, of: int) -> str:
    """Return what was pruned, or what would be."""
    if not records:
        return f"nothing to remove: all {of} snapshots stay"
    head = f"{'removed' if done else 'would remove'} {len(records)} of {of} snapshots:"
    tail = [] if done else ["nothing was removed; say --yes to remove them"]
    return "\n".join([head, records_text(records, redactor, width=width), *tail])


def _head() -> dict[str, Any]:
    return {"schema": SCHEMA, "tool": {"name": "diagnose", "version": __version__}}


def _group_lines(owner: tuple[str, str], records: Iterable[Record], redactor: Redactor, width: int) -> Iterator[str]:
    target, principal = owner
    yield shorten(f"{_plain(target, redactor)}  ({_credential(principal)})", width)
    for record in records:
        tools = f"{record.count} tool{'s' if record.count != 1 else ''}"
        revision = record.revision[:8] if record.revision else "no revision"
        at = record.at[:19].replace("T", " ")
        cells = [
            record.id,
            f"{at}Z",
            f"{tools:<9}",
            revision,
            record.era or "",
            "" if record.complete else "incomplete",
        ]
        yield shorten("  " + "  ".join(cells).rstrip(), width)


def _credential(principal: str) -> str:
    return "no credential" if principal == NO_PRINCIPAL else f"credential {principal}"


def _server(record: Record) -> str | None:
    info = record.server_info or {}
    words = [str(info[key]) for key in ("name", "version") if info.get(key) is not None]
    return " ".join(words) or None


def _name(entry: Any) -> Any:
    return entry["name"] if isinstance(entry, dict) and entry.get("name") else "(an entry that is no tool)"


def _cell(value: Any, redactor: Redactor, width: int) -> str:
    return shorten(_plain(str(value), redactor), width)


def _plain(text: str, redactor: Redactor) -> str:
    return harmless(redactor.text(text))

"""`diagnose snapshot`: the past, kept to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnose.cli.app import Group
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Connect, Output, StoreOption, TargetArgument, option

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from diagnose.store.snapshots import SnapshotStore

PANEL = "Snapshots"

SnapshotId = Annotated[
    str, typer.Argument(metavar="ID", help="The snapshot's id, its first digits, or latest.", show_default=False)
]
SnapshotIds = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ID", help="Which snapshots, each as in `show`; all of them where none is named.", show_default=False
    ),
]
TargetId = Annotated[
    str | None,
    typer.Argument(
        metavar="TARGET",
        help="Only those of this server: a URL, @NAME, or the id that `list` shows.",
        show_default=False,
    ),
]
File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="What `snapshot export` wrote, or - for standard input.", show_default=False),
]


def take(
    inv: Invocation, target: TargetArgument = None, *, connect: Connect, output: Output, store: StoreOption = None
) -> int:
    """Read a server's whole tool list and store it.

    Credentials in it are taken out before.
    """
    from diagnose.cli import live
    from diagnose.jobs.snapshots import take_snapshot
    from diagnose.report.snapshots import records_json, records_text

    json = output.form == "json"
    spec = live.target(inv, target, connect)
    record = take_snapshot(spec, live.connect_options(connect, spec), live.surroundings(inv), _place(inv, store)).record
    text = records_json([record], inv.redactor) if json else records_text([record], inv.redactor, width=inv.width())
    return _emit(inv, output, text)


def list_(inv: Invocation, target: TargetId = None, *, output: Output, store: StoreOption = None) -> int:
    """Show which snapshots there are, oldest first."""
    from diagnose.report.snapshots import records_json, records_text

    json = output.form == "json"
    with _reading(inv, store) as snapshots:
        records = snapshots.list(_target_id(inv, target))
    text = records_json(records, inv.redactor) if json else records_text(records, inv.redactor, width=inv.width())
    return _emit(inv, output, text)


def show(inv: Invocation, id_: SnapshotId, *, output: Output, store: StoreOption = None) -> int:
    """Show one snapshot and its tools."""
    from diagnose.jobs.snapshots import named_snapshot
    from diagnose.report.snapshots import snapshot_json, snapshot_text

    json = output.form == "json"
    with _reading(inv, store) as snapshots:
        found = named_snapshot(snapshots, id_)
    text = snapshot_json(found, inv.redactor) if json else snapshot_text(found, inv.redactor, width=inv.width())
    return _emit(inv, output, text)


def prune(
    inv: Invocation,
    target: TargetId = None,
    *,
    keep: Annotated[
        str | None, option("--keep", panel=PANEL, metavar="N", text="Keep the newest N of each target and credential.")
    ] = None,
    older_than: Annotated[
        str | None,
        option("--older-than", panel=PANEL, metavar="AGE", text="Remove only what is older, such as 12h, 30d or 8w."),
    ] = None,
    yes: Annotated[
        bool, option("--yes", panel=PANEL, text="Remove them; without it, only what would go is shown.")
    ] = False,
    output: Output,
    store: StoreOption = None,
) -> int:
    """Remove old snapshots. Without --yes, what would go is shown.

    Definitions that no other snapshot refers to go with them.
    """
    from diagnose.cli import live
    from diagnose.jobs.snapshots import kept_number, moment_before
    from diagnose.report.snapshots import pruned_text, records_json
    from diagnose.store.snapshots import SnapshotStore

    json = output.form == "json"
    number = None if keep is None else kept_number(keep)
    before = None if older_than is None else moment_before(older_than, live.now())
    target_id = _target_id(inv, target)
    with SnapshotStore.open(_place(inv, store), write=yes) as snapshots:
        total = len(snapshots.list(target_id))
        remove = snapshots.prune if yes else snapshots.prunable
        records = remove(keep=number, before=before, target_id=target_id)
    if json:
        return _emit(inv, output, records_json(records, inv.redactor, removed=yes))
    return _emit(inv, output, pruned_text(records, inv.redactor, width=inv.width(), done=yes, of=total))


def export(
    inv: Invocation,
    ids: SnapshotIds = None,
    *,
    output: Annotated[
        str | None,
        option(
            "--output",
            "-o",
            panel=PANEL,
            metavar="FILE",
            text="Write there, whole or not at all, instead of to stdout.",
        ),
    ] = None,
    store: StoreOption = None,
) -> int:
    """Write snapshots and their definitions as one document."""
    from diagnose.jobs.snapshots import named_snapshot
    from diagnose.store.portable import write_document

    with _reading(inv, store) as snapshots:
        wanted = ids or [record.id for record in snapshots.list()]
        # By id: a snapshot that was named twice is written once.
        found = {snapshot.id: snapshot for snapshot in (named_snapshot(snapshots, name) for name in wanted)}
    inv.emit(write_document(found.values()).decode(), output=output)
    return 0


def import_(inv: Invocation, file: File, *, output: Output, store: StoreOption = None) -> int:
    """Store the snapshots of a document from `export`.

    Those that are there already are passed over; a document that was altered is refused whole.
    """
    from diagnose.jobs.operands import STDIN, read_bytes
    from diagnose.report.snapshots import records_json, records_text
    from diagnose.store.portable import MAX_BYTES, read_document
    from diagnose.store.snapshots import SnapshotStore

    json = output.form == "json"
    source = STDIN if file == "-" else file
    snapshots = read_document(read_bytes(file, stdin=inv.stdin, max_bytes=MAX_BYTES), source)
    with SnapshotStore.open(_place(inv, store)) as opened:
        added = opened.add(snapshots)
    records = [snapshot.record for snapshot in snapshots]
    if json:
        return _emit(inv, output, records_json(records, inv.redactor, added=added))
    head = f"{added} of {len(records)} snapshots are new"
    return _emit(inv, output, f"{head}\n{records_text(records, inv.redactor, width=inv.width())}")


def _emit(inv: Invocation, output: Output, text: str) -> int:
    inv.emit(text, output=output.output)
    return 0


def _place(inv: Invocation, store: str | None) -> Path:
    from diagnose.store.location import store_path

    return store_path(inv.env, store)


def _reading(inv: Invocation, store: str | None) -> SnapshotStore:
    from diagnose.store.snapshots import SnapshotStore

    return SnapshotStore.open(_place(inv, store), write=False)


def _target_id(inv: Invocation, text: str | None) -> str | None:
    """Return the id of what was typed: a URL and @NAME have one, and anything else is taken for the id itself."""
    if text is None or not (text.startswith("@") or "://" in text):
        return text
    from diagnose.jobs.config import load_config
    from diagnose.jobs.target import resolve_target

    return resolve_target(text, None, config=load_config(inv.env), env=inv.env).id


def register(root: Group) -> None:
    """Hang the commands into the program."""
    group = Group("snapshot", "Tool lists as they were, kept to compare with.")
    commands: dict[str, Callable[..., int]] = {
        "take": take,
        "list": list_,
        "show": show,
        "prune": prune,
        "export": export,
        "import": import_,
    }
    for name, function in commands.items():
        group.command(name, tail=name == "take")(function)
    root.add(group, panel="Compare")

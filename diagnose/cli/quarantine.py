"""`diagnose quarantine`: a client's cache file out of the way, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnose.cli.app import Group
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Output, option

if TYPE_CHECKING:
    from diagnose.jobs.quarantine import Mover, QuarantineLook

PANEL = "Quarantine"


def move(
    inv: Invocation,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The cache file or folder.", show_default=False)],
    *,
    reason: Annotated[str, option("--reason", panel=PANEL, metavar="TEXT", text="Why; `list` shows it.")],
    yes: Annotated[
        bool, option("--yes", panel=PANEL, text="Move it; without it, what would be done is shown.")
    ] = False,
    force: Annotated[bool, option("--force", panel=PANEL, text="Even if a running program has it open.")] = False,
    output: Output,
) -> int:
    """Move one cache file or folder of a client to a backup beside it. Without --yes, what would be done is shown.

    Configuration, credentials, homes, volumes and links are refused.
    """
    return _show(inv, _mover(inv).move(path, reason, yes=yes, force=force), output)


def list_(inv: Invocation, *, output: Output) -> int:
    """Show what was moved, where the backups are, and what became of them."""
    return _show(inv, _mover(inv).list(), output)


def restore(
    inv: Invocation,
    id_: Annotated[str, typer.Argument(metavar="ID", help="What `list` shows, or how it begins.", show_default=False)],
    *,
    yes: Annotated[
        bool, option("--yes", panel=PANEL, text="Move it; without it, what would be done is shown.")
    ] = False,
    output: Output,
) -> int:
    """Move a backup back to where it was; nothing is written over. Without --yes, what would be done is shown."""
    return _show(inv, _mover(inv).restore(id_, yes=yes), output)


def register(root: Group) -> None:
    """Hang the commands into the program."""
    group = Group("quarantine", "Cache files of clients, moved to a backup and back; nothing is deleted.")
    group.command("move")(move)
    group.command("list")(list_)
    group.command("restore")(restore)
    root.add(group, panel="Clients")


def _mover(inv: Invocation) -> Mover:
    from diagnose.cli.live import now
    from diagnose.jobs.quarantine import Mover

    return Mover(env=inv.env, now=now, redactor=inv.redactor)


def _show(inv: Invocation, look: QuarantineLook, output: Output) -> int:
    from diagnose.report.quarantine import quarantine_json, quarantine_text

    text = (
        quarantine_json(look, inv.redactor)
        if output.form == "json"
        else quarantine_text(look, inv.redactor, width=inv.width(), colour=inv.colour(output))
    )
    inv.emit(text, output=output.output)
    return 0

"""`diagnose diff`: two surfaces side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnose.cli.invocation import Invocation
from diagnose.cli.options import ReportOutput, StoreOption

if TYPE_CHECKING:
    from diagnose.cli.app import Group
    from diagnose.jobs.access import Surroundings
    from diagnose.jobs.diff import Comparison


_OPERAND = "A file, - for standard input, a URL, snapshot:ID, snapshot:latest or lock:FILE."

Older = Annotated[str, typer.Argument(metavar="A", help=_OPERAND, show_default=False)]
Newer = Annotated[
    str, typer.Argument(metavar="B", help="The same; what leads from A to B is shown.", show_default=False)
]


def diff(inv: Invocation, older: Older, newer: Newer, *, output: ReportOutput, store: StoreOption = None) -> int:
    """Compare any two tool lists: what was added, removed, renamed or changed, and what that does to a caller."""
    from diagnose.jobs.diff import compare
    from diagnose.jobs.operands import Reader
    from diagnose.store.location import store_path

    output.checked()
    one, two = Reader(
        store=lambda: store_path(inv.env, store), around=lambda: _surroundings(inv), stdin=inv.stdin
    ).pair(older, newer)
    comparison = compare(one.observation, two.observation)
    for form, file in output.more:
        inv.emit(_shown(inv, comparison, form, colour=False), output=file)
    inv.emit(_shown(inv, comparison, output.form, colour=inv.colour(output)), output=output.output)
    return comparison.exit_code


def _shown(inv: Invocation, comparison: Comparison, form: str, *, colour: bool) -> str:
    """Return the comparison in its own two forms; the others are those of a diagnosis."""
    from diagnose.report.diff import diff_json, diff_text

    if form == "json":
        return diff_json(comparison, inv.redactor)
    if form == "text":
        return diff_text(comparison, inv.redactor, width=inv.width(), colour=colour)
    from diagnose.cli.live import now
    from diagnose.jobs.diff import diagnosis_of
    from diagnose.report.formats import Look, render

    return render(diagnosis_of(comparison, now()), form, inv.redactor, Look())


def _surroundings(inv: Invocation) -> Surroundings:
    from diagnose.cli import live

    return live.surroundings(inv)


def register(root: Group) -> None:
    """Hang the command into the program."""
    root.command("diff", panel="Compare")(diff)

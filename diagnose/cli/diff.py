"""`diagnose diff`: two surfaces side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Output, StoreOption, choice

if TYPE_CHECKING:
    from diagnose.cli.app import Group
    from diagnose.jobs.connection import Surroundings

FORMATS = ("text", "json")

_OPERAND = "A file, - for standard input, a URL, snapshot:ID or snapshot:latest."

Older = Annotated[str, typer.Argument(metavar="A", help=_OPERAND, show_default=False)]
Newer = Annotated[
    str, typer.Argument(metavar="B", help="The same; what leads from A to B is shown.", show_default=False)
]


def diff(inv: Invocation, older: Older, newer: Newer, *, output: Output, store: StoreOption = None) -> int:
    """Compare any two tool lists: what was added, removed, renamed or changed, and what that does to a caller."""
    from diagnose.jobs.diff import compare
    from diagnose.jobs.operands import Reader
    from diagnose.report.diff import diff_json, diff_text
    from diagnose.store.location import store_path

    form = choice(output.format, "--format", FORMATS)
    one, two = Reader(
        store=lambda: store_path(inv.env, store), around=lambda: _surroundings(inv), stdin=inv.stdin
    ).pair(older, newer)
    comparison = compare(one.observation, two.observation)
    text = (
        diff_json(comparison, inv.redactor)
        if form == "json"
        else diff_text(comparison, inv.redactor, width=inv.width(), colour=inv.colour(output))
    )
    inv.emit(text, output=output.output)
    return comparison.exit_code


def _surroundings(inv: Invocation) -> Surroundings:
    from diagnose.cli import live

    return live.surroundings(inv)


def register(root: Group) -> None:
    """Hang the command into the program."""
    root.command("diff", panel="Compare")(diff)

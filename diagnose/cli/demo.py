"""`diagnose demo`: guided demonstrations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnose.cli import live
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Output
from diagnose.errors import DiagnoseError, UsageError

if TYPE_CHECKING:
    from diagnose.cli.app import Group

DEMONSTRATIONS = ("surface", "statesync")
NameArgument = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="The demonstration: surface (the default) or statesync.", show_default=False),
]


def demo(inv: Invocation, name: NameArgument = None, *, output: Output) -> int:
    """Show what the tool does, in a tour of some seconds: a snapshot, a change that nobody was told of, the verdict."""
    if name is not None and name not in DEMONSTRATIONS:
        raise UsageError(f"there is no demonstration {name!r}; there is {' and '.join(DEMONSTRATIONS)}")
    if output.format != "text":
        raise UsageError("a demonstration is for people: its only format is text")
    from diagnose.jobs.demo import surface_tour
    from diagnose.jobs.demo_state import state_tour
    from diagnose.report.demo import stop_text

    shown: list[str] = []
    tour = state_tour if name == "statesync" else surface_tour
    for number, stop in enumerate(tour(live.surroundings(inv)), start=1):
        text = stop_text(stop, number, inv.redactor, width=inv.width(), colour=inv.colour(output))
        if output.output is None:
            inv.emit(text if not shown else f"\n{text}")  # as it happens
        shown.append(text)
        if not stop.kept:
            due = " ".join(filter(None, stop.expected))
            raise DiagnoseError(f"the tour went astray at its stop {number}: {due} was due")
    if output.output is not None:
        inv.emit("\n".join(shown), output=output.output)
    return 0


def register(root: Group) -> None:
    """Hang the command into the program."""
    root.command("demo", panel="Try")(demo)

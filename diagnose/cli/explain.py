"""`diagnose explain`: a cause, a check, a layer or an exit code, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Output, choice

if TYPE_CHECKING:
    from diagnose.cli.app import Group

FORMATS = ("text", "json")

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help="A cause, check, layer, state, relation, impact or exit code; without one, all names are listed.",
        show_default=False,
    ),
]


def explain(inv: Invocation, name: Name = None, *, output: Output) -> int:
    """Explain a name that a report uses: what it means, what shows it, what to do."""
    from diagnose.jobs import explain as job
    from diagnose.report import explain as report

    as_json = choice(output.format, "--format", FORMATS) == "json"
    width, colour = inv.width(), inv.colour(output)
    if name is None:
        topics = job.topics()
        shown = report.topics_json(topics) if as_json else report.topics_text(topics, width=width, colour=colour)
    else:
        found = job.explain(name)
        shown = (
            report.explanation_json(found) if as_json else report.explanation_text(found, width=width, colour=colour)
        )
    inv.emit(shown, output=output.output)
    return 0


def register(root: Group) -> None:
    """Hang the command into the program."""
    root.command("explain", panel="Words")(explain)

"""`diagnose explain`: a cause, a check, a layer or an exit code, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnose.cli.invocation import Invocation
from diagnose.cli.options import OUTPUT, Output, option
from diagnose.errors import UsageError

if TYPE_CHECKING:
    from diagnose.cli.app import Group


Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help="A cause, check, layer, state, impact, exit code, or a term such as era; without one, all names are listed.",
        show_default=False,
    ),
]


def explain(
    inv: Invocation,
    name: Name = None,
    *,
    json_schema: Annotated[
        str | None,
        option("--json-schema", panel=OUTPUT, metavar="NAME", text="The JSON Schema of a document, such as diagnosis."),
    ] = None,
    output: Output,
) -> int:
    """Explain a name that a report uses: what it means, what shows it, what to do."""
    if json_schema is not None:
        from diagnose.report.schemas import schema_json

        if name is not None:
            raise UsageError("--json-schema has a name of its own: there is nothing else to explain beside it")
        inv.emit(schema_json(json_schema), output=output.output)
        return 0
    from diagnose.jobs import explain as job
    from diagnose.report import explain as report

    as_json = output.form == "json"
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

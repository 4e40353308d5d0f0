"""`diagnose timeline`: what crossed between a client and its server, and whether the client did right by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from diagnose.cli import live
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import OUTPUT, ReportOutput, option, seconds
from diagnose.errors import UsageError
from diagnose.record import record
from diagnose.report.formats import Look, offered
from diagnose.report.timeline_formats import TIMELINE_FORMATS, render_timeline

if TYPE_CHECKING:
    from diagnose.cli.app import Group
    from diagnose.judge.diagnosis import Diagnosis

PANEL = "The recording"

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="A recording, as `tap` writes it, or - for standard input; several are those of several hops.",
        show_default=False,
    ),
]


@record
class TimelineOutput(ReportOutput):
    """The same for recordings, which can be shown as a picture, too."""

    formats: ClassVar[tuple[str, ...]] = TIMELINE_FORMATS
    format: Annotated[str, option("--format", panel=OUTPUT, metavar="FORMAT", text=offered(TIMELINE_FORMATS))] = "text"


def timeline(
    inv: Invocation,
    files: Files,
    *,
    client: Annotated[
        str | None, option("--client", panel=PANEL, metavar="ID", text="The client, by its id in the playbook.")
    ] = None,
    wait: Annotated[
        str, option("--wait", panel=PANEL, metavar="SECONDS", text="For a reaction of the client (default 10).")
    ] = "10",
    follow: Annotated[
        bool,
        option(
            "--follow", panel=PANEL, text="Show what happens while the recording grows; Ctrl-C ends with the report."
        ),
    ] = False,
    until_stdin_ends: Annotated[bool, typer.Option("--until-stdin-ends", hidden=True)] = False,
    output: TimelineOutput,
) -> int:
    """Read a recorded session: what the client was sent, what it did with it, and the frames that prove it.

    Per session: which lists it was sent and when, which signals, whether a stream was open for them, each list and
    each call and whether the newest list explains it. Asks nobody.
    """
    from diagnose.jobs.recordings import read_timelines
    from diagnose.jobs.timeline import TimelineRequest, judge_timelines

    output.checked()
    if list(files).count("-") > 1:
        raise UsageError("standard input can be one of the recordings, not two")
    request = TimelineRequest(client=client, wait=seconds(wait, "--wait"))
    if follow:
        from diagnose.cli.timeline_live import follow as following

        return following(inv, files, request, output, until_stdin_ends=until_stdin_ends)
    diagnosis = judge_timelines(read_timelines(files, stdin=inv.stdin), request, now=live.now())
    show(inv, diagnosis, output)
    return diagnosis.exit_code


def show(inv: Invocation, diagnosis: Diagnosis, output: TimelineOutput) -> None:
    """Write the report in the format that was asked for, and in those that `--also` names."""
    plain = Look(width=inv.width(), unicode=inv.unicode())
    for name, file in output.more:
        inv.emit(render_timeline(diagnosis, name, inv.redactor, plain), output=file)
    look = Look(width=inv.width(), colour=inv.colour(output), unicode=inv.unicode())
    inv.emit(render_timeline(diagnosis, output.form, inv.redactor, look), output=output.output)


def register(root: Group) -> None:
    """Hang the command into the program."""
    root.command("timeline", panel="Look")(timeline)

"""`diagnose clients bench`: a real client before the reference server, measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Output, choice, option, seconds

if TYPE_CHECKING:
    from diagnose.observe.bench.runners import Era

PANEL = "The client"
TRIALS = "The trials"
ERAS: tuple[Era, ...] = ("default", "auto", "modern", "legacy")


def bench(
    inv: Invocation,
    *,
    runner: Annotated[
        str | None,
        option(
            "--runner",
            panel=PANEL,
            metavar="NAME",
            text="codex, fastmcp, mcp-python, mcp-typescript or inspector; what is behind -- is then its program.",
        ),
    ] = None,
    folder: Annotated[
        str | None,
        option(
            "--in",
            panel=PANEL,
            metavar="FOLDER",
            text="The Python environment or npm prefix that has the runner's client.",
        ),
    ] = None,
    era: Annotated[
        str,
        option(
            "--era", panel=PANEL, metavar="ERA", text="What a runner speaks: default (its own), auto, modern, legacy."
        ),
    ] = "default",
    lines: Annotated[
        bool,
        option("--lines", panel=PANEL, text="The command reads `list` and `held` on stdin and answers with names."),
    ] = False,
    client: Annotated[
        str | None, option("--client", panel=PANEL, metavar="ID", text="Which client of the playbook it is.")
    ] = None,
    client_version: Annotated[
        str | None,
        option(
            "--client-version", panel=PANEL, metavar="VERSION", text="Its version, where it does not say it itself."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        option("--only", panel=TRIALS, metavar="NAME", text="Only this measurement; may be repeated."),
    ] = None,
    start: Annotated[
        str,
        option("--timeout", panel=TRIALS, metavar="SECONDS", text="Until it has connected and listed (default 30)."),
    ] = "30",
    wait: Annotated[str, option("--wait", panel=TRIALS, metavar="SECONDS", text="For a reaction (default 10).")] = "10",
    recordings: Annotated[
        str | None,
        option("--recordings", panel=TRIALS, metavar="FOLDER", text="Keep the recording of each trial there."),
    ] = None,
    output: Output,
) -> int:
    """Put a real client before the reference server and measure what it does with pages, signals, time and sessions.

    Behind -- stands the client's command; {url} in it is the server's URL, {config} a file that names it under
    mcpServers, {home} a folder of this run. Without any of them, the URL is the last word.
    """
    from diagnose.cli import live
    from diagnose.jobs.bench import BenchRequest
    from diagnose.jobs.bench import bench as measure
    from diagnose.jobs.benching.stage import Limits
    from diagnose.report.bench import bench_json, bench_text

    form = output.form
    request = BenchRequest(
        runner=runner,
        command=inv.tail or (),
        folder=folder,
        era=choice(era, "--era", ERAS),
        lines=lines,
        client=client,
        version=client_version,
        only=tuple(only or ()),
        limits=Limits(start=seconds(start, "--timeout"), reaction=seconds(wait, "--wait")),
        recordings=recordings,
    )
    found = measure(request, live.surroundings(inv))
    text = (
        bench_json(found, inv.redactor)
        if form == "json"
        else bench_text(found, inv.redactor, width=inv.width(), colour=inv.colour(output))
    )
    inv.emit(text, output=output.output)
    return found.exit_code

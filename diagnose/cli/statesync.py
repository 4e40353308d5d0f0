"""`diagnose statesync`: what a server says of its state, held to what it does."""

from __future__ import annotations

from typing import Annotated

import typer

from diagnose.cli.app import Group
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Connect, Output, ReportOutput, SecondAuth, TargetArgument, option
from diagnose.errors import UsageError

PANEL = "State sync"

RecordingFile = Annotated[
    str, typer.Argument(metavar="FILE", help="A recording, as `tap` writes it.", show_default=False)
]
PolicyOption = Annotated[
    str | None,
    option("--policy", panel=PANEL, metavar="FILE", text="The author's policy (TOML), which is then held to as well."),
]


def check(
    inv: Invocation,
    target: TargetArgument = None,
    *,
    recording: Annotated[
        str | None, option("--recording", panel=PANEL, metavar="FILE", text="Judge this recording, and ask nobody.")
    ] = None,
    policy: PolicyOption = None,
    call: Annotated[
        list[str] | None,
        option(
            "--call",
            panel=PANEL,
            metavar="NAME=JSON",
            text="Call this tool with these arguments; may be repeated. Reads are made again after each change.",
        ),
    ] = None,
    allow_mutations: Annotated[
        bool,
        option("--allow-mutations", panel=PANEL, text="Make the named calls that may change something, too."),
    ] = False,
    connect: Connect,
    output: ReportOutput,
) -> int:
    """Hold directives, invalidations, updates, cache hints and the manifest of a server to what it does.

    Without --call, only tools are called that say that they only read and need no arguments. Without --policy, what
    crossed is held to itself alone.
    """
    from diagnose.cli import live
    from diagnose.jobs import statesync as job

    output.checked()
    declared = job.read_policy(policy, stdin=inv.stdin)
    if recording is not None:
        if target is not None or inv.tail is not None or call:
            raise UsageError("--recording judges what was recorded, and asks no server")
        diagnosis = job.check_recording(recording, declared, now=live.now()).diagnosis
    else:
        calls = tuple(job.parse_call(text) for text in call or ())
        spec = live.target(inv, target, connect)
        request = job.StateRequest(
            spec=spec,
            options=live.connect_options(connect, spec),
            calls=calls,
            allow_mutations=allow_mutations,
        )
        diagnosis = job.check_server(request, declared, live.surroundings(inv)).diagnosis
    live.report(inv, diagnosis, output)
    return diagnosis.exit_code


def trust(inv: Invocation, recording: RecordingFile, *, policy: PolicyOption = None, output: Output) -> int:
    """Show for each answer of a recorded session whether it may still be gone by, and what told that it went stale."""
    from diagnose.cli import live
    from diagnose.jobs import statesync as job
    from diagnose.report.trust import trust_json, trust_text

    form = output.form
    look = job.check_recording(recording, job.read_policy(policy, stdin=inv.stdin), now=live.now())
    text = (
        trust_json(look, inv.redactor)
        if form == "json"
        else trust_text(look, inv.redactor, width=inv.width(), colour=inv.colour(output))
    )
    inv.emit(text, output=output.output)
    return look.diagnosis.exit_code


def manifest(
    inv: Invocation,
    target: TargetArgument = None,
    *,
    lock: Annotated[
        str | None,
        option(
            "--lock",
            panel=PANEL,
            metavar="FILE",
            text="A lock file to hold against both: mcpfusion.lock, vurb.lock, or one of `lock write`.",
        ),
    ] = None,
    connect: Connect,
    second_auth: SecondAuth = None,
    output: ReportOutput,
) -> int:
    """Read the manifest of a server, and hold it to what the same caller is listed, to a second caller, to a lock file.

    What stands only in the manifest is a leak; a filter by caller that filters nothing is none.
    """
    from diagnose.cli import live
    from diagnose.jobs import statesync as job

    output.checked()
    locked = job.read_any_lock(lock, stdin=inv.stdin)
    spec = live.target(inv, target, connect)
    request = job.ManifestRequest(
        spec=spec, options=live.connect_options(connect, spec), second_auth=second_auth, lock=locked
    )
    diagnosis = job.check_manifest(request, live.surroundings(inv))
    live.report(inv, diagnosis, output)
    return diagnosis.exit_code


def register(root: Group) -> None:
    """Hang the commands into the program."""
    group = Group("statesync", "Whether an agent may trust what it read, and what told it that it went stale.")
    group.command("check", tail=True)(check)
    group.command("trust")(trust)
    group.command("manifest", tail=True)(manifest)
    root.add(group, panel="Look")

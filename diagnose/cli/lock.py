"""`diagnose lock`: the surface that a team has agreed on, in a file beside the code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from diagnose.cli.app import Group
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import OUTPUT, Connect, ReportOutput, TargetArgument, choice, option
from diagnose.errors import InputError
from diagnose.surface import IMPACTS

if TYPE_CHECKING:
    from diagnose.surface import Surface

PANEL = "The lock file"
_WHERE = "default: the target's in the configuration, else tool-surface.lock.json"


def write(
    inv: Invocation,
    target: TargetArgument = None,
    *,
    connect: Connect,
    output: Annotated[
        str | None,
        option("--output", "-o", panel=PANEL, metavar="FILE", text=f"Write there, or with - to stdout ({_WHERE})."),
    ] = None,
    verbose: Annotated[
        int, option("--verbose", "-v", panel=OUTPUT, count=True, text="Say on stderr what is asked; -vv: with headers.")
    ] = 0,
    quiet: Annotated[bool, option("--quiet", "-q", panel=OUTPUT, text="No notes on stderr.")] = False,
) -> int:
    """Agree on what a server lists now: write its definitions to the lock file, in a form to review and to commit.

    What that accepts is said on stderr.
    """
    from diagnose.cli import live
    from diagnose.jobs.lock import lock_path, locked

    del verbose, quiet  # the invocation has taken them
    spec = live.target(inv, target, connect)
    path = lock_path(output, spec)
    text, surface = locked(spec, live.connect_options(connect, spec), live.surroundings(inv))
    accepted = None if path == "-" else _accepted(path, surface)
    inv.emit(text, output=path)
    if accepted is not None:
        inv.note(accepted)
    return 0


def check(
    inv: Invocation,
    target: TargetArgument = None,
    *,
    connect: Connect,
    lock: Annotated[
        str | None, option("--lock", panel=PANEL, metavar="FILE", text=f"The lock file ({_WHERE}).")
    ] = None,
    fail_on: Annotated[
        str,
        option(
            "--fail-on",
            panel=PANEL,
            metavar="IMPACT",
            text=f"The least impact of a change that fails: {', '.join(IMPACTS[:-1])} or {IMPACTS[-1]}; default breaking.",
        ),
    ] = "breaking",
    output: ReportOutput,
) -> int:
    """Hold what a server lists now against the lock file, each change by its impact on a caller.

    `lock write` accepts what changed.
    """
    from diagnose.cli import live
    from diagnose.jobs import lock as job

    output.checked()
    least = choice(fail_on, "--fail-on", IMPACTS)
    spec = live.target(inv, target, connect)
    options, path = live.connect_options(connect, spec), job.lock_path(lock, spec)
    diagnosis = job.check(spec, options, live.surroundings(inv), path=path, fail_on=least)
    live.report(inv, diagnosis, output)
    return diagnosis.exit_code


def _accepted(path: str, surface: Surface) -> str | None:
    """Return in words what a new lock file accepts against the one that it replaces; None where there was none."""
    from diagnose.jobs.lock import changes_since
    from diagnose.report.changes import summary
    from diagnose.surface import worst

    try:
        changes = changes_since(path, surface)
    except InputError as error:
        return f"the lock file that was there could not be read, and is replaced: {error}"
    if changes is None:
        return None
    if not changes:
        return "nothing changed since the lock file that was there"
    return f"accepted: {summary(changes)} (worst impact {worst([change.impact for change in changes])})"


def register(root: Group) -> None:
    """Hang the commands into the program."""
    group = Group("lock", "The tool list that a team has agreed on, in a file beside the code.")
    group.command("write", tail=True)(write)
    group.command("check", tail=True)(check)
    root.add(group, panel="Compare")

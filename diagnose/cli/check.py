"""`diagnose check`: a server held to everything that it promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from diagnose.cli import live
from diagnose.cli.options import Connect, ReportOutput, SecondAuth, TargetArgument, choice, option, seconds

if TYPE_CHECKING:
    from diagnose.cli.app import Group
    from diagnose.judge.diagnosis import FailOn

from diagnose.cli.invocation import Invocation

PANEL = "The checks"
FAIL_ON: tuple[FailOn, ...] = ("error", "warning", "never")


def check(
    inv: Invocation,
    target: TargetArgument = None,
    *,
    select: Annotated[
        list[str] | None,
        option("--select", panel=PANEL, metavar="NAMES", text="Run only these checks, or families; with commas."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        option("--ignore", panel=PANEL, metavar="NAMES", text="Do not show these, and say how much is not shown."),
    ] = None,
    fail_on: Annotated[
        str,
        option(
            "--fail-on",
            panel=PANEL,
            metavar="SEVERITY",
            text="The least severity that fails: error, warning or never; default error.",
        ),
    ] = "error",
    trigger: Annotated[
        str | None,
        option(
            "--trigger",
            panel=PANEL,
            metavar="CMD",
            text="A command that changes the tool list, anew each time; it is run without a shell, up to three times.",
        ),
    ] = None,
    wait: Annotated[
        str, option("--wait", panel=PANEL, metavar="SECONDS", text="For a reaction of the server (default 10).")
    ] = "10",
    expect_version: Annotated[
        str | None,
        option("--expect-version", panel=PANEL, metavar="VERSION", text="The version that should be running."),
    ] = None,
    expect_build: Annotated[
        str | None, option("--expect-build", panel=PANEL, metavar="SHA", text="The commit that should be running.")
    ] = None,
    connect: Connect,
    second_auth: SecondAuth = None,
    output: ReportOutput,
) -> int:
    """Hold a server to everything that it promises of its tool list: hints, signals, paging, both eras of the protocol.

    A check that lacked what it needs is reported as not verified; a run in which nothing was verified exits 3.
    """
    from diagnose.jobs import check as job
    from diagnose.judge.contract import Selection

    output.checked()
    least = choice(fail_on, "--fail-on", FAIL_ON)
    selection = Selection.of(_names(select), _names(ignore), least)
    spec = live.target(inv, target, connect)
    request = job.CheckRequest(
        spec=spec,
        options=live.connect_options(connect, spec),
        selection=selection,
        expected=live.expected_build(expect_version, expect_build),
        trigger=trigger,
        second_auth=second_auth,
        wait=seconds(wait, "--wait"),
    )
    diagnosis = job.check(request, live.surroundings(inv))
    live.report(inv, diagnosis, output)
    return diagnosis.exit_code


def _names(values: list[str] | None) -> list[str]:
    return [name.strip() for value in values or () for name in value.split(",") if name.strip()]


def register(root: Group) -> None:
    """Hang the command into the program."""
    root.command("check", panel="Look", tail=True)(check)

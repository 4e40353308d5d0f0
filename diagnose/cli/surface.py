"""`diagnose surface`: the main job."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from diagnose.cli import live
from diagnose.cli.besides import Besides
from diagnose.cli.options import Connect, ReportOutput, StoreOption, TargetArgument, option

if TYPE_CHECKING:
    from diagnose.cli.app import Group
    from diagnose.jobs.baseline import Baseline
    from diagnose.jobs.surface import Round
    from diagnose.judge.diagnosis import Diagnosis

from diagnose.cli.invocation import Invocation

PANEL = "The surface"


def surface(
    inv: Invocation,
    target: TargetArgument = None,
    *,
    connect: Connect,
    besides: Besides,
    output: ReportOutput,
    store: StoreOption = None,
    baseline: Annotated[
        str | None,
        option(
            "--baseline",
            panel=PANEL,
            metavar="OPERAND",
            text="Compare with this instead of the newest snapshot (any operand of diff, or none).",
        ),
    ] = None,
    save: Annotated[bool, option("--save", panel=PANEL, text="Store what was read as a snapshot.")] = False,
    expect_version: Annotated[
        str | None,
        option("--expect-version", panel=PANEL, metavar="VERSION", text="The version that should be running."),
    ] = None,
    expect_build: Annotated[
        str | None, option("--expect-build", panel=PANEL, metavar="SHA", text="The commit that should be running.")
    ] = None,
) -> int:
    """Fetch health, version, manifest and the whole tool list; recompute, compare with the past, and give a verdict."""
    from diagnose.jobs.baseline import Baseline
    from diagnose.jobs.surface import SurfaceRequest, observe_surface
    from diagnose.judge import diagnose
    from diagnose.judge.checks import suited

    output.checked()
    spec = live.target(inv, target, connect)
    around = live.surroundings(inv)
    options = live.connect_options(connect, spec)
    past = Baseline(store=store, operand=baseline, around=around)
    request = SurfaceRequest(
        spec=spec, options=options, expected=live.expected_build(expect_version, expect_build), baseline=past.find
    )
    seen = observe_surface(request, around)
    bundle = besides.added(seen.bundle, options, around, connect.from_client)
    diagnosis = diagnose(bundle, checks=suited(tried=False, wire=False, viewed=bundle is not seen.bundle))
    if save and _save(inv, past, seen):
        diagnosis = _without_saving(diagnosis)
    live.report(inv, diagnosis, output)
    return diagnosis.exit_code


def _save(inv: Invocation, past: "Baseline", seen: "Round") -> bool:
    """Store what was read, and return whether there was something to store."""
    if seen.bundle.origin is None or seen.bundle.origin.surface is None:
        inv.warn("diagnose: nothing was stored: the list was not read to its end")
        return False
    inv.note(f"stored as snapshot {past.save(seen)}")
    return True


def _without_saving(diagnosis: "Diagnosis") -> "Diagnosis":
    """Return the diagnosis without the steps that tell to store what has just been stored."""
    from diagnose.judge.advice import commands

    save = commands(diagnosis.target)["save"]
    steps = tuple(step for step in diagnosis.verdict.next if save not in step)
    return replace(diagnosis, verdict=replace(diagnosis.verdict, next=steps))


def register(root: "Group") -> None:
    """Hang the command into the program."""
    root.command("surface", panel="Look", tail=True)(surface)

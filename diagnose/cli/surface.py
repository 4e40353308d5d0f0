"""`diagnose surface`: the main job."""

from typing import TYPE_CHECKING, Annotated

from diagnose.cli import live
from diagnose.cli.besides import Besides
from diagnose.cli.options import Connect, ReportOutput, StoreOption, TargetArgument, option

if TYPE_CHECKING:
    from diagnose.cli.app import Group
    from diagnose.jobs.baseline import Baseline
    from diagnose.jobs.surface import Round

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
    if save:
        _save(inv, past, seen)
    live.report(inv, diagnosis, output)
    return diagnosis.exit_code


def _save(inv: Invocation, past: "Baseline", seen: "Round") -> None:
    if seen.bundle.origin is None or seen.bundle.origin.surface is None:
        inv.warn("diagnose: nothing was stored: the list was not read to its end")
    else:
        inv.note(f"stored as snapshot {past.save(seen)}")


def register(root: "Group") -> None:
    """Hang the command into the program."""
    root.command("surface", panel="Look", tail=True)(surface)

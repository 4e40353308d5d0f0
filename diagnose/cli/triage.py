"""`diagnose triage`: the whole ladder, from a bundle, live, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnose.cli import live
from diagnose.cli.besides import Besides
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Connect, ReportOutput, StoreOption, option, seconds
from diagnose.errors import UsageError

if TYPE_CHECKING:
    from diagnose.cli.app import Group
    from diagnose.jobs.surface import SurfaceRequest

PANEL = "The ladder"


def triage(
    inv: Invocation,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="BUNDLE|TARGET",
            help="A bundle (an existing file or folder), or a server as in `surface`; a bundle connects to nobody.",
            show_default=False,
        ),
    ] = None,
    *,
    bundle: Annotated[
        str | None,
        option("--bundle", panel=PANEL, metavar="FILE", text="A bundle, where TARGET is asked as well."),
    ] = None,
    besides: Besides,
    wait: Annotated[
        str, option("--wait", panel=PANEL, metavar="SECONDS", text="For a reaction of the client (default 10).")
    ] = "10",
    connect: Connect,
    output: ReportOutput,
    store: StoreOption = None,
    expect_version: Annotated[
        str | None,
        option("--expect-version", panel=PANEL, metavar="VERSION", text="The version that should be running."),
    ] = None,
    expect_build: Annotated[
        str | None, option("--expect-build", panel=PANEL, metavar="SHA", text="The commit that should be running.")
    ] = None,
) -> int:
    """Find the first layer that holds another tool list than the one before it, and why: server, gateway, client, model.

    Reads a bundle, asks a server, or both; recordings, registries and requests of a model are named beside it.
    """
    from diagnose.jobs.triage import TriageRequest, gather, is_bundle
    from diagnose.judge import diagnose

    output.checked()
    around = live.surroundings(inv)

    def server() -> SurfaceRequest:
        from diagnose.jobs.baseline import Baseline
        from diagnose.jobs.surface import SurfaceRequest

        spec = live.target(inv, target, connect)
        past = Baseline(store=store, operand=None, around=around)
        expected = live.expected_build(expect_version, expect_build)
        return SurfaceRequest(
            spec=spec, options=live.connect_options(connect, spec), expected=expected, baseline=past.find
        )

    kept = target if is_bundle(target) and inv.tail is None else None
    if kept is not None and bundle is not None:
        raise UsageError("there are two bundles: the operand and --bundle; name one of them")
    named = kept or bundle
    beside = besides.beside(connect.from_client)
    typed = target is not None or inv.tail is not None or connect.from_client is not None
    enough = named is not None or (beside.has_files and not _names_a_target(inv, connect))
    asked = kept is None and (typed or not enough)
    if besides.path is not None and not asked:
        raise UsageError("--path is asked beside a TARGET, and a bundle alone connects to nobody")
    request = TriageRequest(
        bundle=named,
        live=server if asked else None,
        beside=beside,
        wait=seconds(wait, "--wait"),
        here=besides.is_here(connect.from_client),
    )
    diagnosis = diagnose(gather(request, around))
    live.report(inv, diagnosis, output)
    return diagnosis.exit_code


def _names_a_target(inv: Invocation, connect: Connect) -> bool:
    """Tell whether the environment or the configuration names a server: then it is asked beside the files."""
    from diagnose.jobs.config import load_config

    return bool(inv.env.get("DIAGNOSE_SERVER")) or load_config(inv.env, connect.config).default is not None


def register(root: Group) -> None:
    """Hang the command into the program."""
    root.command("triage", panel="Look", tail=True)(triage)

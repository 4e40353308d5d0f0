"""`diagnose health`, `version`, `manifest` and `revision`: one step of the main job each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diagnose.cli import live
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Connect, Output, TargetArgument

if TYPE_CHECKING:
    from diagnose.cli.app import Group

NOT_OBSERVED = 3
CREDENTIAL_REFUSED = 4

RevisionOperand = Annotated[
    str | None,
    typer.Argument(
        metavar="TARGET|FILE|-",
        help="A server, a file with a tool list, or - for standard input.",
        show_default=False,
    ),
]


def health(inv: Invocation, target: TargetArgument = None, *, connect: Connect, output: Output) -> int:
    """Fetch the health endpoint and show what it says: ok, degraded, unreachable or absent."""
    from diagnose.jobs.steps import look_at_build
    from diagnose.report.steps import health_document

    spec = live.target(inv, target, connect)
    step = look_at_build(spec, live.connect_options(connect, spec), live.surroundings(inv), handshake=False)
    show(inv, health_document(step), output)
    if step.refused:
        return CREDENTIAL_REFUSED
    return {"ok": 0, "degraded": 1}.get(step.observed.health or "" if step.observed else "", NOT_OBSERVED)


def version(inv: Invocation, target: TargetArgument = None, *, connect: Connect, output: Output) -> int:
    """Fetch the running version and build, as the health and version endpoints or the handshake tell them."""
    from diagnose.jobs.steps import look_at_build
    from diagnose.report.steps import version_document

    spec = live.target(inv, target, connect)
    step = look_at_build(spec, live.connect_options(connect, spec), live.surroundings(inv), handshake=True)
    show(inv, version_document(step), output)
    told = step.observed is not None and (step.observed.version or step.observed.build)
    return CREDENTIAL_REFUSED if step.refused else 0 if told else NOT_OBSERVED


def manifest(inv: Invocation, target: TargetArgument = None, *, connect: Connect, output: Output) -> int:
    """Fetch the authoritative manifest (GET /tools) and show it with its revision and digest."""
    from diagnose.jobs.steps import look_at_manifest
    from diagnose.report.steps import manifest_document

    spec = live.target(inv, target, connect)
    step = look_at_manifest(spec, live.connect_options(connect, spec), live.surroundings(inv))
    show(inv, manifest_document(step), output)
    failure = step.observation.failure
    if failure is not None:
        inv.warn(f"diagnose: {failure.message}")
    return 0 if failure is None else 1


def revision(inv: Invocation, target: RevisionOperand = None, *, connect: Connect, output: Output) -> int:
    """Recompute the tool-schema revision and the digest of a live list, a file or standard input."""
    from diagnose.jobs.steps import is_file_operand, look_at_revision
    from diagnose.report.steps import live_revision_document, revision_document

    if target is not None and inv.tail is None and is_file_operand(target):
        from diagnose.jobs.operands import read_surface

        show(inv, revision_document(read_surface(target, stdin=inv.stdin), source=target), output)
        return 0
    spec = live.target(inv, target, connect)
    step = look_at_revision(spec, live.connect_options(connect, spec), live.surroundings(inv))
    show(inv, live_revision_document(step), output)
    return 0


def show(inv: Invocation, document: Mapping[str, Any], output: Output) -> None:
    """Write one of the step documents in the format that was asked for."""
    from diagnose.report.steps import as_json, as_text

    if output.form == "json":
        text = as_json(document, inv.redactor)
    else:
        text = as_text(document, inv.redactor, width=inv.width())
    inv.emit(text, output=output.output)


def register(root: Group) -> None:
    """Hang the commands into the program."""
    for command in (health, version, manifest, revision):
        root.command(command.__name__, panel="Look", tail=command in (version, revision))(command)

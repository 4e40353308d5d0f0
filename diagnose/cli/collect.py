"""`diagnose collect`: the evidence of `triage` as a redacted bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from diagnose.cli import live
from diagnose.cli.besides import Besides
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import OUTPUT, Connect, TargetArgument, option
from diagnose.errors import UsageError

if TYPE_CHECKING:
    from diagnose.cli.app import Group
    from diagnose.jobs.surface import SurfaceRequest


def collect(
    inv: Invocation,
    target: TargetArgument = None,
    *,
    besides: Besides,
    connect: Connect,
    output: Annotated[
        str | None,
        option("--output", "-o", panel=OUTPUT, metavar="FILE", text="The zip to write, such as case.zip."),
    ] = None,
    verbose: Annotated[
        int, option("--verbose", "-v", panel=OUTPUT, count=True, text="Say on stderr what is asked; -vv: with headers.")
    ] = 0,
    quiet: Annotated[bool, option("--quiet", "-q", panel=OUTPUT, text="No notes on stderr.")] = False,
) -> int:
    """Gather what `triage` looks at into one file for somebody else: the server's lists, recordings, what a client shows.

    Credentials are taken out before anything is written, and what the file holds is said. Without TARGET, nobody is asked
    and only the files that are named go in.
    """
    from diagnose.jobs.collect import collect as gathered
    from diagnose.jobs.triage import TriageRequest
    from diagnose.store.bundles import write_bundle

    del verbose, quiet
    if output is None:
        raise UsageError("collect takes -o FILE, the zip to write", advice="For example: -o case.zip")
    around = live.surroundings(inv)

    def server() -> SurfaceRequest:
        from diagnose.jobs.surface import SurfaceRequest

        spec = live.target(inv, target, connect)
        return SurfaceRequest(
            spec=spec, options=live.connect_options(connect, spec), baseline=lambda *_: "a bundle holds no snapshot"
        )

    beside = besides.beside(connect.from_client)
    named = target is not None or inv.tail is not None or connect.from_client is not None
    files = beside.has_files
    request = TriageRequest(
        live=server if named or not files else None,
        beside=beside,
        wait=10.0,
        here=besides.is_here(connect.from_client),
    )
    collected = gathered(request, around, _key(inv))
    for line in collected.contents:
        inv.note(f"  {line}")
    write_bundle(output, collected.files)
    inv.emit(f"wrote {output} ({len(collected.contents)} files): diagnose triage {output}")
    return 0


def _key(inv: Invocation) -> bytes:
    """Return the key of this machine's fingerprints, so that two recordings of it can be laid side by side."""
    from diagnose.credentials.datafolder import data_folder
    from diagnose.credentials.fingerprint import machine_key

    return machine_key(data_folder(inv.env))


def register(root: Group) -> None:
    """Hang the command into the program."""
    root.command("collect", panel="Look", tail=True)(collect)

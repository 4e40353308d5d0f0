"""What every command does that asks a live server: options to values, the target, the surroundings."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Connect, choice, seconds
from diagnose.errors import UsageError
from diagnose.evidence.observation import Build
from diagnose.jobs.access import ConnectOptions, Surroundings
from diagnose.jobs.target import TargetSpec

if TYPE_CHECKING:
    from diagnose.cli.options import ReportOutput
    from diagnose.judge.diagnosis import Diagnosis

_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")
ERAS: tuple[Literal["auto", "modern", "legacy"], ...] = ("auto", "modern", "legacy")


def now() -> str:
    """Return the wall clock as all our documents write it: UTC, milliseconds, `Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def surroundings(inv: Invocation) -> Surroundings:
    """Return what a job may use of this run."""
    return Surroundings(
        env=inv.env,
        redactor=inv.redactor,
        note=inv.note,
        now=now,
        log=inv.log if inv.verbosity else None,
        log_headers=inv.verbosity > 1,
    )


def target(inv: Invocation, operand: str | None, connect: Connect) -> TargetSpec:
    """Return the server that is meant, and say loudly where nobody named one. Raises `UsageError`."""
    from diagnose.jobs.config import load_config
    from diagnose.jobs.target import resolve_target

    if connect.from_client is not None:
        return _configured(inv, operand, connect.from_client)
    config = load_config(inv.env, connect.config)
    spec = resolve_target(operand, inv.tail, config=config, env=inv.env, require=connect.require_target)
    if spec.fallback:
        inv.warn(
            "diagnose: no target was named, so the embedded reference server (demo) is asked; name a URL to ask yours"
        )
    return spec


def _configured(inv: Invocation, operand: str | None, text: str) -> TargetSpec:
    """Return the server of a client's configuration. Raises `UsageError`."""
    from diagnose.jobs.clients import place_of
    from diagnose.jobs.from_client import from_client

    if operand is not None or inv.tail is not None:
        raise UsageError("there are two targets: one that was named, and one of --from-client; name one of them")
    found = from_client(text, place_of(inv.env), inv.env, inv.redactor)
    for note in found.notes:
        inv.note(f"diagnose: {note}")
    return found.spec


def connect_options(connect: Connect, spec: TargetSpec) -> ConnectOptions:
    """Return the options as values; the configured era of a named target stands where none was typed."""
    era = choice(connect.era, "--era", ERAS)
    if era == "auto" and spec.named is not None and spec.named.era is not None:
        era = choice(spec.named.era, f"era of {spec.named.name}", ERAS)
    return ConnectOptions(
        base_url=connect.base_url,
        health=connect.health or "/health",
        version_path=connect.version_path or "/version",
        manifest=connect.manifest,
        era=era,
        timeout=seconds(connect.timeout, "--timeout"),
        deadline=seconds(connect.deadline, "--deadline"),
        headers=tuple(connect.header or ()),
        auth=connect.auth,
        base_auth=connect.base_auth,
        plain_http=tuple(connect.allow_plain_http or ()),
        http2=connect.http2,
    )


def expected_build(version: str | None, build: str | None) -> Build | None:
    """Return the build that `--expect-version` and `--expect-build` name; None where neither was given.

    Raises `UsageError` for a build that is no commit id: nothing that a server tells could ever be held to it.
    """
    if build is not None and not _COMMIT.fullmatch(build):
        raise UsageError(f"--expect-build takes a commit id of 7 to 64 hexadecimal digits, not {build!r}")
    if version is not None and not version.strip():
        raise UsageError("--expect-version takes a version, and this one is empty")
    return None if version is None and build is None else Build(source="--expect", version=version, build=build)


def report(inv: Invocation, diagnosis: Diagnosis, output: ReportOutput) -> None:
    """Write a diagnosis in the format that was asked for, and in those that `--also` names.

    Raises `DiagnoseError` where a file cannot be written.
    """
    from diagnose.report.formats import Look, render

    width = inv.width()
    for name, file in output.more:
        inv.emit(render(diagnosis, name, inv.redactor, Look(width=width)), output=file)
    look = Look(width=width, colour=inv.colour(output))
    inv.emit(render(diagnosis, output.form, inv.redactor, look), output=output.output)

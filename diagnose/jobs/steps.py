"""The single steps of the main job: health, version, manifest, revision; each asks one thing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from diagnose.errors import CredentialRefusedError, ObservationError, UsageError
from diagnose.evidence.bundle import Target
from diagnose.evidence.observation import Build, Failure, Observation
from diagnose.jobs.access import ConnectOptions, Surroundings
from diagnose.jobs.connection import Connection, connect
from diagnose.jobs.target import TargetSpec
from diagnose.observe.deployed import DeployedObserver, Endpoints
from diagnose.observe.manifest import observe_manifest

_CREDENTIAL = "Give a credential that is accepted there with --auth, or with --base-auth for a --base-url elsewhere."


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildStep:
    """What health and version endpoints said; ``observed`` is None where none said anything."""

    target: Target
    at: str
    observed: Build | None
    samples: tuple[Build, ...]
    service: str | None
    notes: tuple[str, ...]
    refused: bool = False
    """Whether the health endpoint refused us for our credential."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListStep:
    """One list of tools and where it came from."""

    target: Target
    at: str
    observation: Observation


def look_at_build(spec: TargetSpec, options: ConnectOptions, around: Surroundings, *, handshake: bool) -> BuildStep:
    """Ask the health and version endpoints; with `handshake`, and where they do not tell a version, serverInfo too.

    Raises `UsageError` for a stdio server without `--base-url` where no handshake is wanted: it has no such endpoints.
    """
    with connect(spec, options, around) as connection:
        observer = _observer(connection, around)
        if observer is None and not handshake:
            raise UsageError("a stdio server has no health endpoint", advice="Name where it lives with --base-url.")
        if observer is not None:
            observer.before()
        told = observer is not None and any(sample.version for sample in observer.samples)
        server_info = None
        if handshake and not told:
            with connection.open_session() as session:
                server_info = session.server_info
        if observer is None:
            observer = DeployedObserver(http=connection.http, endpoints=Endpoints(base_url=""), now=around.now)
        seen = observer.deployment(server_info, None)
        return BuildStep(
            target=_target(connection, around),
            at=around.now(),
            observed=seen.observed,
            samples=seen.samples,
            service=observer.service,
            refused=seen.failure is not None and seen.failure.rule == "auth-blocked",
            notes=(*connection.notes, *seen.notes),
        )


def look_at_manifest(spec: TargetSpec, options: ConnectOptions, around: Surroundings) -> ListStep:
    """GET the manifest. Raises `ObservationError` where there is none, saying what came instead."""
    with connect(spec, options, around) as connection:
        if connection.base_url is None:
            raise UsageError("a stdio server has no manifest beside MCP", advice="Name where it lives with --base-url.")
        path = options.manifest or "/tools"
        url = urljoin(connection.base_url, path)
        seen = observe_manifest(
            connection.http, url, path, due=True, promised=True, now=around.now, principal=connection.principal
        )
        if isinstance(seen, str):
            raise ObservationError(seen, rule="unreachable", advice="Name another path with --manifest.")
        if seen.failure is not None and seen.failure.rule != "manifest-gated":
            if seen.failure.rule == "auth-blocked":
                raise CredentialRefusedError(seen.failure.message, rule="auth-blocked", advice=_CREDENTIAL)
            advice = _advice(seen.failure) or "Name another path with --manifest."
            raise ObservationError(seen.failure.message, rule=seen.failure.rule, advice=advice)
        return ListStep(target=_target(connection, around), at=around.now(), observation=seen)


def look_at_revision(spec: TargetSpec, options: ConnectOptions, around: Surroundings) -> ListStep:
    """Read the whole live list once. Raises `ObservationError` where it could not be read to its end."""
    from diagnose.observe.origin import observe_origin

    with connect(spec, options, around) as connection:
        seen = observe_origin(connection.open_session, walks=1, principal=connection.principal, now=around.now)
        if seen.surface is None:
            failure = seen.failure
            assert failure is not None
            raise ObservationError(failure.message, rule=failure.rule, advice=_advice(failure))
        return ListStep(target=_target(connection, around), at=around.now(), observation=seen)


def is_file_operand(operand: str | None) -> bool:
    """Tell whether `revision` was given a file (or `-`) rather than a server."""
    return operand is not None and "://" not in operand and (operand == "-" or Path(operand).is_file())


def _advice(failure: Failure) -> str:
    """Return what a report would advise against this failure; "" where it has no row."""
    from diagnose.judge.catalogue import CATALOGUE
    from diagnose.judge.catalogue.kinds import remedy_of

    row = CATALOGUE.get(failure.rule)
    return remedy_of(failure.rule, failure.args) or (row.remedy if row is not None else "")


def _observer(connection: Connection, around: Surroundings) -> DeployedObserver | None:
    if connection.base_url is None:
        return None
    options = connection.options
    endpoints = Endpoints(base_url=connection.base_url, health=options.health, version=options.version_path)
    return DeployedObserver(http=connection.http, endpoints=endpoints, now=around.now)


def _target(connection: Connection, around: Surroundings) -> Target:
    spec = connection.spec
    return Target(id=spec.id, transport=spec.transport, endpoint=around.redactor.text(spec.endpoint))

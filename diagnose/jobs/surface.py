"""The main job: health and version, the manifest, the live list, and the past; who is asked, and in what order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

from diagnose.errors import CredentialRefusedError
from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.observation import Build, Deployment, Era, LayerName, Observation
from diagnose.jobs.access import ConnectOptions, Surroundings
from diagnose.jobs.connection import Connection, connect
from diagnose.jobs.target import TargetSpec
from diagnose.observe.deployed import DeployedObserver, Endpoints
from diagnose.observe.failures import failure_of
from diagnose.observe.manifest import observe_manifest
from diagnose.record import record
from diagnose.surface import Surface

#: Meridian answers this address without a credential, with its native tools and no tenant (facts: its own route table).
MERIDIAN_OPEN_PATH = "/mcp/sse"


@record
class SurfaceRequest:
    """What the main job is asked to look at."""

    spec: TargetSpec
    options: ConnectOptions
    expected: Build | None = None
    baseline: Callable[[str, str, Era | None, Surface | None], Observation | str]
    """Given target id, principal, era and the list that was read, the past to compare with, or in words why there is none."""
    thorough: bool = False
    """Whether the list is read again and again in any case, on connections of their own."""


@record
class Round:
    """What one run of the main job brought: the evidence, and the principal to store it under."""

    bundle: Bundle
    principal: str
    url: str | None = None
    """The address at which the list was read; None over stdio."""


def observe_surface(request: SurfaceRequest, around: Surroundings) -> Round:
    """Ask the server everything once, in the order of the ladder, and return the evidence.

    What cannot be observed is evidence too. Raises `UsageError` for what is wrong on our side.
    """
    with connect(request.spec, request.options, around) as connection:
        return look_at(request, around, connection)


def look_at(request: SurfaceRequest, around: Surroundings, connection: Connection) -> Round:
    """Do the same over a connection that stays open for more."""
    return _Look(request, around, connection).round()


class _Look:
    """One look at one server."""

    def __init__(self, request: SurfaceRequest, around: Surroundings, connection: Connection) -> None:
        self.request = request
        self.around = around
        self.connection = connection
        self.unobserved: dict[LayerName, str] = {
            "path": "no --path was named",
            "wire": "no --recording was named",
            "registry": "no client was named",
            "model": "no request of a model was given",
        }
        self.baseline: Observation | None = None
        self.known: Sequence[Any] = ()
        """The entries of the manifest, for the lists that are read after it to share."""
        self.deployed = self._deployed_observer()
        self.url = connection.url

    def round(self) -> Round:
        if self.deployed is not None:
            self.deployed.before()
        manifest = self._manifest()
        if manifest is not None and manifest.surface is not None:
            self.known = manifest.surface.raw_entries
        origin = self._origin(manifest)
        if self.baseline is None and "baseline" not in self.unobserved:
            self._find_baseline(origin)
        if self.deployed is not None:
            self.deployed.after()
        spec = self.connection.spec
        bundle = Bundle(
            created_at=self.around.now(),
            target=Target(id=spec.id, transport=spec.transport, endpoint=self.around.redactor.text(spec.endpoint)),
            deployed=self._deployed(origin),
            manifest=manifest,
            origin=origin,
            baseline=self.baseline,
            unobserved=self.unobserved,
            live=True,
            notes=self._notes(),
        )
        return Round(bundle=bundle, principal=self.connection.principal, url=self.url)

    def _notes(self) -> tuple[str, ...]:
        fallback = "no target was named: this is the embedded reference server" if self.request.spec.fallback else None
        return tuple(note for note in (fallback, *self.connection.notes) if note)

    def _deployed_observer(self) -> DeployedObserver | None:
        base, options = self.connection.base_url, self.connection.options
        if base is None:
            return None
        endpoints = Endpoints(base_url=base, health=options.health, version=options.version_path)
        return DeployedObserver(http=self.connection.http, endpoints=endpoints, now=self.around.now)

    def _manifest(self) -> Observation | None:
        base, path = self.connection.base_url, self.connection.options.manifest
        if base is None or self.deployed is None:
            self.unobserved["manifest"] = "a stdio server has no manifest beside MCP; --base-url can name one"
            return None
        promised = path is not None or self.deployed.is_meridian
        due = promised or self.deployed.answered_json
        path = path or "/tools"
        seen = observe_manifest(
            self.connection.http, urljoin(base, path), path, due=due, promised=promised, now=self.around.now
        )
        if isinstance(seen, str):
            self.unobserved["manifest"] = seen
            return None
        return seen

    def _find_baseline(self, seen: Observation) -> None:
        """Look for the past of this target, principal and era."""
        found = self.request.baseline(self.connection.spec.id, seen.principal or "none", seen.era, seen.surface)
        if isinstance(found, str):
            self.unobserved["baseline"] = found
        else:
            self.baseline = found

    def _origin(self, manifest: Observation | None) -> Observation:
        """Read the live list; twice where nothing agrees with it, be there nothing to compare or a difference."""

        def walks(first: Observation) -> int:
            """Say how often to read: once where something agrees; else once more, before a difference is believed."""
            self._find_baseline(first)
            others = [
                seen.surface for seen in (manifest, self.baseline) if seen is not None and seen.surface is not None
            ]
            assert first.surface is not None
            agreed = [other for other in others if other.digest is not None and other.digest == first.surface.digest]
            return 1 if others and len(agreed) == len(others) and not self.request.thorough else 2

        try:
            return self._read(self.connection.url, walks, self.connection.principal)
        except CredentialRefusedError as refused:
            seen = self._open_origin(walks)
            return seen if seen is not None else self._failed(refused)

    def _read(self, url: str | None, walks: Callable[[Observation], int], principal: str) -> Observation:
        from diagnose.observe.origin import observe_origin

        thorough = self.request.thorough
        return observe_origin(
            lambda: self.connection.open_session(url, apart=thorough),
            walks=walks,
            thorough=thorough,
            principal=principal,
            now=self.around.now,
            known=self.known,
        )

    def _open_origin(self, walks: Callable[[Observation], int]) -> Observation | None:
        """Read the list at the address that a Meridian answers without a credential; None where that is no way."""
        meridian = self.deployed is not None and self.deployed.is_meridian
        if not meridian or self.connection.has_credential or self.connection.url is None:
            return None
        url = urljoin(self.connection.url, MERIDIAN_OPEN_PATH)
        try:
            seen = self._read(url, walks, "none")
        except CredentialRefusedError:
            return None
        if seen.surface is None:
            return None
        self.connection.notes.append(
            f"{urlsplit(self.connection.url).path} asks for a credential and none was given: {MERIDIAN_OPEN_PATH}, which "
            "Meridian leaves open, was asked instead; it lists the native tools, without any tenant's"
        )
        self.url = url
        return seen

    def _failed(self, error: CredentialRefusedError) -> Observation:
        return Observation(
            layer="origin", complete=False, at=self.around.now(), source="tools/list", failure=failure_of(error)
        )

    def _deployed(self, origin: Observation) -> Deployment | None:
        if self.deployed is not None:
            return self.deployed.deployment(origin.server_info, self.request.expected)
        told = origin.server_info.get("version") if origin.server_info else None
        observed = Build(source="serverInfo", version=told, at=origin.at) if isinstance(told, str) else None
        if observed is None and self.request.expected is None:
            self.unobserved["deployed"] = "a stdio server tells its build only in serverInfo, and this one does not"
            return None
        return Deployment(
            expected=self.request.expected,
            observed=observed,
            samples=() if observed is None else (observed,),
            source="serverInfo",
        )

"""The `deployed` layer: which build answers, as health, version and the handshake tell it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin

from diagnose.evidence.observation import Build, Deployment, Health
from diagnose.observe.endpoint import Reply, get
from diagnose.record import record
from diagnose.transport.http import HttpClient

_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")
_VERSION = re.compile(r"v?\d[\w.+-]{0,63}")
_WELL = frozenset({"ok", "healthy", "pass", "passing", "up", "live", "alive", "ready", "serving"})
_VERSION_KEYS = ("version", "server_version", "app_version")
_BUILD_KEYS = ("git_sha", "build", "commit", "git_commit", "sha", "revision")
_SMALL = 1 << 20


@record
class Endpoints:
    """Where the build is told; the paths are below `base_url`."""

    base_url: str
    health: str = "/health"
    deep: str = "/health/deep"
    version: str = "/version"

    def url(self, path: str) -> str:
        """Return the address of one path."""
        return urljoin(self.base_url, path)


class DeployedObserver:
    """Samples the build before and after the rest of a round, so that two builds behind one address show."""

    def __init__(self, *, http: HttpClient, endpoints: Endpoints, now: Callable[[], str]) -> None:
        self.http = http
        self.endpoints = endpoints
        self.now = now
        self.samples: list[Build] = []
        self.notes: list[str] = []
        self.service: str | None = None
        """`service` as the health endpoint gives it; `meridian` for a Meridian."""
        self.answered_json = False
        """Whether the health endpoint answered JSON, so that JSON is due of its neighbours."""
        self._first: Reply | None = None

    @property
    def is_meridian(self) -> bool:
        """Whether the health endpoint says that this is a Meridian."""
        return self.service == "meridian"

    def before(self) -> None:
        """Take the first round: health, its deep form and version, each where it is there."""
        reply = self._health()
        self._first = reply
        if reply.kind == "unreachable":
            return
        if self.answered_json:
            self._deep()
        self._version()

    def after(self) -> None:
        """Take the second sample of what the first round found; nothing where there was nothing."""
        if self._first is not None and self._first.kind == "json":
            self._health()

    def deployment(self, server_info: Mapping[str, Any] | None, expected: Build | None) -> Deployment:
        """Return the layer: the samples, and the first version and build that any of them said."""
        samples = list(self.samples)
        if server_info is not None and isinstance(server_info.get("version"), str):
            told = Build(source="serverInfo", version=server_info["version"], at=self.now())
            if not any(sample.version for sample in samples):
                samples.append(told)
        observed = _merged(samples)
        failure = self._first.failure if self._first is not None else None
        telling = [sample for sample in samples if _tells(sample)]
        return Deployment(
            expected=expected,
            observed=observed,
            samples=tuple(samples),
            source=", ".join(dict.fromkeys(sample.source for sample in telling)),
            failure=failure,
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def _health(self) -> Reply:
        path = self.endpoints.health
        reply = get(self.http, self.endpoints.url(path), path, max_bytes=_SMALL)
        body = reply.value if isinstance(reply.value, dict) else {}
        self.answered_json = self.answered_json or reply.kind == "json"
        if isinstance(body.get("service"), str):
            self.service = body["service"]
        health = _health_of(reply)
        if reply.kind == "json" and health == "absent":
            self.notes.append(f"GET {path} answered JSON that tells of no health")
        elif reply.kind not in {"json", "absent"} and health != "ok":
            self.notes.append(reply.says)
        self.samples.append(replace(self._told(path, body), health=health))
        return reply

    def _deep(self) -> None:
        path = self.endpoints.deep
        reply = get(self.http, self.endpoints.url(path), path, max_bytes=_SMALL)
        body = reply.value
        if not isinstance(body, dict):
            return
        health = _health_of(reply)
        told = self._told(path, body)
        if self.is_meridian and told.version is not None:
            # Meridian reads this one from another file; a difference to /health is no second build.
            if told.version not in {sample.version for sample in self.samples}:
                self.notes.append(f"GET {path} says version {told.version}, which Meridian takes from another file")
            told = replace(told, version=None)
        self.samples.append(replace(told, health=health))

    def _version(self) -> None:
        path = self.endpoints.version
        reply = get(self.http, self.endpoints.url(path), path, max_bytes=_SMALL)
        if reply.kind == "json" and isinstance(reply.value, dict):
            told = self._told(path, reply.value)
        else:
            text = reply.value if reply.kind == "json" else reply.text if reply.kind == "text" else None
            version = text.strip() if isinstance(text, str) and _VERSION.fullmatch(text.strip()) else None
            told = Build(source=f"GET {path}", at=self.now(), version=version)
        if told.version or told.build or told.started_at:
            self.samples.append(told)

    def _told(self, path: str, body: Mapping[str, Any]) -> Build:
        """Return version, build and start as this body tells them; a build that is no commit id is not taken for one."""
        version = _text(body, _VERSION_KEYS)
        build = _text(body, _BUILD_KEYS)
        if build is not None and not _COMMIT.fullmatch(build):
            self.notes.append(f"GET {path} gives {build!r} as its build, which is no commit id: the build is unknown")
            build = None
        started = _text(body, ("started_at", "startedAt"))
        return Build(source=f"GET {path}", at=self.now(), version=version, build=build, started_at=started)


def _text(body: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = body.get(key)
        if isinstance(value, str) and value and value != "unknown":
            return value[:200]
    return None


def _health_of(reply: Reply) -> Health | None:
    """Return the health that an answer tells: a report in JSON, or one word; None where we were not let in."""
    if reply.kind == "refused":
        return None
    if reply.kind == "unreachable":
        return "unreachable"
    if reply.kind == "error":
        return "degraded"
    body = reply.text if reply.kind == "text" else reply.value
    if isinstance(body, str):
        return "ok" if _is_well(body) else "absent"
    if not isinstance(body, dict):
        return "absent"
    status = body.get("status", body.get("ok", True))
    well = _is_well(status) if isinstance(status, str) else status is not False
    return "ok" if well and body.get("db", True) is not False else "degraded"


def _is_well(word: str) -> bool:
    return word.strip().lower() in _WELL


def _tells(sample: Build) -> bool:
    """Tell whether a sample says anything: an endpoint that is not there, or refused us, is no source."""
    return sample.health in {"ok", "degraded"} or bool(sample.version or sample.build or sample.started_at)


def _merged(samples: list[Build]) -> Build | None:
    """Return the first value that any sample said, and the worst health of those that told one."""
    if not samples:
        return None
    told = [sample.health for sample in samples if sample.health is not None]
    first = next(filter(_tells, samples), samples[0])
    order: tuple[Health, ...] = ("unreachable", "degraded", "ok", "absent")
    return Build(
        source=first.source,
        at=first.at,
        health=min(told, key=order.index, default=None),
        version=next((sample.version for sample in samples if sample.version is not None), None),
        build=next((sample.build for sample in samples if sample.build is not None), None),
        started_at=next((sample.started_at for sample in samples if sample.started_at is not None), None),
    )

"""The bundle: everything that one diagnosis reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from diagnose.evidence.observation import Deployment, LayerName, Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The server that was asked about. ``endpoint`` is already free of userinfo and secret query values."""

    id: str
    transport: Literal["http", "stdio"]
    endpoint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Evidence about one target. A layer that is None was not observed, and `unobserved` says why."""

    created_at: str
    target: Target
    deployed: Deployment | None = None
    manifest: Observation | None = None
    origin: Observation | None = None
    baseline: Observation | None = None
    unobserved: Mapping[LayerName, str] = field(default_factory=dict)
    live: bool = False
    """Whether this was observed by requests of our own just now, so that a refused credential is ours (exit 4)."""
    notes: tuple[str, ...] = ()
    """What limits this evidence as a whole (no target was named, the deadline ended it, ...)."""

    @property
    def only_server_and_past(self) -> bool:
        """Whether nothing but a server and its past was asked about (causes.md, rule 2)."""
        return True

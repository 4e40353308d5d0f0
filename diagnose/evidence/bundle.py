"""The bundle: everything that one diagnosis reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from diagnose.evidence.observation import Deployment, LayerName, Observation
from diagnose.record import record

if TYPE_CHECKING:
    from diagnose.evidence.probes import Probes
    from diagnose.evidence.recording import Recording

#: How long a client has for a reaction, in seconds, before its silence is judged (`--wait`).
WAIT = 10.0


@record
class Target:
    """The server that was asked about. ``endpoint`` is already free of userinfo and secret query values."""

    id: str
    transport: Literal["http", "stdio"]
    endpoint: str


@record
class ClientEntry:
    """The client that was asked about, and how its configuration has the server.

    ``allow`` and ``deny`` are the tool names, as the client spells them, that its configuration lets through or hides;
    ``approve`` are those that it asks or does not ask a person about, which hides none.
    """

    id: str
    version: str | None = None
    server_key: str | None = None
    other_server_keys: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    approve: tuple[str, ...] = ()


@record
class Bundle:
    """Evidence about one target. A layer that is None was not observed, and `unobserved` says why."""

    created_at: str
    target: Target
    deployed: Deployment | None = None
    manifest: Observation | None = None
    origin: Observation | None = None
    path: Observation | None = None
    wire: tuple[Recording, ...] = ()
    registry: Observation | None = None
    model: Observation | None = None
    baseline: Observation | None = None
    client: ClientEntry | None = None
    path_prefix: str | None = None
    """What the gateway puts before this server's names, where that is known; None leaves it to be found."""
    expected_tools: tuple[str, ...] = ()
    """Tools that somebody asks for by name: in each layer, and called with success (`--expect-tool`)."""
    probes: Probes | None = None
    """How the origin answered requests that no client has to send; None where none were sent."""
    wait: float = WAIT
    unobserved: Mapping[LayerName, str] = field(default_factory=dict)
    live: bool = False
    """Whether this was observed by requests of our own just now, so that a refused credential is ours (exit 4)."""
    notes: tuple[str, ...] = ()
    """What limits this evidence as a whole (no target was named, the deadline ended it, ...)."""

    @staticmethod
    def of(document: Any) -> Bundle:
        """Return the bundle that a document states (`diagnose.bundle/1`), every layer of it inline.

        Raises:
            InputError: it is no bundle, or a layer is not what it should be.

        """
        from diagnose.evidence.bundle_form import bundle_of

        return bundle_of(document)

    @property
    def only_server_and_past(self) -> bool:
        """Whether nothing but a server and its past was asked about (causes.md, rule 2)."""
        return not self.wire and self.path is None and self.registry is None and self.model is None

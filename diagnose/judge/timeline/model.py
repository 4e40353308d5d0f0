"""One recording, put in order: the sessions that it holds, whose they are, and the timeline of all of them.

The reader writes these values while events come in; everybody else only reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from diagnose.evidence.observation import Era, LayerName, Observation
from diagnose.evidence.recording import Header
from diagnose.judge.timeline.deeds import (
    START,
    Action,
    Call,
    Corruption,
    Ending,
    Exposure,
    Loss,
    Malformed,
    Mismatch,
    Moment,
    Process,
    Side,
    Signal,
    Step,
    Stray,
    Stream,
    Tally,
    Walk,
)
from diagnose.judge.timeline.shelf import Shelf
from diagnose.surface import Surface
from diagnose.wire.negotiation import CLIENT

if TYPE_CHECKING:
    from diagnose.judge.trust.state import State


@dataclass(slots=True, kw_only=True)
class Session:
    """What one client did on one connection: a legacy session, a process on stdio, or the requests of one modern client."""

    key: str
    first: Moment
    last: Moment
    """The last frame of the client's own; a server that goes on talking keeps no session alive."""
    transport: Literal["stdio", "http"]
    id: str | None = None
    """`Mcp-Session-Id`, as a fingerprint."""
    issued_id: bool = False
    """Whether the server gave that id in this recording."""
    sent_id: bool = False
    apart: bool = False
    """Requests go to an address of their own, and every answer comes on the stream that gave it (HTTP+SSE, 2024-11-05)."""
    client: str | None = None
    client_version: str | None = None
    agent: str | None = None
    """The product of the `User-Agent`."""
    principal: str | None = None
    principals: list[tuple[Moment, str]] = field(default_factory=list)
    """Authorizations in the order in which they were first used."""
    version: str | None = None
    """The version that both agreed on."""
    modern_words: bool = False
    """Whether a request or an answer was of the modern form."""
    steps: list[Step] = field(default_factory=list)
    began: bool = False
    """Whether the recording holds its beginning, so that what is missing was never there."""
    capabilities: Mapping[str, Any] | None = None
    offers: Mapping[str, Any] | None = None
    """The capabilities that the client declared: a server may show other tools to one that can do more."""
    server_info: Mapping[str, Any] | None = None
    instructions: str | None = None
    walks: Shelf[Walk] = field(default_factory=Shelf)
    exposures: Shelf[Exposure] = field(default_factory=Shelf)
    """The catalogues in the order in which they came; one that comes again after another is there twice."""
    signals: Shelf[Signal] = field(default_factory=Shelf)
    streams: Shelf[Stream] = field(default_factory=Shelf)
    strays: Shelf[Stray] = field(default_factory=Shelf)
    malformed: Shelf[Malformed] = field(default_factory=Shelf)
    calls: Shelf[Call] = field(default_factory=Shelf)
    """Calls that tell something; the others are in ``tallies``."""
    unanswered: list[Call] = field(default_factory=list)
    """The newest calls that wait for their answer."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    losses: Shelf[Loss] = field(default_factory=Shelf)
    mismatches: Shelf[Mismatch] = field(default_factory=Shelf)
    accepted: Moment | None = None
    """The last request, of any kind, that the server took."""
    lists_asked: int = 0
    """How many lists it began to read; a further page is no new list."""
    calls_made: int = 0
    requests: int = 0
    answer_streams: int = 0
    """How many answers to a POST came as an event stream."""
    out_of_order: list[tuple[Walk, Walk]] = field(default_factory=list)
    """Lists that overlapped and were answered the other way round, the older one last."""
    held: Walk | None = None
    """The list that the client last read to its end."""
    older: list[Surface] = field(default_factory=list)
    """Different lists that it read before."""
    ending: Ending | None = None

    @property
    def era(self) -> Era | None:
        """The era of what crossed; None where it shows no sign of either."""
        if any(step.kind == "initialize" and step.worked for step in self.steps):
            return "legacy"
        if self.modern_words or any(step.kind == "discover" and step.worked for step in self.steps):
            return "modern"
        return "legacy" if any(step.kind == "initialize" for step in self.steps) or self.id else None

    @property
    def declares_changes(self) -> bool | None:
        """Whether the server declared `tools.listChanged`; None where the recording does not hold its declaration."""
        tools = self._tools_capability
        return None if self.capabilities is None else isinstance(tools, Mapping) and tools.get("listChanged") is True

    @property
    def declares_tools(self) -> bool | None:
        """Whether the server declared to have tools; None where the recording does not hold its declaration."""
        return None if self.capabilities is None else self._tools_capability is not None

    @property
    def _tools_capability(self) -> Any:
        return (self.capabilities or {}).get("tools")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client as a person means it: its sessions, each taking the place of the one before."""

    name: str
    sessions: tuple[Session, ...]

    @property
    def session(self) -> Session:
        """The newest session."""
        return self.sessions[-1]

    @property
    def held(self) -> Walk | None:
        """The list that it last read to its end, in whichever session."""
        return next((session.held for session in reversed(self.sessions) if session.held is not None), None)

    @property
    def walks(self) -> tuple[Walk, ...]:
        """Every list that it asked for, oldest first."""
        return tuple(walk for session in self.sessions for walk in session.walks)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every probe and handshake, oldest first."""
        return tuple(step for session in self.sessions for step in session.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """One recording, read. ``ended`` is the reason of its `end`; None where it was cut. ``name`` tells it from others."""

    header: Header
    name: str
    sessions: tuple[Session, ...]
    clients: tuple[Client, ...]
    actions: tuple[Action, ...] = ()
    processes: tuple[Process, ...] = ()
    corruptions: tuple[Corruption, ...] = ()
    events: int = 0
    last: Moment = START
    ended: str | None = None
    sees_http: bool = False
    """Whether HTTP requests were recorded, and not only the messages in them: only then was a missing one not made."""
    notes: tuple[str, ...] = ()
    source: str = ""
    state: State | None = None
    """What was read and changed through it, and what the server said of that; kept only where state sync is judged."""

    @property
    def own(self) -> bool:
        """Whether it is of a session of this program's own: then the server is on trial, and the client is not."""
        return self.header.client.get("id") == CLIENT["name"]

    def layer(self, side: Side) -> LayerName:
        """Return the layer at which a side of this hop stands (`causes.md`, rule 6); a gateway is `path` on both."""
        gateway = {"client-gateway": "server", "gateway-server": "client"}.get(self.header.hop)
        if side == gateway:
            return "path"
        return "origin" if side == "server" else "wire"

    def label(self, session: Session) -> str:
        """Return what a session is called where several recordings are judged together."""
        return f"{self.name} {session.key}"

    def reading(self, session: Session, walk: Walk) -> Observation:
        """Return a walk as what an observer of the server would have brought."""
        return Observation(
            layer=self.layer("server"),
            surface=walk.surface,
            complete=walk.whole,
            principal=walk.principal,
            session=session.key,
            era=session.era,
            protocol_version=session.version,
            server_info=session.server_info,
            capabilities=session.capabilities,
            pages=tuple(page.page for page in walk.pages),
            meta=walk.meta,
        )

    def frames(self, *moments: Moment | int | None) -> tuple[str, ...]:
        """Return moments as evidence: `wire:17`."""
        numbers = [moment if isinstance(moment, int) else moment.frame for moment in moments if moment is not None]
        return tuple(f"{self.name}:{number}" for number in dict.fromkeys(numbers))

"""What clients and servers do, one value each: lists, signals, streams, calls, losses, with the frames that show them.

The reader writes these values while events come in; everybody else only reads them. Times are seconds of the
recording's clock, frames are line numbers of the file (the header being 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from diagnose.evidence.observation import Era, Page
from diagnose.judge.timeline.unknown import is_unknown_tool
from diagnose.surface import Surface
from diagnose.wire.paging import Walk as Paging

Side: TypeAlias = Literal["server", "client"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One frame, and when it crossed."""

    frame: int
    t: float


#: What comes so soon after a stream was opened, in seconds, opens it: some servers begin with a comment.
_PRIMING = 0.3
#: The beginning: the header of a recording.
START = Moment(frame=1, t=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer that refuses: an HTTP status, a JSON-RPC error, or both. ``data`` is the error's, as received."""

    at: Moment
    status: int | None = None
    code: int | None = None
    message: str = ""
    data: Any = None

    @property
    def briefly(self) -> str:
        """The status that refuses, or else the code of the error: one that comes with a status of success says it all."""
        refuses = self.status is not None and (self.status >= 400 or self.code is None)
        return f"HTTP {self.status}" if refuses else f"error {self.code}"

    @property
    def is_credential(self) -> bool:
        """Whether the credential was refused, or missing."""
        return self.status in {401, 403}


@dataclass(slots=True, kw_only=True)
class Step:
    """One step of a negotiation between the eras: a probe (`server/discover`) or a handshake (`initialize`)."""

    kind: Literal["discover", "initialize"]
    asked: Moment
    version: str | None
    """The version that the client asked for, or spoke."""
    answered: Moment | None = None
    refusal: Refusal | None = None
    versions: tuple[str, ...] = ()
    """What the server said it speaks: the one that it chose, or those that it supports."""

    @property
    def worked(self) -> bool:
        """Whether the server took it."""
        return self.answered is not None and self.refusal is None


@dataclass(frozen=True, slots=True, kw_only=True)
class WirePage:
    """One page of a list, with the frames of its request and of its answer."""

    asked: Moment
    answered: Moment
    page: Page


@dataclass(slots=True, kw_only=True)
class Walk:
    """One reading of the tool list by the client, page by page.

    ``state`` is `asking` while an answer is due, `open` when the last page named another one, `complete`, `refused`,
    or `faulty`: the server's own paging makes an end impossible (``fault`` is then a name of `causes.md`).
    """

    asked: Moment
    cursor: str | None = None
    """The cursor of the first request; None for a list from the beginning, which alone can become complete."""
    invented: bool = False
    """Whether that cursor was never issued in a recording that holds the whole session."""
    borrowed_from: str | None = None
    """The principal to which that cursor was issued, where it was another one."""
    state: Literal["asking", "open", "complete", "refused", "faulty"] = "asking"
    pages: list[WirePage] = field(default_factory=list)
    surface: Surface | None = None
    answered: Moment | None = None
    """The last answer so far."""
    refusal: Refusal | None = None
    given_up: Moment | None = None
    """When the client cancelled it: what is answered after that, it passes over (MCP, basic/utilities/cancellation)."""
    fault: str | None = None
    says: str = ""
    """What was wrong with the paging, in words."""
    asks: int = 1
    signals_before: int = 0
    """How many signals the session had received when the first page was asked for, and when the last one came."""
    signals_after: int = 0
    calls_before: int = 0
    """How many calls the session had made when the first page was asked for."""
    meta: Mapping[str, Any] | None = None
    """`_meta` of the last page."""
    principal: str | None = None
    era: Era | None = None
    paging: Paging | None = field(default=None, repr=False)

    @property
    def whole(self) -> bool:
        """Whether the list was read from its beginning to its end."""
        return self.surface is not None

    @property
    def frames(self) -> tuple[int, ...]:
        """The frames of all requests and answers."""
        known = [frame for page in self.pages for frame in (page.asked.frame, page.answered.frame)]
        return tuple(dict.fromkeys((self.asked.frame, *known)))

    @property
    def ttl_ms(self) -> Any:
        """The shortest `ttlMs` of the pages, as far as they are numbers, else that of the last page as received."""
        told = [page.page.ttl_ms for page in self.pages]
        numbers = [ttl for ttl in told if isinstance(ttl, (int, float)) and not isinstance(ttl, bool)]
        return min(numbers) if numbers else (told[-1] if told else None)


@dataclass(slots=True, kw_only=True)
class Exposure:
    """One catalogue that a session was sent, from the walk that brought it to the last one that brought it again."""

    walk: Walk
    last: Moment
    lists: int = 1

    @property
    def surface(self) -> Surface:
        """The catalogue; only whole walks expose one."""
        assert self.walk.surface is not None
        return self.walk.surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One `notifications/tools/list_changed` as it crossed."""

    at: Moment
    declared: bool | None
    """Whether `tools.listChanged` was declared; None where the recording does not hold the handshake."""
    channel: str | None
    lists_before: int
    """How many lists the session had asked for when it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misnamed:
    """A message of a subscription that carries another id than the request that opened it; None where it carries none."""

    at: Moment
    method: str
    named: Any


@dataclass(slots=True, kw_only=True)
class Stream:
    """A channel on which the server may speak first: the GET stream (legacy) or a subscription (modern)."""

    purpose: Literal["get", "listen"]
    channel: str | None
    asked: Moment
    opened: Moment | None = None
    refusal: Refusal | None = None
    subscription: Any = None
    """The id of the request that opened it, in its JSON type."""
    wanted: Mapping[str, Any] = field(default_factory=dict)
    granted: Mapping[str, Any] | None = None
    acknowledged: Moment | None = None
    closed: Moment | None = None
    by: str | None = None
    clean: bool = False
    signals: int = 0
    misnamed: Misnamed | None = None
    """The first message that does not bear its name."""
    answered_with: int | None = None
    """The HTTP status of an answer that is no event stream."""
    last: Moment | None = None
    """When something last came on it, be it a comment."""
    silence: float = 0.0
    """The longest time that nothing at all came on it, up to `last`."""
    arrivals: int = 0
    """How many things came on it: messages, and what is there only to keep it alive (comments, pings)."""

    def came(self, at: Moment) -> None:
        """Take note that something came on it."""
        since = self.last or self.opened or self.asked
        self.silence, self.last, self.arrivals = max(self.silence, at.t - since.t), at, self.arrivals + 1

    @property
    def kept_alive(self) -> bool:
        """Whether something came that says nothing, and not just because it was opened."""
        telling = self.signals + (self.acknowledged is not None)
        since = self.opened or self.asked
        return self.arrivals > telling and self.last is not None and self.last.t - since.t >= _PRIMING

    def carries(self, start: float, end: float) -> bool:
        """Tell whether a signal could have come on it at any time between two moments."""
        begun = self.acknowledged if self.purpose == "listen" else self.opened
        granted = self.purpose == "get" or (self.granted or {}).get("toolsListChanged") is True
        return begun is not None and granted and begun.t <= start and (self.closed is None or self.closed.t >= end)

    @property
    def lived(self) -> float | None:
        """How long it was open, in seconds; None while it is."""
        return None if self.closed is None else self.closed.t - (self.opened or self.asked).t


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A notification that is none by the schema; ``why`` says so in a few words."""

    at: Moment
    method: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stray:
    """An event of a subscription that had no right to come; ``why`` says so in a few words."""

    at: Moment
    method: str
    why: str
    stream: Stream | None = None


@dataclass(slots=True, kw_only=True)
class Call:
    """One `tools/call`: what is known of it without its payload.

    ``standing`` says how the tool stood in what this client had been sent: `listed`, `removed` (in an older list and not
    in the newest), `unlisted` (in none), or `unknown` (no list was seen, or not all of it).
    """

    tool: str
    asked: Moment
    standing: Literal["listed", "removed", "unlisted", "unknown"]
    held: Moment | None = None
    """The answer that brought the list in force; None where none was, or not all of it."""
    definition: str | None = None
    """The digest of its definition in that list."""
    arguments: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    """Arguments that the newest definition does not name and an older one that the client was sent does."""
    answered: Moment | None = None
    outcome: Literal["pending", "ok", "error", "refused"] = "pending"
    refusal: Refusal | None = None

    @property
    def unknown_tool(self) -> bool:
        """Whether the server said that it has no such tool."""
        refusal = self.refusal
        return refusal is not None and is_unknown_tool(self.tool, refusal.code, refusal.message)


@dataclass(slots=True, kw_only=True)
class Tally:
    """Calls of one tool that went as they should: only counted. ``definitions`` are the digests that were in force."""

    count: int
    first: Moment
    last: Moment
    definitions: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A request that was refused over HTTP, with the session id that it carried (None: it carried none)."""

    asked: Moment
    method: str
    session_id: str | None
    version: str | None
    """`MCP-Protocol-Version` of the request."""
    refusal: Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A request whose headers and body say two things, or whose version is not the negotiated one."""

    asked: Moment
    header: str
    said: str | None
    body: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a session ended, as far as the recording shows."""

    at: Moment
    why: Literal["deleted", "exited", "closed"]
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a person or the client's log did, as it was written down."""

    at: Moment
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A start or an end of the server's process."""

    at: Moment
    event: str
    code: int | None = None


@dataclass(slots=True, kw_only=True)
class Corruption:
    """Bytes that are no message, or not as they must be; ``kind`` is one of those of `Anomaly`.

    ``fatal``: the other side ended right after, without another message.
    """

    at: Moment
    sender: Side
    kind: str
    detail: str
    fatal: bool = False

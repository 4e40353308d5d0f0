"""A recording told while it grows: what each event comes to, as it becomes known.

Only the clock of the wire decides, so that a session that is watched live and the same recording read a year later give
the same news: that a signal was not heeded is known with the first event after the wait, and not before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from diagnose.evidence.bundle import WAIT
from diagnose.evidence.recording import Event, Header
from diagnose.judge.timeline.deeds import Call, Moment, Signal, Step, Stream, Walk
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.reader import Reader

if TYPE_CHECKING:
    from diagnose.judge.timeline.asking import Ask
    from diagnose.wire.message import Message

Kind: TypeAlias = Literal[
    "session",
    "handshake",
    "list-asked",
    "list",
    "signal",
    "overdue",
    "stream-open",
    "stream-close",
    "call",
    "refused",
    "end",
    "action",
    "process",
    "stopped",
]
#: So many of the newest sessions are looked at for streams and ends; older ones are silent.
_WATCHED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """Something that became known with a frame. ``subject`` is what it is about, as the reader keeps it.

    ``count`` numbers the lists, signals or calls of the session; ``known`` tells of a list whether the session had it.
    """

    kind: Kind
    at: Moment
    session: Session | None = None
    subject: Any = None
    known: bool = False
    since: float = 0.0


class Teller:
    """Reads events and tells what they come to; a `Witness` of its own reader."""

    def __init__(self, header: Header, *, wait: float = WAIT) -> None:
        self._reader = Reader(header, self)
        self._wait = wait
        self._news: list[News] = []
        self._met: set[str] = set()
        self._ended: set[str] = set()
        self._open: list[tuple[Session, Stream]] = []
        self._unheeded: list[tuple[Session, Signal]] = []
        self._refused: Stream | None = None

    def feed(self, event: Event) -> list[News]:
        """Take in the next event, and return what is known since."""
        self._news = []
        self._reader.feed(event)
        at = self._reader.last
        self._beside(event, at)
        self._streams(at)
        self._late(at)
        return self._news

    def timeline(self, *, notes: tuple[str, ...] = (), source: str = "", final: bool = True) -> Timeline:
        """Return what was read so far; one that is not ``final`` changes nothing for what is still to come."""
        return self._reader.timeline(notes=notes, source=source, final=final)

    # What the reader tells as its witness.

    def asked(self, ask: Ask, message: Message) -> None:
        """See a request."""
        del message
        self._meet(ask.session, ask.at)
        if isinstance(ask.subject, Walk) and ask.subject.asks == 1:
            self._tell("list-asked", ask.at, ask.session, ask.subject)

    def answered(self, ask: Ask, message: Message | None, at: Moment) -> None:
        """See the answer to a request."""
        del message
        match ask.subject:
            case Step():
                self._tell("handshake", at, ask.session, ask.subject)
            case Walk() as walk if walk.state != "open":
                self._tell("list", at, ask.session, walk, known=_known(ask.session, walk))
            case Call() as call:
                self._call(ask.session, call, at)
            case Stream():
                return  # Streams are looked at by what became of them.
            case None if ask.session.losses.newest is not None and ask.session.losses.newest.asked == ask.at:
                self._tell("refused", at, ask.session, ask.session.losses.newest)

    def told(self, session: Session, message: Message, at: Moment) -> None:
        """See a notification of the server."""
        del message
        signal = session.signals.newest
        if signal is not None and signal.at == at:
            self._tell("signal", at, session, signal)
            self._unheeded = [each for each in self._unheeded if each[0] is not session]
            self._unheeded.append((session, signal))

    # What the reader is looked at for.

    def _call(self, session: Session, call: Call, at: Moment) -> None:
        """Tell of a call that is not as it should be, and of the first one of a tool."""
        tally = session.tallies.get(call.tool)
        if tally is None or tally.last != at or tally.count == 1:
            self._tell("call", at, session, call)

    def _beside(self, event: Event, at: Moment) -> None:
        if event.kind == "action" and event.text:
            self._tell("action", at, None, event.text)
        elif event.kind == "process":
            self._tell("process", at, None, event)
        for session in self._reader.sessions[-_WATCHED:]:
            if session.ending is not None and session.key not in self._ended:
                self._ended.add(session.key)
                self._tell("end", at, session, session.ending)
        if event.kind == "end":
            self._tell("stopped", at, None, event.reason or "stopped")

    def _streams(self, at: Moment) -> None:
        known = {id(stream) for _, stream in self._open}
        for session in self._reader.sessions[-_WATCHED:]:
            stream = session.streams.newest
            if stream is None or id(stream) in known:
                continue
            if stream.refusal is not None and stream is not self._refused and stream.refusal.at.frame >= at.frame - 1:
                self._refused = stream
                self._tell("refused", at, session, stream)
            elif at == (stream.opened if stream.purpose == "get" else stream.acknowledged):
                self._meet(session, at)
                self._open.append((session, stream))
                self._tell("stream-open", at, session, stream)
        for session, stream in [each for each in self._open if each[1].closed is not None]:
            self._open = [each for each in self._open if each[1] is not stream]
            self._tell("stream-close", at, session, stream)

    def _late(self, at: Moment) -> None:
        """Tell of signals after which no list was asked for within the wait."""
        waiting: list[tuple[Session, Signal]] = []
        for session, signal in self._unheeded:
            if session.lists_asked > signal.lists_before or session.ending is not None:
                continue
            if at.t - signal.at.t < self._wait:
                waiting.append((session, signal))
            else:
                self._tell("overdue", at, session, signal, since=at.t - signal.at.t)
        self._unheeded = waiting

    def _meet(self, session: Session, at: Moment) -> None:
        if session.key not in self._met:
            self._met.add(session.key)
            self._tell("session", at, session)

    def _tell(
        self,
        kind: Kind,
        at: Moment,
        session: Session | None,
        subject: Any = None,
        *,
        known: bool = False,
        since: float = 0.0,
    ) -> None:
        self._news.append(News(kind=kind, at=at, session=session, subject=subject, known=known, since=since))


def _known(session: Session, walk: Walk) -> bool:
    """Tell whether a list brought the catalogue that the session had been sent last."""
    newest = session.exposures.newest
    return newest is not None and newest.surface is walk.surface and newest.lists > 1

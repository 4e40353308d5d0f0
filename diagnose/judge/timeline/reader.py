"""Reads a recording into a timeline, one event at a time, in memory that does not grow with its length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from diagnose.evidence.recording import Event, Header, Recording
from diagnose.judge.timeline import talk
from diagnose.judge.timeline.asking import MOST_OPEN, Ask, Exchange, Pending, is_beside, loss_of, refusal_of, sees_gets
from diagnose.judge.timeline.beside import Beside
from diagnose.judge.timeline.clients import clients_of
from diagnose.judge.timeline.deeds import START, Call, Ending, Moment, Refusal, Step, Stream, Walk
from diagnose.judge.timeline.lanes import Lanes, session_id
from diagnose.judge.timeline.listing import Listing
from diagnose.judge.timeline.mismatch import mismatches
from diagnose.judge.timeline.model import Session, Timeline
from diagnose.judge.timeline.octets import Octets
from diagnose.judge.timeline.witness import Witness
from diagnose.wire.eras import HEADER_MISMATCH
from diagnose.wire.message import MAX_BATCH, Message, understand
from diagnose.wire.negotiation import CLIENT, DISCOVER, INITIALIZE

LISTEN = "subscriptions/listen"
#: How the event begins that says where messages go (MCP 2024-11-05, basic/transports, HTTP with SSE).
_ENDPOINT = b"event: endpoint"


def read(recording: Recording, name: str = "wire", witness: Witness | None = None) -> Timeline:
    """Read a whole recording. ``name`` is what its frames are called by in evidence; ``witness`` sees whole messages."""
    reader = Reader(recording.header, witness)
    for event in recording.events:
        reader.feed(event)
    return reader.timeline(name=name, notes=recording.notes, source=recording.source)


class Reader:
    """Takes in the events of one recording in their order; `timeline` may be asked for at any time. Never raises."""

    def __init__(self, header: Header, witness: Witness | None = None) -> None:
        self._header = header
        self._witness = witness
        self._lanes = Lanes(header)
        # Our own sessions are kept as they crossed, so that a mark in them would be the server's.
        self._listing = Listing(marked=header.client.get("id") != CLIENT["name"])
        self._pending = Pending()
        self._octets = Octets()
        self._exchanges: dict[str, Exchange] = {}
        self._turned_away: Exchange | None = None
        self._turned_at = START
        self._last = START
        self._events = 0
        self._beside = Beside(self._lanes, self._octets)
        self._sees_http = False
        self._kinds: dict[str, Callable[[Event, Moment], None]] = {
            "message": self._messages,
            "request": self._request,
            "response": self._response,
            "stream-open": self._stream_open,
            "stream-close": self._stream_close,
            "raw": self._raw,
            "process": self._beside.process,
            "action": self._beside.action,
            "end": self._beside.end,
        }

    @property
    def sessions(self) -> list[Session]:
        """The sessions so far, oldest first."""
        return self._lanes.sessions

    @property
    def last(self) -> Moment:
        """The newest event."""
        return self._last

    def feed(self, event: Event) -> None:
        """Take in the next event."""
        at = Moment(frame=event.frame, t=max(event.t, self._last.t))
        self._last, self._events = at, self._events + 1
        waiting = self._turned_away
        if waiting is not None and not (event.kind == "message" and event.channel == waiting.channel):
            self._turn_away(waiting, None, self._turned_at)
        if event.sender == "server" and event.channel is not None:
            self._came(event.channel, at)
        handle = self._kinds.get(event.kind)
        if handle is not None:
            handle(event, at)

    def _came(self, channel: str, at: Moment) -> None:
        exchange = self._exchanges.get(channel)
        if exchange is not None and exchange.stream is not None and exchange.streaming:
            exchange.stream.came(at)

    def timeline(
        self, *, name: str = "wire", notes: tuple[str, ...] = (), source: str = "", final: bool = True
    ) -> Timeline:
        """Return what was read so far. Where it is not ``final``, an error status still waits for what is said with it."""
        if final and self._turned_away is not None:
            self._turn_away(self._turned_away, None, self._turned_at)
        sessions = tuple(self._lanes.sessions)
        return Timeline(
            header=self._header,
            name=name,
            sessions=sessions,
            clients=clients_of(sessions, self._header),
            actions=tuple(self._beside.actions),
            processes=tuple(self._beside.processes),
            corruptions=tuple(self._octets.found),
            events=self._events,
            last=self._last,
            ended=self._beside.ended,
            sees_http=self._sees_http,
            notes=notes,
            source=source,
        )

    # What crosses: messages, alone or on an exchange.

    def _messages(self, event: Event, at: Moment) -> None:
        if event.sender == "tap" or event.message is None:
            return
        batch = event.message[:MAX_BATCH] if isinstance(event.message, list) else [event.message]
        for entry in batch:
            # A recorder may leave `jsonrpc` out: what else is there tells a message from anything else.
            message = understand({"jsonrpc": "2.0", **entry}) if isinstance(entry, dict) else None
            if message is None:
                self._octets.no_message(event, entry, at)
            else:
                self._one(event, message, at)

    def _one(self, event: Event, message: Message, at: Moment) -> None:
        self._octets.heard(event.sender)
        if event.sender == "client":
            exchange = self._exchanges.get(event.channel or "")
            session = self._session(exchange, message) if exchange else self._lanes.of_client(event, message, at)
            session.last = at
            if message.kind == "request":
                self._asked(session, event, message, at)
            elif message.method == "notifications/cancelled":
                self._cancelled(session, message, at)
        elif message.is_answer:
            self._answered(event, message, at)
        elif message.kind == "notification":
            exchange = self._exchanges.get(event.channel or "")
            session_of = self._session(exchange) if exchange is not None else self._lanes.of_server(event)
            if session_of is not None:
                talk.notice(session_of, message, exchange.stream if exchange else None, event.channel, at)
                if self._witness is not None:
                    self._witness.told(session_of, message, at)

    def _asked(self, session: Session, event: Event, message: Message, at: Moment) -> None:
        session.requests += 1
        exchange = self._exchanges.get(event.channel or "")
        headers = exchange.headers if exchange is not None else event.headers
        ask = Ask(method=message.method, id=message.id, at=at, session=session, session_id=session_id(event))
        ask.version = headers.get("mcp-protocol-version")
        for mismatch in mismatches(session, message, headers, at) if headers else ():
            session.mismatches.put(mismatch)
        if message.method in {INITIALIZE, DISCOVER}:
            ask.subject = talk.begin_step(session, message, at)
        elif message.method == "tools/list":
            ask.subject = self._listing.asked(session, message.params.get("cursor"), at)
        elif message.method == "tools/call":
            ask.subject = talk.begin_call(session, message.params, at)
        elif message.method == LISTEN:
            session.modern_words = True
            ask.subject = talk.begin_listen(session, ask, message.params, event.channel)
            if exchange is not None:
                exchange.stream = ask.subject
        if exchange is not None and len(exchange.asks) < MAX_BATCH:
            exchange.asks.append(ask)
        self._pending.put(_lane(session, event.channel), ask)
        if self._witness is not None:
            self._witness.asked(ask, message)

    def _cancelled(self, session: Session, message: Message, at: Moment) -> None:
        named = message.params.get("requestId")
        for stream in session.streams:
            if stream.closed is None and talk.same_id(stream.subscription, named):
                stream.closed, stream.by, stream.clean = at, "client", True
        self._pending.give_up(session, named, at)

    def _answered(self, event: Event, message: Message, at: Moment) -> None:
        exchange = self._exchanges.get(event.channel or "")
        if exchange is not None and (exchange is self._turned_away or (exchange.status or 200) >= 400):
            self._turn_away(exchange, message, at)
            return
        ask = self._pending.take(self._where(event, exchange), message.id)
        if exchange is not None and exchange.status is not None and not exchange.streaming and not exchange.stream:
            self._exchanges.pop(exchange.channel, None)
        if ask is None:
            return
        if message.kind == "error":
            self._refused(ask, refusal_of(message, at, event.status), event.channel)
        else:
            self._told(ask, message.result, at)
        if self._witness is not None:
            self._witness.answered(ask, message, at)

    def _where(self, event: Event, exchange: Exchange | None) -> Iterator[str]:
        """Yield the lanes on which the request of an answer may wait: its exchange, then its session."""
        if event.channel is not None:
            yield event.channel
        session = self._session(exchange) if exchange is not None else self._lanes.of_server(event)
        if session is not None:
            yield session.key
        if event.channel is None:
            yield from (known.key for known in reversed(self._lanes.sessions[-20:]))

    def _session(self, exchange: Exchange, message: Message | None = None) -> Session:
        """Return the session of an exchange; the first message of it that is seen decides."""
        if exchange.session is None:
            exchange.session = self._lanes.of_client(exchange.request, message, exchange.at)
        return exchange.session

    def _told(self, ask: Ask, result: Any, at: Moment) -> None:
        session = ask.session
        session.accepted = at
        match ask.subject:
            case Step() as step:
                talk.end_step(session, step, result, at)
            case Walk() as walk:
                self._listing.answered(session, walk, result, ask.at, at)
            case Call() as call:
                talk.end_call(session, call, result, at)
            case Stream() as stream:
                if stream.closed is None:  # else it answers that the client has left
                    stream.closed, stream.by, stream.clean = at, "server", True

    def _refused(self, ask: Ask, refusal: Refusal, channel: str | None) -> None:
        session = ask.session
        if channel is not None:
            self._pending.drop(_lane(session, channel), ask)
        match ask.subject:
            case Step() as step:
                step.answered, step.refusal = refusal.at, refusal
            case Walk() as walk:
                self._listing.refused(walk, refusal)
            case Call() as call:
                talk.refuse_call(session, call, refusal)
            case Stream() as stream:
                if stream.by != "client":
                    stream.refusal, stream.closed, stream.by = refusal, refusal.at, "server"
        if (refusal.status or 200) >= 400 or refusal.code == HEADER_MISMATCH:
            session.losses.put(loss_of(ask, refusal))
        else:
            session.accepted = refusal.at

    # HTTP.

    def _request(self, event: Event, at: Moment) -> None:
        self._sees_http = sees_gets(self._header)
        if is_beside(event):
            return
        channel, method = event.channel or f"frame {event.frame}", (event.method or "POST").upper()
        exchange = Exchange(channel=channel, method=method, at=at, request=event)
        if len(self._exchanges) >= MOST_OPEN:
            self._exchanges.pop(next(iter(self._exchanges)))
        self._exchanges[channel] = exchange
        if method == "GET":
            exchange.stream = Stream(purpose="get", channel=channel, asked=at)
            self._session(exchange).streams.put(exchange.stream)
        elif method == "DELETE":
            session = self._session(exchange)
            session.ending = session.ending or Ending(at=at, why="deleted", by="client")
        self._messages(event, at)

    def _response(self, event: Event, at: Moment) -> None:
        exchange = self._exchanges.get(event.channel or "")
        if exchange is None:
            self._messages(event, at)
            return
        self._open(exchange, event)
        if exchange.stream is not None and exchange.stream.purpose == "get":
            kind = event.headers.get("content-type", "text/event-stream")
            if not kind.startswith("text/event-stream"):
                exchange.stream.answered_with = event.status
            elif (event.status or 200) < 400:
                exchange.stream.opened = at
        if event.message is not None:
            self._messages(event, at)
            self._exchanges.pop(exchange.channel, None)
        elif (event.status or 200) >= 400:
            # What was said with it may stand in the next event.
            self._turned_away, self._turned_at = exchange, at

    def _turn_away(self, exchange: Exchange, message: Message | None, at: Moment) -> None:
        """Take in an answer with an error status: it refuses all that its exchange asked, whatever its body says."""
        self._turned_away = None
        self._exchanges.pop(exchange.channel, None)
        refusal = refusal_of(message, at, exchange.status)
        session = self._session(exchange)
        if exchange.stream is not None:
            exchange.stream.refusal = refusal
        for ask in exchange.asks:
            self._refused(ask, refusal, exchange.channel)
            if self._witness is not None:
                self._witness.answered(ask, message if message is not None and message.kind == "error" else None, at)
        if not exchange.asks and exchange.method != "DELETE":
            # It asked for nothing by name: the GET stream, or a notification.
            ask = Ask(method=exchange.method, id=None, at=exchange.at, session=session)
            ask.session_id, ask.version = session_id(exchange.request), exchange.headers.get("mcp-protocol-version")
            session.losses.put(loss_of(ask, refusal))

    def _open(self, exchange: Exchange, event: Event) -> None:
        exchange.status = event.status or exchange.status
        issued = event.headers.get("mcp-session-id") or event.session
        shakes_hands = any(ask.method == INITIALIZE for ask in exchange.asks)
        if issued and shakes_hands and (event.status or 200) < 400:
            self._lanes.name(self._session(exchange), issued)

    def _stream_open(self, event: Event, at: Moment) -> None:
        self._sees_http = sees_gets(self._header)
        exchange = self._exchanges.get(event.channel or "")
        if exchange is None:
            return
        self._open(exchange, event)
        exchange.streaming = True
        if exchange.stream is not None:
            exchange.stream.opened = at
        else:
            self._session(exchange).answer_streams += 1

    def _stream_close(self, event: Event, at: Moment) -> None:
        exchange = self._exchanges.pop(event.channel or "", None)
        side = event.by or (event.sender if event.sender != "tap" else None)
        if exchange is None:
            if self._header.transport == "stdio":
                self._beside.over(Ending(at=at, why="closed", by=side))
            return
        stream = exchange.stream
        if stream is not None and stream.closed is None:
            stream.closed, stream.by, stream.clean = at, side, event.clean is True
        for ask in exchange.asks:
            self._pending.move(exchange.channel, ask, ask.session.key)

    # The rest.

    def _raw(self, event: Event, at: Moment) -> None:
        exchange = self._exchanges.get(event.channel or "")
        if exchange is not None and event.session is not None and (event.data or b"").startswith(_ENDPOINT):
            session = self._session(exchange)
            self._lanes.name(session, event.session)
            session.apart = True
        for message in self._octets.raw(event, at, stdio=self._header.transport == "stdio"):
            self._one(event, message, at)


def _lane(session: Session, channel: str | None) -> str:
    """Return where the answer to a request of a session is waited for."""
    return session.key if channel is None or session.apart else channel

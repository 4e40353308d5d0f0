"""Which session a frame belongs to: told by session id, by what a modern request says of its client, or by order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.evidence.recording import Event, Header
from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.model import Session
from diagnose.wire.eras import MODERN
from diagnose.wire.message import Message
from diagnose.wire.negotiation import DISCOVER, INITIALIZE

CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
#: Sessions of one recording that are told apart; what comes beyond them is added to the newest.
MOST_SESSIONS = 5_000


class Lanes:
    """Finds, or begins, the session of each frame.

    Over stdio a session is one process, or one handshake where processes were not recorded. Over HTTP the session id
    decides; a modern request belongs to its client and authorization; any other, and one whose id was never sent back,
    to the newest session of the same user agent and authorization.
    """

    def __init__(self, header: Header) -> None:
        self.sessions: list[Session] = []
        self._transport = header.transport
        self._by_key: dict[tuple[Any, ...], Session] = {}
        self._restarted = False

    def restart(self) -> None:
        """Take note that a process started: what the client says next is said to a new one."""
        self._restarted = True

    def of_client(self, event: Event, message: Message | None, at: Moment) -> Session:
        """Return the session of something that a client sent."""
        session = self._stdio(message, at) if self._transport == "stdio" else self._http(event, message, at)
        session.last = at
        _introduce(session, event, message, at)
        return session

    def of_server(self, event: Event) -> Session | None:
        """Return the session of something that a server sent on no exchange that we know."""
        known = self._by_key.get(("id", session_id(event))) if self._transport == "http" else None
        return known or (self.sessions[-1] if self.sessions else None)

    def name(self, session: Session, issued: str) -> None:
        """Take note of the id that the server gave a session."""
        session.id, session.issued_id = issued, True
        self._by_key["id", issued] = session

    def _stdio(self, message: Message | None, at: Moment) -> Session:
        current = self.sessions[-1] if self.sessions else None
        again = _is(message, INITIALIZE) and current is not None and any(s.kind == "initialize" for s in current.steps)
        if current is None or again or self._restarted:
            self._restarted = False
            current = self._begin(at)
        return current

    def _http(self, event: Event, message: Message | None, at: Moment) -> Session:
        given = session_id(event)
        if given is not None:
            session = self._by_key.get(("id", given)) or self._begin(at, ("id", given))
            session.id = given
            session.sent_id = session.sent_id or not _is(message, INITIALIZE)
            return session
        if _is(message, INITIALIZE):
            return self._begin(at, ("connection", event.connection))
        if message is not None and (_spoken_version(message) in MODERN or message.method == DISCOVER):
            return self._modern(event, message, at)
        return self._on_its_connection(event) or self._newest_like(event) or self._begin(at)

    def _modern(self, event: Event, message: Message, at: Moment) -> Session:
        """Return the session of a modern request. One that does not name its client is of the one that was heard last."""
        # A client may call itself anything: only a text, or another value in its spelling, tells it apart.
        name = _client_info(message).get("name")
        key = ("modern", str(name), principal_of(event))
        session = self._by_key.get(key)
        if session is None:
            last = self._newest_like(event, without_id=True)
            joins = last is not None and last.era == "modern" and (name is None or last.client is None)
            session = last if last is not None and joins else self._begin(at)
            self._by_key[key] = session
        return session

    def _on_its_connection(self, event: Event) -> Session | None:
        """Return the session that began on this very connection: its client may not be the only one of its kind."""
        session = self._by_key.get(("connection", event.connection)) if event.connection is not None else None
        return session if session is not None and session.ending is None else None

    def _newest_like(self, event: Event, *, without_id: bool = False) -> Session | None:
        """Return the newest session of the same agent and authorization that is not over."""
        agent, principal = product(event.headers.get("user-agent")), principal_of(event)
        for session in reversed(self.sessions[-100:]):
            if (
                session.ending is None
                and not (without_id and session.id is not None)
                and session.agent == agent
                and (principal is None or session.principal == principal)
            ):
                return session
        return None

    def _begin(self, at: Moment, key: tuple[Any, ...] | None = None) -> Session:
        if len(self.sessions) >= MOST_SESSIONS:
            return self.sessions[-1]
        session = Session(key=f"session {len(self.sessions) + 1}", first=at, last=at, transport=self._transport)
        self.sessions.append(session)
        if key is not None:
            self._by_key[key] = session
        return session


def session_id(event: Event) -> str | None:
    """Return the session id of a frame, as the recorder labelled it or as its header says."""
    return event.session or event.headers.get("mcp-session-id") or None


def principal_of(event: Event) -> str | None:
    """Return what tells the authorization of a request from others: a label, or the fingerprint in its header."""
    return event.principal or event.headers.get("authorization") or None


def product(agent: str | None) -> str | None:
    """Return the name of the first product of a `User-Agent`."""
    return agent.partition("/")[0].strip() or None if agent else None


def _introduce(session: Session, event: Event, message: Message | None, at: Moment) -> None:
    """Keep what a frame says of its client."""
    session.agent = session.agent or product(event.headers.get("user-agent"))
    principal = principal_of(event)
    if principal is not None and principal != session.principal:
        session.principal = principal
        if len(session.principals) < 100:
            session.principals.append((at, principal))
    if event.headers.get("mcp-protocol-version") in MODERN:
        session.modern_words = True
    if message is None or message.kind != "request":
        return
    info = message.params.get("clientInfo") if message.method == INITIALIZE else _client_info(message)
    if isinstance(info, Mapping) and isinstance(info.get("name"), str):
        version = info.get("version")
        session.client = info["name"]
        session.client_version = version if isinstance(version, str) else session.client_version
    if _spoken_version(message) in MODERN:
        session.modern_words = True


def _is(message: Message | None, method: str) -> bool:
    return message is not None and message.kind == "request" and message.method == method


def _spoken_version(message: Message) -> Any:
    return _meta(message).get(PROTOCOL_VERSION)


def _client_info(message: Message) -> Mapping[str, Any]:
    info = _meta(message).get(CLIENT_INFO)
    return info if isinstance(info, Mapping) else {}


def _meta(message: Message) -> Mapping[str, Any]:
    meta = message.params.get("_meta")
    return meta if isinstance(meta, Mapping) else {}

"""Streamable HTTP, both eras: each message is a POST, answered by JSON or by a stream of events.

MCP 2026-07-28, transports/streamable-http; MCP 2025-11-25, basic/transports (sessions, resumed streams).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from diagnose.errors import CredentialRefusedError, ObservationError
from diagnose.evidence.observation import Era
from diagnose.observe.channel import Answer, Listener
from diagnose.observe.credential import REFUSALS, refusal
from diagnose.transport.deadline import Deadline
from diagnose.wire.headers import ACCEPT, LAST_EVENT, SESSION, is_header_safe
from diagnose.wire.message import Message, Payload, encode, read
from diagnose.wire.sse import Event, SseParser, payload_of

if TYPE_CHECKING:
    from diagnose.observe.ports import HttpBody, HttpPort

#: How long a stream that was cut is left alone where the server did not say (`retry:`), in seconds.
RECONNECT: Final = 1.0
#: So often is one answer's stream resumed.
MAX_RESUMED: Final = 20
#: How long a session may take to be ended, in seconds.
FAREWELL: Final = 2.0
#: So much of a body without an answer is kept for the report, in bytes.
QUOTED: Final = 2_000
_CLIENT_ERROR: Final = 400


class HttpChannel:
    """One MCP endpoint."""

    unasked = False

    def __init__(self, http: HttpPort, url: str, *, sleep: Callable[[float], None]) -> None:
        self._resumable = False
        self._http = http
        self._url = url
        self._sleep = sleep

    def ask(self, message: Mapping[str, Any], headers: Mapping[str, str], timeout: float, listener: Listener) -> Answer:
        """POST a request and read its answer (`Channel.ask`); any status but 401 and 403 is an answer."""
        sent = {"Accept": ACCEPT, "Content-Type": "application/json", **headers}
        with self._http.stream("POST", self._url, headers=sent, body=encode(message), timeout=timeout) as stream:
            refuse_credential(stream, sent=self._http.sends_credential(self._url))
            if stream.headers.media_type != "text/event-stream":
                return self._whole(stream, message["id"], listener)
            # Attempts that failed before have had a time of their own.
            deadline = self._http.deadline.within(timeout)
            reader = _StreamReader(message["id"], listener)
            found = reader.read(stream, deadline)
            status, fields = stream.status, stream.headers
        if found is None and status >= _CLIENT_ERROR:
            return Answer(message=None, status=status, headers=fields)
        for _ in range(MAX_RESUMED):
            if found is not None:
                return Answer(message=found[0], payload=found[1], status=status, headers=fields)
            if not self._resumable or not is_header_safe(reader.last_id):
                break
            found = self._resume(reader, headers, deadline)
        deadline.check("waiting for the rest of an answer")
        raise ObservationError(
            "The server ended the event stream of its answer before the answer had come.",
            rule="timed-out",
            kind="stream-cut",
        )

    def tell(self, message: Mapping[str, Any], headers: Mapping[str, str], timeout: float) -> int | None:
        """POST a notification or an answer; what comes back has no meaning beyond its status.

        202 with an empty body is due; Meridian answers 200 with a result.
        """
        sent = {"Accept": ACCEPT, "Content-Type": "application/json", **headers}
        with self._http.stream("POST", self._url, headers=sent, body=encode(message), timeout=timeout) as stream:
            refuse_credential(stream, sent=self._http.sends_credential(self._url))
            read_away(stream)
            return int(stream.status)

    def hear(self, timeout: float, listener: Listener) -> None:
        """Nothing comes unasked: whoever wants to listen opens a stream of its own (`diagnose.observe.held`)."""

    def settle(self, era: Era) -> None:
        """In the legacy era a stream that was cut may be resumed; in the modern one it is lost."""
        self._resumable = era == "legacy"

    def close(self, headers: Mapping[str, str]) -> str | None:
        """End the session, if there is one. A server may refuse that with 405; nothing depends on it."""
        if SESSION in headers:
            with (
                suppress(ObservationError),
                self._http.stream("DELETE", self._url, headers=headers, timeout=FAREWELL, retry=False),
            ):
                pass
        return None

    def _whole(self, stream: HttpBody, request_id: int, listener: Listener) -> Answer:
        """Read a body as a whole: an answer, a batch with the answer in it, or no JSON-RPC at all."""
        body = stream.read()
        is_json = "json" in stream.headers.media_type or body.lstrip()[:1] in {b"{", b"["}
        payload = read(body, "the answer's body") if is_json else Payload(size=len(body))
        found = pick(payload, request_id, listener, any_id=stream.status >= _CLIENT_ERROR)
        return Answer(message=found, payload=payload, status=stream.status, headers=stream.headers, body=body[:QUOTED])

    def _resume(
        self, reader: _StreamReader, headers: Mapping[str, str], deadline: Deadline
    ) -> tuple[Message, Payload] | None:
        """Ask for the rest of a stream, after the time that the server set (MCP 2025-11-25, Resumability)."""
        wait = RECONNECT if reader.retry is None else reader.retry / 1000
        if wait >= deadline.remaining():
            deadline.check("waiting to resume an event stream")
            raise ObservationError(
                f"The server asks to wait {wait:g} s before its answer is resumed, longer than there is time.",
                rule="timed-out",
                kind="stream-cut",
            )
        self._sleep(wait)
        sent = {"Accept": "text/event-stream", **headers, LAST_EVENT: reader.last_id}
        with self._http.stream("GET", self._url, headers=sent, timeout=deadline.remaining()) as stream:
            refuse_credential(stream, sent=self._http.sends_credential(self._url))
            if stream.headers.media_type != "text/event-stream":
                raise ObservationError(
                    f"The event stream of an answer was cut, and resuming it is answered with HTTP {stream.status}.",
                    rule="timed-out",
                    kind="stream-cut",
                    status=stream.status,
                )
            return reader.read(stream, deadline)


class _StreamReader:
    """Looks for one answer in one stream of events, over all its connections."""

    def __init__(self, request_id: int, listener: Listener) -> None:
        self.last_id = ""
        self.retry: int | None = None
        self._request_id = request_id
        self._listener = listener

    def read(self, stream: HttpBody, deadline: Deadline) -> tuple[Message, Payload] | None:
        """Read until the answer, or until the connection ends: None."""
        for event in events(stream, deadline, self):
            if not event.data:
                continue  # It only brings the id from which to resume.
            payload = payload_of(event)
            found = pick(payload, self._request_id, self._listener)
            if found is not None:
                return found, payload
            self._listener.noticed(payload.oddities)
        return None

    def follow(self, parser: SseParser) -> None:
        """Remember where the stream stands."""
        self.last_id = parser.last_id
        self.retry = parser.retry if parser.retry is not None else self.retry

    def noticed(self, parser: SseParser) -> None:
        """Report the flaws of the stream itself."""
        self._listener.noticed(tuple(parser.oddities))
        parser.oddities.clear()


def events(stream: HttpBody, deadline: Deadline, reader: _StreamReader) -> Iterator[Event]:
    """Yield the events of a stream until it ends, cleanly or not."""
    parser = SseParser(last_id=reader.last_id)
    try:
        for chunk in stream.chunks(deadline.remaining()):
            found = parser.feed(chunk)
            reader.follow(parser)
            reader.noticed(parser)
            yield from found
            deadline.check("reading an event stream")
    except ObservationError as error:
        if error.rule != "unreachable":
            raise


def pick(payload: Payload, request_id: int, listener: Listener, *, any_id: bool = False) -> Message | None:
    """Return the answer to ``request_id`` out of what came, and tell ``listener`` of the rest.

    With ``any_id`` an error with whatever id is taken: who refuses a request may not have read its id.
    """
    answers = [message for message in payload.messages if message.answers(request_id)]
    if not answers and any_id:
        answers = [message for message in payload.messages if message.kind == "error"]
    found = answers[0] if answers else None
    for message in payload.messages:
        if message is not found:
            listener.heard(message, payload.size)
    return found


def read_away(stream: HttpBody) -> None:
    """Read a body that nobody needs, so that the connection can serve the next request; never a stream of events."""
    if stream.headers.media_type != "text/event-stream":
        with suppress(ObservationError):
            stream.read(QUOTED)


def refuse_credential(stream: HttpBody, *, sent: bool) -> None:
    """Raise CredentialRefusedError for 401 and 403, with what the server says about where to get a credential.

    ``sent`` tells whether the request carried one.
    """
    if stream.status not in REFUSALS:
        return
    challenge = stream.headers.get("www-authenticate") or ""
    how = "Give a credential with --auth env:VAR, or store one with `diagnose auth set`."
    raise CredentialRefusedError(
        f"The server {refusal(stream.status, sent=sent)} (HTTP {stream.status}).",
        rule="auth-blocked",
        advice="The credential may have expired or lack a scope: sign in again and give the new one." if sent else how,
        status=stream.status,
        credentialSent=sent,
        **_challenge(challenge),
    )


def _challenge(text: str) -> dict[str, str]:
    """Take the parameters that matter from a `WWW-Authenticate` header (RFC 9728, RFC 6750)."""
    import re

    found = {}
    for name in ("resource_metadata", "error", "scope"):
        match = re.search(rf'\b{name}\s*=\s*"([^"]*)"', text)
        if match:
            found[name] = match.group(1)[:500]
    return found

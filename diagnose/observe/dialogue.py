"""A numbered exchange of messages with one server, before and after its era is known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from diagnose.errors import ObservationError
from diagnose.evidence.observation import Anomaly
from diagnose.observe.channel import Answer, Channel
from diagnose.record import record
from diagnose.transport.deadline import Deadline
from diagnose.wire.message import METHOD_NOT_FOUND, Message, answer, notification, refusal, request
from diagnose.wire.oddity import Oddity
from diagnose.wire.subscription import RequestId

#: So many anomalies and notices of one session are kept; a flood says no more than its beginning.
MAX_KEPT: Final = 1_000
#: And so many bytes of notices.
MAX_NOTICES: Final = 32 * 1024 * 1024
#: So many requests of a server are answered while one of ours waits.
MAX_SERVER_REQUESTS: Final = 100


@record
class Notice:
    """A notification or request of the server, and when it came: its place among all messages that we received."""

    number: int
    method: str
    raw: Mapping[str, Any]


class Dialogue:
    """Numbers requests, keeps what else the server says, and answers what it asks.

    ``timeout`` (seconds) bounds one request, ``deadline`` all of them.
    """

    def __init__(self, channel: Channel, *, timeout: float, deadline: Deadline) -> None:
        self.channel = channel
        self.timeout = timeout
        self.deadline = deadline
        self.headers: Mapping[str, str] = {}
        """Sent with what is no request of ours: answers, notifications."""
        self.notices: list[Notice] = []
        self.anomalies: list[Anomaly] = []
        self.notes: list[str] = []
        self.on_notice: Callable[[Notice], None] | None = None
        self.on_end: Callable[[Message], None] | None = None
        """Called with the answer to a request of `begin`: what it had opened is over."""
        self._ids = itertools.count(1)
        self._last_id = 0
        self._begun: list[RequestId] = []
        self._received = 0
        self._answered = 0
        self._room = MAX_NOTICES
        self._answering = False
        self._abandoned: dict[int, Message | None] = {}

    def ask(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        label: str = "",
    ) -> Answer:
        """Send a request and return what came back.

        ``label`` names the answer in the anomalies that are found in it. Raises what `Channel.ask` raises.
        """
        self.deadline.check(f"waiting for {method}")
        self._last_id = self.number()
        message = request(self._last_id, method, params)
        within = self.timeout if timeout is None else timeout
        try:
            got = self.channel.ask(message, self.headers if headers is None else headers, within, self)
        except ObservationError as error:
            self._abandoned[self._last_id] = None
            error.args_by_name.setdefault("method", method)
            raise
        self._received += 1
        # A body that is no message is told by whoever expected one; only of messages are the flaws worth reporting.
        if got.message is not None or got.payload.messages:
            self._report(got.payload.oddities, label or method)
        return got

    def tell(self, method: str, params: Mapping[str, Any] | None = None) -> int | None:
        """Send a notification and return the HTTP status, if there is one."""
        return self.channel.tell(notification(method, params), self.headers, self.timeout)

    def number(self) -> int:
        """Return the id of a request; any thread may ask for one."""
        return next(self._ids)

    def begin(self, message: Mapping[str, Any]) -> None:
        """Send a request that opens something and is answered when that is over; nobody waits for the answer here."""
        self._begun.append(message["id"])
        self.channel.tell(message, self.headers, self.timeout)

    def hear(self, seconds: float) -> None:
        """Take in what comes unasked, for so long or until something has come. Raises ChannelEndedError."""
        self.channel.hear(seconds, self)

    def legacy(self) -> None:
        """Go on in the legacy era: requests of the server are answered."""
        self._answering = True
        self.channel.settle("legacy")

    def modern(self) -> None:
        """Go on in the modern era: a client must send no answers (MCP 2026-07-28, transports)."""
        self._answering = False
        self.channel.settle("modern")

    def cancel(self) -> None:
        """Tell the server that nobody waits for the last request any more; a channel that broke need not know."""
        try:
            self.tell("notifications/cancelled", {"requestId": self._last_id})
        except ObservationError:
            self.notes.append(f"Request {self._last_id} could not be cancelled.")

    def close(self) -> str | None:
        """End the channel; return the step that was needed to end a child."""
        return self.channel.close(self.headers)

    def late_answer(self) -> Message | None:
        """Return an answer that came after its request had been given up."""
        return next((message for message in self._abandoned.values() if message is not None), None)

    def heard(self, message: Message, size: int) -> None:
        """Take in what is not the answer being waited for (`Listener`)."""
        self._received += 1
        if message.is_answer:
            self._stray(message)
            return
        notice = Notice(number=self._received, method=message.method, raw=message.raw)
        self._room -= size
        if len(self.notices) < MAX_KEPT and self._room > 0:
            self.notices.append(notice)
        if self.on_notice is not None:
            self.on_notice(notice)
        if message.kind == "request" and self._answering:
            self._reply(message)

    def noticed(self, oddities: tuple[Oddity, ...]) -> None:
        """Take in flaws of the wire (`Listener`)."""
        self._report(oddities, "")

    def _stray(self, message: Message) -> None:
        for begun in self._begun:
            if message.id == begun and isinstance(message.id, str) == isinstance(begun, str):
                self._begun.remove(begun)
                if self.on_end is not None:
                    self.on_end(message)
                return
        for given_up in self._abandoned:
            if message.answers(given_up):
                self._abandoned[given_up] = message
                return
        detail = f"an answer with id {message.id!r:.60} where {self._last_id} was asked"
        if any(message.answers(asked) for asked in range(1, self._last_id + 1)):
            detail = f"a second answer with id {message.id!r:.60}"
        self._keep([Anomaly(kind="wrong-id", where=f"answer {self._received}", detail=detail)])

    def _reply(self, message: Message) -> None:
        """Answer `ping`, as everybody must; refuse the rest, for we declared no capability."""
        self._answered += 1
        if message.id is None or self._answered > MAX_SERVER_REQUESTS:
            return
        if message.method == "ping":
            reply = answer(message.id, {})
        else:
            reply = refusal(message.id, METHOD_NOT_FOUND, f"{message.method} is not supported by this client")
        try:
            self.channel.tell(reply, self.headers, self.timeout)
        except ObservationError as error:
            self.notes.append(f"The server's {message.method[:60]} could not be answered: {error}")

    def _report(self, oddities: Iterable[Oddity], label: str) -> None:
        self._keep(Anomaly(kind=oddity.kind, where=_place(oddity, label), detail=oddity.detail) for oddity in oddities)

    def _keep(self, anomalies: Iterable[Anomaly]) -> None:
        self.anomalies.extend(list(anomalies)[: MAX_KEPT - len(self.anomalies)])


def _place(oddity: Oddity, label: str) -> str:
    """Say where an oddity is: by its label and the pointer into the result, else by its place on the wire."""
    if label:
        return f"{label} {oddity.pointer.removeprefix('/result')}".strip()
    return f"{oddity.where} {oddity.pointer}".strip()

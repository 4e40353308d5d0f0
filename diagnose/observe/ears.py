"""Where the signals of one session are heard: on a stream of their own, or among everything else that comes.

Both ears are used by one thread, that of the session; a stream is read by another, which only hands over what came.
"""

from __future__ import annotations

import queue
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diagnose.errors import ObservationError
from diagnose.observe.dialogue import Notice
from diagnose.observe.heard import ChannelKind, Heard, HeardKind
from diagnose.observe.session import Session
from diagnose.observe.stream import REOPEN, Came, Ended, Flawed, News, Opened, StreamAsk, StreamKeeper
from diagnose.transport.deadline import Deadline
from diagnose.wire.headers import ACCEPT, legacy_headers, modern_headers
from diagnose.wire.message import Message
from diagnose.wire.subscription import ACKNOWLEDGED, CANCELLED, RequestId, listen_request, subscription_of

if TYPE_CHECKING:
    from diagnose.observe.ports import HttpPort


@dataclass(frozen=True, slots=True, kw_only=True)
class EarSettings:
    """What every ear needs.

    ``notifications`` is what a modern server is asked to tell of; ``tell`` takes what happens, ``clock`` gives the
    seconds of the recording, ``chance`` numbers from 0 to below 1.
    """

    notifications: Mapping[str, Any]
    tell: Callable[[Heard], None]
    clock: Callable[[], float]
    chance: Callable[[], float]


class Ear(ABC):
    """Hears one session until it is closed, or the session ends: ``lost`` then says why."""

    kind: ChannelKind

    def __init__(self, session: Session, settings: EarSettings) -> None:
        self.listening = False
        self.granted: Mapping[str, Any] | None = None
        self.lost: str | None = None
        self.session = session
        self.settings = settings
        self._subscription: RequestId | None = None
        self._at: float | None = None
        session.dialogue.on_notice = self._noticed

    @abstractmethod
    def open(self) -> None:
        """Begin to listen."""

    @abstractmethod
    def take(self, deadline: Deadline) -> None:
        """Take in what comes next, or nothing when the time is up."""

    @abstractmethod
    def close(self) -> None:
        """Listen no more."""

    @abstractmethod
    def subscription(self, request_id: RequestId, notifications: Mapping[str, Any]) -> AbstractContextManager[None]:
        """Open a subscription beside the session's own, for the length of the block; a modern session only.

        What comes on it is heard as notices, and its end as `over`. It is not opened again.
        """

    def gone(self, why: str) -> None:
        """Take note that the session has ended."""
        if self.lost is None:
            self.lost, self.listening = why, False
            self._tell("gone", why=why)

    def _listen(self) -> dict[str, Any]:
        """Return the request for a subscription, which every later message of it is known by."""
        self._subscription = self.session.dialogue.number()
        return listen_request(self._subscription, self.settings.notifications, self.session.protocol_version)

    def _opened(self) -> None:
        self.listening = True
        self._tell("open")

    def _noticed(self, notice: Notice) -> None:
        params = notice.raw.get("params")
        params = params if isinstance(params, dict) else {}
        # A server that writes 2 as "2" is at fault, and heard all the same.
        if notice.method == ACKNOWLEDGED and str(subscription_of(notice.raw)) == str(self._subscription):
            granted = params.get("notifications")
            self.granted = granted if isinstance(granted, dict) else {}
            self._opened()
        elif notice.method == CANCELLED and params.get("requestId") == self._subscription:
            self._cancelled()
        else:
            self._tell("notice", notice=notice)

    @abstractmethod
    def _cancelled(self) -> None:
        """Take in that the server tears the subscription down."""

    def _tell(self, kind: HeardKind, **facts: Any) -> None:
        self.settings.tell(Heard(kind=kind, at=self.settings.clock() if self._at is None else self._at, **facts))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Over:
    """A stream beside the session's own has ended, or was refused."""

    request_id: RequestId
    why: str


class StreamEar(Ear):
    """Hears a session over HTTP on a stream of its own."""

    def __init__(self, session: Session, settings: EarSettings, http: HttpPort, url: str) -> None:
        super().__init__(session, settings)
        self.kind = "listen" if session.era == "modern" else "get"
        self._http = http
        self._url = url
        self._news: queue.SimpleQueue[tuple[float, News | _Over]] = queue.SimpleQueue()
        self._keeper = StreamKeeper(http, self._ask, self._told, chance=settings.chance)

    def open(self) -> None:
        """Ask for the stream."""
        self._keeper.start()

    def take(self, deadline: Deadline) -> None:
        """Take in what the stream brought."""
        try:
            self._at, news = self._news.get(timeout=deadline.remaining())
        except queue.Empty:
            return
        match news:
            case Opened():
                if self.kind == "get":
                    self._opened()
            case Came():
                if not news.message.is_answer:
                    self.session.dialogue.heard(news.message, news.size)
            case Flawed():
                self.session.dialogue.noticed(news.oddities)
            case Ended():
                self._ended(news)
            case _Over():
                self._tell("over", why=news.why, subscription=news.request_id)
        self._at = None

    def close(self) -> None:
        """Leave the stream."""
        self._keeper.stop()

    @contextmanager
    def subscription(self, request_id: RequestId, notifications: Mapping[str, Any]) -> Iterator[None]:
        """Open a stream beside the session's own (`Ear.subscription`)."""
        message = listen_request(request_id, notifications, self.session.protocol_version)

        def told(news: News) -> None:
            self._told(_Over(request_id=request_id, why=news.why) if isinstance(news, Ended) else news, beside=True)

        keeper = StreamKeeper(self._http, lambda: self._post(message), told, chance=self.settings.chance, reopen=False)
        keeper.start()
        try:
            yield
        finally:
            keeper.stop()

    def _cancelled(self) -> None:
        """Leave it to the end of the stream, which follows and says the same."""

    def _told(self, news: News | _Over, *, beside: bool = False) -> None:
        """Take over what a keeper tells, in its thread."""
        if not (beside and isinstance(news, Opened)):
            self._news.put((self.settings.clock(), news))

    def _ask(self) -> StreamAsk:
        """Return the request for the stream; called in the keeper's thread."""
        if self.kind == "get":
            session = legacy_headers(self.session.protocol_version, self.session.session_id)
            sent = {"Accept": "text/event-stream", **session}
            return StreamAsk(method="GET", url=self._url, headers=sent)
        return self._post(self._listen())

    def _post(self, message: Mapping[str, Any]) -> StreamAsk:
        mirrored = modern_headers(message, self.session.protocol_version)
        headers = {"Accept": ACCEPT, "Content-Type": "application/json", **mirrored}
        return StreamAsk(method="POST", url=self._url, headers=headers, message=message)

    def _ended(self, news: Ended) -> None:
        self.listening = False
        if news.session_lost and self.session.session_id is not None:
            self.gone(news.why)
            return
        kind: HeardKind = "absent" if not news.opened and news.again_in is None else "closed"
        self._tell(kind, why=news.why, clean=news.clean, status=news.status, again_in=news.again_in)


class SharedEar(Ear):
    """Hears a session whose signals come among its answers: a command, or HTTP+SSE."""

    kind = "shared"

    def __init__(self, session: Session, settings: EarSettings) -> None:
        super().__init__(session, settings)
        self._losses = 0
        self._again: Deadline | None = None
        session.dialogue.on_end = self._over

    def open(self) -> None:
        """Subscribe where the era knows subscriptions; before it, whoever reads hears."""
        if self.session.era == "legacy":
            self._opened()
        else:
            self._subscribe()

    def take(self, deadline: Deadline) -> None:
        """Take in what comes; a subscription that has ended is asked for again when its time has come."""
        if self.lost is not None:
            time.sleep(deadline.remaining())  # nothing comes any more
            return
        if self._again is not None and self._again.expired:
            self._subscribe()
        remaining = deadline.remaining()
        try:
            self.session.dialogue.hear(remaining if self._again is None else self._again.bound(remaining))
        except ObservationError as error:
            self.gone(str(error))

    def close(self) -> None:
        """Leave nothing: the pipe is the session's."""

    @contextmanager
    def subscription(self, request_id: RequestId, notifications: Mapping[str, Any]) -> Iterator[None]:
        """Ask for a second subscription on the same pipe, and cancel it at the end (`Ear.subscription`)."""
        message = listen_request(request_id, notifications, self.session.protocol_version)
        self.session.dialogue.begin(message)
        try:
            yield
        finally:
            if self.lost is None:
                self.session.notify(CANCELLED, {"requestId": request_id})

    def _subscribe(self) -> None:
        self._again = None
        try:
            self.session.dialogue.begin(self._listen())
        except ObservationError as error:
            self.gone(str(error))

    def _cancelled(self) -> None:
        self._closed("the server cancelled the subscription", clean=True)

    def _over(self, message: Message) -> None:
        """Take in the answer to a subscription: it was refused, or is over."""
        if message.id != self._subscription:
            self._tell("over", why=f"answered with {message.kind}", subscription=message.id)
        elif message.kind == "error" and not self.listening:
            error = message.error
            self._tell("absent", why=f"the subscription was refused with error {error.code}: {error.message[:200]}")
        else:
            self._closed("the server ended the subscription", clean=message.kind == "result")

    def _closed(self, why: str, *, clean: bool) -> None:
        if self._again is None:
            delay = REOPEN.delay(self._losses, self.settings.chance())
            self._losses += 1
            self._again = Deadline(delay)
            self.listening = False
            self._tell("closed", why=why, clean=clean, again_in=delay)

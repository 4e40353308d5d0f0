"""What a session needs of the thing that carries its messages, be it HTTP or a child's pipes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol

from diagnose.errors import ObservationError
from diagnose.evidence.observation import Era
from diagnose.record import record
from diagnose.transport.answer import Headers
from diagnose.wire.message import Message, Payload
from diagnose.wire.oddity import Oddity


@record
class Answer:
    """What came back for one request. ``message`` is None where it was no JSON-RPC answer at all."""

    message: Message | None
    payload: Payload = field(default_factory=Payload)
    """What the answer came in; its oddities are not yet reported."""
    status: int | None = None
    headers: Headers = field(default_factory=Headers)
    body: bytes = b""
    """The first bytes of a body that held no answer."""


class ChannelEndedError(ObservationError):
    """The other side has gone while an answer was due."""


class Listener(Protocol):
    """Who is told of everything that is not the answer being waited for."""

    def heard(self, message: Message, size: int) -> None:
        """Take in a notification, a request of the server, or an answer to something else; ``size`` is in bytes."""

    def noticed(self, oddities: tuple[Oddity, ...]) -> None:
        """Take in flaws of the wire."""


class Channel(Protocol):
    """Carries messages to one server. ``unasked``: whether `hear` can hear anything, as nobody asks for it first."""

    @property
    def unasked(self) -> bool:
        """Whether messages come without a request that they belong to."""

    def ask(self, message: Mapping[str, Any], headers: Mapping[str, str], timeout: float, listener: Listener) -> Answer:
        """Send a request and wait ``timeout`` seconds for its answer, telling ``listener`` of all that comes before it.

        Raises ObservationError if none came in time or the channel broke, CredentialRefusedError on 401 and 403.
        """

    def tell(self, message: Mapping[str, Any], headers: Mapping[str, str], timeout: float) -> int | None:
        """Send a notification, or the answer to a server's request; return the HTTP status, if there is one."""

    def hear(self, timeout: float, listener: Listener) -> None:
        """Tell ``listener`` of what comes unasked, for ``timeout`` seconds or until something has come.

        A channel on which nothing comes unasked waits for nothing. Raises ChannelEndedError once the other side has gone.
        """

    def settle(self, era: Era) -> None:
        """Learn which era is spoken from now on."""

    def close(self, headers: Mapping[str, str]) -> str | None:
        """End the conversation; return what step was needed to end a child. Never raises ObservationError."""

"""Whoever sees the whole messages that the reader takes in, of which a timeline keeps only what its own rules need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from diagnose.judge.timeline.asking import Ask
    from diagnose.judge.timeline.deeds import Moment
    from diagnose.judge.timeline.model import Session
    from diagnose.wire.message import Message


class Witness(Protocol):
    """Is told of each request, of its answer once the two are paired, and of what a server says unasked."""

    def asked(self, ask: Ask, message: Message) -> None:
        """See a request."""

    def answered(self, ask: Ask, message: Message | None, at: Moment) -> None:
        """See the answer to a request; None where only an HTTP status refused it."""

    def told(self, session: Session, message: Message, at: Moment) -> None:
        """See a notification of the server."""

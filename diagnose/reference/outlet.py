"""Where a server tells what no request asked for: a subscription, a legacy GET stream, or the pipe of a stdio session."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from diagnose.reference.exchange import Ask
from diagnose.wire.subscription import SUBSCRIPTION_ID

Message: TypeAlias = Mapping[str, Any]


class Pipe(Protocol):
    """The way to the client. Both raise `OSError` where it has gone."""

    def send(self, message: Message) -> None:
        """Put one message on the way."""

    def finish(self, *, clean: bool) -> None:
        """Say that nothing follows; unless ``clean``, break off without saying so."""


class Outlet:
    """One such place, from the request that asks for it on; ``ask`` is None for the pipe of a handshake session.

    Nothing goes out before ``pipe`` is set and after `close`. May be used from any thread.
    """

    def __init__(self, ask: Ask | None, pipe: Pipe | None = None) -> None:
        self.ask = ask
        self.pipe = pipe
        self._closed = threading.Event()
        self._lock = threading.RLock()

    @property
    def subscription(self) -> Any:
        """The id of the subscription; None for what is none."""
        return self.ask.message.get("id") if self.ask is not None and self.ask.is_listen else None

    @property
    def asked(self) -> Mapping[str, Any] | None:
        """What a subscription was asked to tell of; None for what is none and tells of everything."""
        if self.ask is None or not self.ask.is_listen:
            return None
        asked = self.ask.params.get("notifications")
        return asked if isinstance(asked, dict) else {}

    @property
    def closed(self) -> bool:
        """Whether nothing goes out any more."""
        return self._closed.is_set()

    def ends_within(self, seconds: float) -> bool:
        """Wait for the end of this, so long at most; return whether it has come. A client's leaving is noticed late."""
        return self._closed.wait(seconds)

    def send(self, message: Message) -> None:
        """Send one message, if this is open."""
        with self._lock:
            if self.closed or self.pipe is None:
                return
            try:
                self.pipe.send(message)
            except OSError:
                self._closed.set()  # the client has gone

    def close(self, *, clean: bool = True) -> None:
        """End this, once; unless ``clean``, as a connection that breaks does."""
        with self._lock:
            if self.closed or self.pipe is None:
                return
            self._closed.set()
            try:
                self.pipe.finish(clean=clean)
            except OSError:
                return  # the client has gone: that is an end as well

    def gone(self) -> None:
        """Take note that the client has gone, or was never let in."""
        self._closed.set()

    def complete(self) -> None:
        """End this subscription as a server that means to: by its result."""
        result = {"resultType": "complete", "_meta": {SUBSCRIPTION_ID: self.subscription}}
        self.send({"jsonrpc": "2.0", "id": self.subscription, "result": result})
        self.close()

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        """Do something in so many seconds, if this is still open then."""

        def act() -> None:
            if not self.closed:
                action()

        timer = threading.Timer(seconds, act)
        timer.daemon = True
        timer.start()

    def notification(self, method: str) -> Message:
        """Return a notification as it has to look on this outlet."""
        if self.subscription is None:
            return {"jsonrpc": "2.0", "method": method}
        return {"jsonrpc": "2.0", "method": method, "params": {"_meta": {SUBSCRIPTION_ID: self.subscription}}}

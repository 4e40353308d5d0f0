"""A child's standard input and output: one message a line (MCP 2026-07-28, transports/stdio)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from diagnose.errors import ObservationError
from diagnose.evidence.observation import Era
from diagnose.observe.channel import Answer, ChannelEndedError, Listener
from diagnose.transport.deadline import Deadline
from diagnose.wire.framing import Line, LineFramer
from diagnose.wire.message import Message, Payload, encode, read
from diagnose.wire.oddity import Oddity, quote

if TYPE_CHECKING:
    from diagnose.observe.ports import ProcessPort

#: So many lines of stderr are shown when a child fails.
_SHOWN: Final = 5
#: Seconds that a child that has closed its output gets to exit, so that its exit code can be told.
_EXIT_GRACE: Final = 1.0
#: How a message begins, after blanks and a byte order mark.
_OPENINGS: Final = (b"{", b"[", b"")
_BLANK: Final = b" \t\r\xef\xbb\xbf"


class StdioChannel:
    """One child. Lines that came behind an answer wait for the next request."""

    unasked = True

    def __init__(self, process: ProcessPort, deadline: Deadline) -> None:
        self._process = process
        self._deadline = deadline
        self._framer = LineFramer()
        self._waiting: deque[Line] = deque()
        self._ended = False
        self._told_begun = 0

    def ask(
        self,
        message: Mapping[str, Any],
        headers: Mapping[str, str],
        timeout: float,
        listener: Listener,
    ) -> Answer:
        """Write a request and read lines until its answer (`Channel.ask`)."""
        del headers  # a pipe has none
        deadline = self._deadline.within(timeout)
        try:
            self._process.send(encode(message) + b"\n")
        except ObservationError as error:
            if error.args_by_name.get("kind") == "exited":
                self._hear_out(listener)
                raise self._ended_early(message["method"]) from error
            raise
        while True:
            line = self._next(deadline)
            if line is None and self._ended:
                raise self._ended_early(message["method"])
            if line is None:
                self._tell_begun(listener)
                raise self._silent(message["method"], timeout)
            payload = self._read(line)
            found = next((entry for entry in payload.messages if entry.answers(message["id"])), None)
            _tell(listener, payload, but=found)
            if found is not None:
                listener.noticed(line.oddities)
                return Answer(message=found, payload=payload)
            listener.noticed(line.oddities + payload.oddities)

    def tell(self, message: Mapping[str, Any], headers: Mapping[str, str], timeout: float) -> int | None:
        """Write a notification or an answer."""
        del headers, timeout  # a pipe has none, and takes a line at once
        self._process.send(encode(message) + b"\n")
        return None

    def hear(self, timeout: float, listener: Listener) -> None:
        """Read lines for ``timeout`` seconds or until a message has come (`Channel.hear`)."""
        deadline = self._deadline.within(timeout)
        while (line := self._next(deadline)) is not None:
            payload = self._read(line)
            _tell(listener, payload)
            listener.noticed(line.oddities + payload.oddities)
            if payload.messages:
                return
        if self._ended:
            raise ChannelEndedError(
                "The command has ended.", rule="unreachable", kind="exited", stderr=self._last_words()
            )

    def settle(self, era: Era) -> None:
        """Nothing depends on the era: lines are lines."""

    def close(self, headers: Mapping[str, str]) -> str | None:
        """End the child and return the step that was needed: `stdin-closed`, `terminated`, `killed`, `had-exited`."""
        del headers  # a pipe has none
        return str(self._process.close().step)

    def _next(self, deadline: Deadline) -> Line | None:
        """Return the next line; None when time is up or the child has closed its output."""
        from diagnose.transport.stdio import EOF

        while not self._waiting:
            if self._ended or deadline.expired:
                return None
            chunk = self._process.receive(deadline.remaining())
            if chunk == EOF:
                self._ended = True
                self._waiting.extend(self._framer.close())
            elif chunk is not None:
                self._waiting.extend(self._framer.feed(chunk))
        return self._waiting.popleft()

    def _read(self, line: Line) -> Payload:
        payload = read(line.data, line.where) if line.data else Payload()
        return replace(payload, oddities=()) if line.number == self._told_begun else payload

    def _hear_out(self, listener: Listener) -> None:
        """Take in what a child that has ended had still said."""
        deadline = self._deadline.within(_EXIT_GRACE)
        while (line := self._next(deadline)) is not None:
            payload = self._read(line)
            _tell(listener, payload)
            listener.noticed(line.oddities + payload.oddities)

    def _tell_begun(self, listener: Listener) -> None:
        """Tell of a line that does not end and is no message that is still being written, such as a prompt."""
        begun = self._framer.begun
        if begun is not None and begun.number != self._told_begun and begun.data.lstrip(_BLANK)[:1] not in _OPENINGS:
            self._told_begun = begun.number
            listener.noticed((Oddity(kind="junk-line", where=begun.where, detail=quote(begun.data)),))

    def _silent(self, method: str, timeout: float) -> ObservationError:
        self._deadline.check(f"waiting for the answer to {method}")
        return ObservationError(
            f"The command did not answer {method} within {timeout:g} s.",
            rule="timed-out",
            advice="Ask again, or give it more time with --timeout SECONDS.",
            stderr=self._last_words(),
        )

    def _ended_early(self, method: str) -> ObservationError:
        code = self._process.wait(_EXIT_GRACE)
        words = self._last_words()
        said = f" Its last words: {words[-1][:200]}" if words else ""
        return ChannelEndedError(
            f"The command {_how_ended(code)} before it answered {method}.{said}",
            rule="unreachable",
            advice="Run the command by hand to see what it says.",
            kind="exited",
            exit_code=code,
            stderr=words,
        )

    def _last_words(self) -> list[str]:
        return list(self._process.stderr_tail())[-_SHOWN:]


def _how_ended(code: int | None) -> str:
    if code is None:
        return "closed its output"
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"


def _tell(listener: Listener, payload: Payload, *, but: Message | None = None) -> None:
    """Tell of every message in a line, except of the answer that is being waited for."""
    for message in payload.messages:
        if message is not but:
            listener.heard(message, payload.size)

"""The recording of a stdio session: its bytes come in pieces, its messages are lines."""

from __future__ import annotations

from diagnose.tap.entries import Entries, Sender, clean
from diagnose.tap.frames import CLIENT, FACT, SERVER, STDERR, Frame
from diagnose.wire.framing import Line, LineFramer

CHANNEL = "stdio"


class StdioRecord:
    """Reads frames, puts entries."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._framers = {kind: LineFramer() for kind in (CLIENT, SERVER, STDERR)}

    def take(self, frame: Frame) -> None:
        """Take in one frame."""
        if frame.kind == FACT:
            fact = frame.fact
            if fact.get("do") == "closed":
                by: Sender = "client" if fact.get("by") == "client" else "server"
                self._entries.put(frame.t, by, "stream-close", channel=CHANNEL, by=by, clean=by == "client")
            if fact.get("do") == "action":
                self._entries.put(frame.t, "client", "action", text=fact.get("text"))
            if fact.get("do") == "process":
                self._close(frame.t, fact.get("event") == "exit")
                self._entries.put(
                    frame.t, "tap", "process", event=fact.get("event"), code=fact.get("code"), text=fact.get("text")
                )
            return
        framer = self._framers.get(frame.kind)
        for line in framer.feed(frame.data) if framer is not None else ():
            self._line(frame.kind, line, frame.t)

    def close(self, t: float) -> None:
        """Put what was left without a line end."""
        self._close(t, True)

    def _close(self, t: float, over: bool) -> None:
        for kind, framer in self._framers.items() if over else ():
            for line in framer.close():
                self._line(kind, line, t)

    def _line(self, kind: bytes, line: Line, t: float) -> None:
        if kind == STDERR:
            text = self._entries.omission.text(line.data.decode(errors="backslashreplace"))
            self._entries.put(t, "server", "stderr", text=text, channel=CHANNEL)
            return
        sender: Sender = "client" if kind == CLIENT else "server"
        oddities = {oddity.kind: oddity for oddity in line.oddities}
        if "oversized-line" in oddities:
            self._entries.raw(t, sender, oddities["oversized-line"].detail.encode(), lane=CHANNEL, channel=CHANNEL)
        elif "crlf" in oddities:
            # A reader of frames has to see what ended the line: some readers die of it.
            self._entries.raw(t, sender, line.data + b"\r\n", lane=CHANNEL, channel=CHANNEL)
        elif line.data:
            self._message(t, sender, line.data)

    def _message(self, t: float, sender: Sender, data: bytes) -> None:
        value = clean(data)
        if value is None:
            self._entries.raw(t, sender, data, lane=CHANNEL, channel=CHANNEL)
        else:
            message = self._entries.message(sender, value, CHANNEL)
            self._entries.put(t, sender, "message", channel=CHANNEL, message=message)

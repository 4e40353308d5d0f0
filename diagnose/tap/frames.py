"""What the forwarding process tells the recording one, through a pipe: kind, time, stream, bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

#: Bytes of the client, of the server, of the server's stderr.
CLIENT: Final = b"c"
SERVER: Final = b"s"
STDERR: Final = b"e"
#: A fact, as JSON: a process that started, the head of a request, an end.
FACT: Final = b"j"

_HEAD: Final = struct.Struct("<cdII")


class Frame(NamedTuple):
    """One piece of news. ``t`` is seconds since the start; ``stream`` tells HTTP exchanges apart."""

    kind: bytes
    t: float
    stream: int
    data: bytes

    @property
    def fact(self) -> dict[str, Any]:
        """The fact that it tells."""
        fact: dict[str, Any] = json.loads(self.data)
        return fact


def pack(kind: bytes, t: float, stream: int, data: bytes) -> bytes:
    """Return a frame as bytes."""
    return _HEAD.pack(kind, t, stream, len(data)) + data


def unpack(read: Callable[[int], bytes]) -> Iterator[Frame]:
    """Yield the frames of a stream until it ends; one that was cut never was. ``read(n)`` returns n bytes, fewer at the end."""
    while len(head := read(_HEAD.size)) == _HEAD.size:
        kind, t, stream, length = _HEAD.unpack(head)
        data = read(length)
        if len(data) < length:
            return
        yield Frame(kind, t, stream, data)

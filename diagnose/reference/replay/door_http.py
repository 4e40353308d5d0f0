"""A replay over HTTP, of both eras and of HTTP+SSE."""

from __future__ import annotations

import json
import queue
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from diagnose.errors import InputError
from diagnose.reference.door import Door, DoorHandler, StreamPipe
from diagnose.reference.event_stream import event_of
from diagnose.reference.exchange import Answer, Ask
from diagnose.reference.replay.player import Player
from diagnose.reference.replay.tape import SESSION, Tape
from diagnose.transport.origin import Origin

_PLAIN = (("content-type", "text/plain"),)


class _Word(NamedTuple):
    """What the player says to one request: the head of the answer, a piece of it, or its end."""

    kind: str
    head: Answer | None = None
    streams: bool = False
    message: Any = None
    data: bytes = b""
    clean: bool = True


def replay_over_http(tape: Tape, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Play to all who connect, until a signal ends the process: raises `KeyboardInterrupt`, and `SystemExit` on SIGTERM."""
    door = ReplayDoor(listener, Player(tape))
    former = signal.signal(signal.SIGTERM, lambda number, _: _leave(number))
    try:
        door.start()
        ready()
        threading.Event().wait()
    finally:
        signal.signal(signal.SIGTERM, former)


def _leave(number: int) -> None:
    raise SystemExit(128 + number)


class ReplayDoor(Door):
    """Listens, and lets a player speak."""

    def __init__(self, listener: socket.socket, player: Player) -> None:
        super().__init__(listener, _Handler)
        self.is_for_this_machine = Origin(scheme="http", host=str(self.server_address[0]), port=80).is_loopback
        self.player = player
        player.start()


class _Handler(DoorHandler):
    server: ReplayDoor

    def respond(self) -> None:
        """Put one request to the player, and pass on what it says until it has said all."""
        ask = self.ask()
        if self.server.is_for_this_machine and not _is_local(ask, self.headers.get("host")):
            self.send(Answer(status=403, headers=_PLAIN, body=b"Its Host or Origin is none of this machine.\n"))
            return
        mouth = _Mouth()
        beside = ask.message is None and (ask.verb not in {"GET", "DELETE"} or "/.well-known/" in ask.path)
        if beside or not self.server.player.hear(ask.message, mouth, verb=ask.verb, session=ask.header(SESSION)):
            self.send(_unknown(ask))
            return
        pipe: StreamPipe | None = None
        whole, body = Answer(), b""
        while True:
            word = mouth.words.get()
            if word.kind == "begin" and word.head is not None:
                whole = word.head
                pipe = self.begin(whole) if word.streams else None
            elif word.kind == "end":
                break
            elif pipe is not None:
                pipe.write(event_of(word.message) if word.message is not None else word.data + b"\n\n")
            else:
                body += word.data if word.message is None else Answer.of(word.message).body
        if pipe is not None:
            pipe.finish(clean=word.clean)
            self.close_connection = True
        elif not word.clean:
            self.close_connection = True
        else:
            self.send(Answer(status=whole.status, headers=whole.headers, body=body))


def _is_local(ask: Ask, host: str | None) -> bool:
    """Tell whether no page of a stranger asks (MCP 2025-11-25, basic/transports, security: DNS rebinding)."""
    try:
        return all(Origin.of(url).is_loopback for url in (f"http://{host}", ask.header("origin") or "http://localhost"))
    except InputError:
        return False


def _unknown(ask: Ask) -> Answer:
    if ask.verb == "POST" and ask.message is not None:
        return Answer(status=202, headers=())
    status = 405 if ask.verb == "GET" and "/.well-known/" not in ask.path else 200 if ask.verb == "DELETE" else 404
    text = b"This is a replay, and the recording has no answer to this.\n"
    return Answer(status=status, headers=(*_PLAIN, ("allow", "POST")) if status == 405 else _PLAIN, body=text)


class _Mouth:
    """Takes what the player says to where the thread of the connection finds it."""

    def __init__(self) -> None:
        self.words: queue.SimpleQueue[_Word] = queue.SimpleQueue()

    def begin(self, status: int, headers: Mapping[str, str], *, streams: bool) -> None:
        """Begin the answer."""
        self.words.put(_Word("begin", Answer(status=status, headers=tuple(headers.items())), streams))

    def say(self, message: Any) -> None:
        """Say a message: as the body, or as an event of the stream."""
        self.words.put(_Word("say", message=json.loads(json.dumps(message))))

    def raw(self, data: bytes) -> None:
        """Say bytes that are no message."""
        self.words.put(_Word("say", data=data))

    def end(self, *, clean: bool, code: int | None = None) -> None:
        """End the answer."""
        del code
        self.words.put(_Word("end", clean=clean))

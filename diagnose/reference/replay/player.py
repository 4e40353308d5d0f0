"""Plays a tape: whoever says what the recorded client said gets what it got, in that order and after about that time."""

from __future__ import annotations

import contextlib
import heapq
import itertools
import threading
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final, Protocol

from diagnose.reference.replay.tape import Cue, Lane, Said, Tape
from diagnose.reference.replay.words import Key, asks, key_of, method_of, readdressed
from diagnose.wire.message import METHOD_NOT_FOUND
from diagnose.wire.subscription import LIST_CHANGED

#: Seconds that anything is waited for at most, however long it took when it was recorded.
LONGEST: Final = 1.0
INTERNAL_ERROR: Final = -32603
_HANDSHAKES: Final = frozenset({"initialize", "server/discover"})


class Mouth(Protocol):
    """The way back to a client. Nothing of it waits, and it may be used from any thread."""

    def begin(self, status: int, headers: Mapping[str, str], *, streams: bool) -> None:
        """Begin an answer; on a pipe that is nothing."""
        ...

    def say(self, message: Any) -> None:
        """Put a message on the way."""
        ...

    def raw(self, data: bytes) -> None:
        """Put bytes on the way that are no message."""
        ...

    def end(self, *, clean: bool, code: int | None = None) -> None:
        """End the answer; with a ``code``, the whole process."""
        ...


class Player:
    """One tape and where it stands. A client that shakes hands once more than the recorded one did winds it back.

    ``longest`` is the seconds that anything is waited for at most.
    """

    def __init__(self, tape: Tape, *, longest: float = LONGEST) -> None:
        self._tape = tape
        self._longest = longest
        self._lock = threading.RLock()
        self._clock = _Clock()
        self._used: dict[Key, int] = {}
        self._unasked: dict[Lane, int] = {}
        self._told = 0
        self._mouths: dict[str, Mouth] = {}
        self._held: dict[str, list[Said]] = {}
        self._live: dict[int, Any] = {}

    def start(self) -> None:
        """Begin to play what is due."""
        self._clock.start()

    def finish(self, limit: float = LONGEST) -> bool:
        """Wait until all is said that is due, at most so many seconds; tells whether it is."""
        return self._clock.finish(limit)

    def hear(self, message: Any, mouth: Mouth, *, verb: str = "POST", session: str | None = None) -> bool:
        """Take in what a client says; tells whether anything is said in answer, now or later."""
        with self._lock:
            key = key_of(message, verb, session)
            cue, again = self._cue(key)
            if cue is None:
                return self._refuse(message, key, mouth)
            self._live[cue.frame] = message
            self._mouths[cue.channel] = mouth
            for said in self._held.pop(cue.channel, ()):
                self._clock.at(0.0, self._saying(said))
            self._answer(cue, message, mouth, [] if again else self._unasked_until_the_next(cue))
            return bool(cue.answers) or cue.status is not None or cue.is_channel or bool(asks(message))

    # Which recorded request this is.

    def _cue(self, key: Key) -> tuple[Cue | None, bool]:
        """Return the recorded request that this one stands for, and whether it stood for one before."""
        recorded = self._tape.by_key.get(key, [])
        used = self._used.get(key, 0)
        if used >= len(recorded) > 0 and key[0] in _HANDSHAKES:
            self._rewind()
            used = 0
        if used < len(recorded):
            self._used[key] = used + 1
            return recorded[used], False
        is_old = not recorded or (str(key[0]).endswith("/list") and self._told > recorded[-1].frame)
        return (None, False) if is_old else (recorded[-1], True)

    def _rewind(self) -> None:
        self._told = 0
        for each in (self._used, self._unasked, self._held, self._live, self._mouths):
            each.clear()
        self._clock.forget()

    def _refuse(self, message: Any, key: Key, mouth: Mouth) -> bool:
        asked = asks(message)
        if not asked:
            return False
        known = key in self._tape.by_key
        why = "the list has changed since the last answer" if known else "it was not asked for that"
        code = INTERNAL_ERROR if key[0] in self._tape.methods else METHOD_NOT_FOUND
        mouth.begin(200, {"content-type": "application/json"}, streams=False)
        refusals = [self._refusal(each, code, why) for each in asked]
        mouth.say(refusals if isinstance(message, list) else refusals[0])
        mouth.end(clean=True)
        return True

    def _refusal(self, asked: Mapping[str, Any], code: int, why: str) -> dict[str, Any]:
        text = f"This is a replay of {self._tape.source}, which has no answer to {method_of(asked)}: {why}."
        return {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": code, "message": text}}

    # What it gets.

    def _answer(self, cue: Cue, message: Any, mouth: Mouth, unasked: list[Said]) -> None:
        """Say what was said for this and beside it, in the recorded order."""
        if cue.status is not None:
            own = next((said.t for said in cue.answers if said.channel == cue.channel), cue.t)
            first = cue.opened if cue.opened is not None else own
            self._clock.at(self._gap(cue.t, first), _beginning(mouth, cue))
        wait, before, ending = 0.0, cue.t, 0.0
        for said in sorted([*cue.answers, *unasked], key=lambda said: said.frame):
            wait, before = wait + self._gap(before, said.t), max(before, said.t)
            mine = said.of is cue and said.channel == cue.channel
            ending = wait if said.channel == cue.channel else ending
            self._clock.at(wait, _saying(mouth, said, message) if mine else self._saying(said))
        if cue.status is not None and not cue.is_channel and not cue.stays_open:
            self._clock.at(ending, lambda: mouth.end(clean=True))

    def _unasked_until_the_next(self, cue: Cue) -> list[Said]:
        """Return what the server said by itself before the next word of this client, and was not said yet."""
        until = self._tape.following.get(cue.frame)
        said = self._tape.unasked.get(cue.lane, [])
        start = end = self._unasked.get(cue.lane, 0)
        while end < len(said) and (until is None or said[end].frame < until):
            end += 1
        self._unasked[cue.lane] = end
        return said[start:end]

    def _gap(self, before: float, after: float) -> float:
        return min(max(after - before, 0.0), self._longest)

    def _saying(self, said: Said) -> Callable[[], None]:
        def say() -> None:
            with self._lock:
                mouth = self._mouths.get(said.channel)
                if mouth is None:
                    self._held.setdefault(said.channel, []).append(said)
                    return
                if said.of is not None and said.of.frame not in self._live:
                    return  # it belongs to a request that this client has not sent
                if method_of(said.message) == LIST_CHANGED:
                    self._told = max(self._told, said.frame)
                asked = self._live.get(said.of.frame) if said.of is not None else None
            _saying(mouth, said, asked)()

        return say


def _beginning(mouth: Mouth, cue: Cue) -> Callable[[], None]:
    return lambda: mouth.begin(cue.status or 200, cue.headers, streams=cue.opened is not None)


def _saying(mouth: Mouth, said: Said, asked: Any) -> Callable[[], None]:
    def say() -> None:
        if said.message is not None:
            mouth.say(readdressed(said.message, said.of.message if said.of is not None else None, asked))
        elif said.raw is not None:
            mouth.raw(said.raw)
        if said.ends:
            mouth.end(clean=said.clean, code=said.code)

    return say


class _Clock:
    """Does things when they are due, one after the other, those of one moment in the order in which they were given."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._awake = threading.Condition()
        self._busy = False

    def start(self) -> None:
        threading.Thread(target=self._run, name="replay", daemon=True).start()

    def at(self, wait: float, action: Callable[[], None]) -> None:
        with self._awake:
            heapq.heappush(self._due, (monotonic() + wait, next(self._numbers), action))
            self._awake.notify_all()

    def forget(self) -> None:
        with self._awake:
            self._due.clear()

    def finish(self, limit: float) -> bool:
        with self._awake:
            return self._awake.wait_for(lambda: not self._due and not self._busy, limit)

    def _run(self) -> None:
        while True:
            with self._awake:
                self._busy = False
                self._awake.notify_all()
                while not self._due or self._due[0][0] > monotonic():
                    self._awake.wait(self._due[0][0] - monotonic() if self._due else None)
                action = heapq.heappop(self._due)[2]
                self._busy = True
            with contextlib.suppress(OSError):  # that client has gone
                action()

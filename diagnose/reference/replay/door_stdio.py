"""A replay on stdin and stdout."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from typing import Any

from diagnose.reference.replay.player import Player
from diagnose.reference.replay.tape import Tape


def replay_on_stdio(tape: Tape) -> int:
    """Play to one client until stdin ends; returns the exit code that the recorded server had."""
    player, mouth = Player(tape), _Stdout()
    player.start()
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        player.hear(message, mouth)
    player.finish()
    return max(tape.code, 0)


class _Stdout:
    """Standard output, on which everything is said."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def begin(self, status: int, headers: Mapping[str, str], *, streams: bool) -> None:
        """Do nothing: a pipe is always open."""

    def say(self, message: Any) -> None:
        """Write one line."""
        self.raw(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))

    def raw(self, data: bytes) -> None:
        """Write bytes, and the end of the line."""
        with self._lock:
            sys.stdout.buffer.write(data.removesuffix(b"\n") + b"\n")
            sys.stdout.buffer.flush()

    def end(self, *, clean: bool, code: int | None = None) -> None:
        """End the process, where the recorded one ended while it was being asked."""
        if code is not None or not clean:
            os._exit(max(code or 0, 0))

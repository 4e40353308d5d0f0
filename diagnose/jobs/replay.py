"""A recording played to a client: in the place of the server that was recorded."""

from __future__ import annotations

import socket
from collections.abc import Callable

from diagnose.errors import UsageError
from diagnose.jobs.evidence import read_recording
from diagnose.reference.replay.tape import Tape, tape_of


def read_tape(path: str) -> Tape:
    """Read what is to be played. Raises `InputError` for what is no recording, or one in which no client speaks."""
    return tape_of(read_recording(path))


def play_on_stdio(tape: Tape) -> int:
    """Play to one client on stdin and stdout until stdin ends; returns the exit code of the recorded server."""
    from diagnose.reference.replay.door_stdio import replay_on_stdio

    return replay_on_stdio(tape)


def play_over_http(tape: Tape, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Play to all who connect, until a signal ends it; ``announce`` gets the URL of the endpoint.

    Raises `UsageError` where nobody can listen there, and `KeyboardInterrupt` or `SystemExit` as the signals say.
    """
    from diagnose.reference.replay.door_http import replay_over_http

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host} port {port}: {error.strerror or error}",
            advice="Choose another --port, or leave it out: any free one is taken then.",
        ) from error
    where = f"[{host}]" if ":" in host else host
    url = f"http://{where}:{listener.getsockname()[1]}{tape.path}"
    replay_over_http(tape, listener, lambda: announce(url))

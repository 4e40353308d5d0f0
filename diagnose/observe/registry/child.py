"""A client's own command as a child: objects of JSON to it and from it, one a line, or what it prints until it ends.

What it says may hold secrets of its configuration: nothing of it goes into an error.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from diagnose.errors import InputError, ObservationError
from diagnose.observe.registry.parts import NoSuchServerError
from diagnose.observe.registry.reading import read_view
from diagnose.surface import JsonError, parse_json
from diagnose.transport.stdio import EOF, StdioProcess
from diagnose.wire.framing import LineFramer

if TYPE_CHECKING:
    from diagnose.evidence.observation import Observation
    from diagnose.transport.deadline import Deadline

#: What a client prints of its servers is some kilobytes.
MAX_PRINTED: Final = 4 << 20
#: The deepest JSON that is read: an answer holds definitions a few levels down.
_DEPTH: Final = 144


class JsonLines:
    """Talk with one child; what it says that is no object is passed over. ``name`` is the client's, for people."""

    def __init__(self, process: StdioProcess, name: str) -> None:
        self._process = process
        self._name = name
        self._framer = LineFramer()
        self._lines: list[bytes] = []

    def send(self, message: Mapping[str, Any]) -> None:
        """Send an object. Raises ObservationError where the child has ended."""
        self._process.send(json.dumps(message).encode() + b"\n")

    def next(self, deadline: Deadline, what: str) -> Mapping[str, Any] | None:
        """Return the next object; None where none comes until then. Raises ObservationError where the child has ended."""
        while True:
            while self._lines:
                value = _parsed(self._lines.pop(0))
                if isinstance(value, Mapping):
                    return value
            # Whoever talks without end is not waited for longer than whoever keeps silent.
            chunk = None if deadline.expired else self._process.receive(deadline.remaining())
            if chunk is None:
                return None
            if chunk == EOF:
                raise ObservationError(f"{self._name} ended before it answered {what}.", rule="unreachable")
            self._lines.extend(line.data for line in self._framer.feed(chunk))


def _parsed(line: bytes) -> Any:
    try:
        return parse_json(line, max_depth=_DEPTH).value
    except JsonError:
        return None


def answered(answer: Mapping[str, Any], *, name: str, source: str, server_key: str | None) -> Observation:
    """Return what a client answered as the view that it is.

    Raises:
        ObservationError: it is none that is known: the client's doing, and no wrong use of ours.
        NoSuchServerError: it has no server of that key.

    """
    try:
        return read_view(json.dumps(answer).encode(), "registry", source=source, server_key=server_key)
    except NoSuchServerError:
        raise
    except InputError as error:
        raise ObservationError(
            f"{name} answers with no list of tools that can be read.", rule="not-observed"
        ) from error


class Printed(NamedTuple):
    """What a command printed until its end."""

    out: bytes
    err: str
    """The last lines of its stderr."""
    code: int | None


def printed(
    command: Sequence[str], *, deadline: Deadline, env: Mapping[str, str], timeout: float, name: str
) -> Printed:
    """Run a command to its end, and return what it printed.

    Raises ObservationError where it cannot be started, does not end in time, or prints too much.
    """
    whole = bytearray()
    patience = deadline.within(timeout)
    with StdioProcess(command, deadline=deadline, env={**env, "NO_COLOR": "1"}) as process:
        while (chunk := process.receive(patience.remaining())) != EOF:
            if chunk is None or patience.expired:
                raise ObservationError(f"{name} did not come to an end in {patience.seconds:.3g} s.", rule="timed-out")
            whole += chunk
            if len(whole) > MAX_PRINTED:
                raise ObservationError(f"{name} prints more than {MAX_PRINTED} bytes.", rule="limit-exceeded")
        code = process.wait(patience.remaining())
        return Printed(bytes(whole), "\n".join(process.stderr_tail()), code)


def first_found(programs: Sequence[str], env: Mapping[str, str]) -> str:
    """Return the first of these programs that is on the PATH; the first of all where none is."""
    return next((each for each in programs if shutil.which(each, path=env.get("PATH"))), programs[0])

"""The embedded reference server, as a process of its own that never outlives ours."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from diagnose.errors import ObservationError
from diagnose.reference.launch import child_command, child_environment, child_options
from diagnose.reference.options import ENDPOINT, ServeOptions
from diagnose.reference.serve import require_sdk

#: Seconds that the server gets to start, nearly all of which it spends importing the SDK, and then to stop.
START_LIMIT = 30.0
STOP_LIMIT = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A running reference server."""

    url: str
    """The MCP endpoint."""
    pid: int

    def change(self, change: dict[str, Any], *, notify: bool = True) -> None:
        """Change its surface, telling subscribers or not; it must have been started with `control`.

        What a change may be is said at `diagnose.reference.held.HeldSurface.edit`. Raises `OSError` where it is refused.
        """
        from urllib.request import ProxyHandler, Request, build_opener

        body = json.dumps({**change, "notify": notify}).encode()
        request = Request(f"{self.url.removesuffix(ENDPOINT)}/control", data=body)  # noqa: S310 - our own loopback URL
        build_opener(ProxyHandler({})).open(request, timeout=STOP_LIMIT).close()


@contextmanager
def embedded(options: ServeOptions | None = None, env: Mapping[str, str] | None = None) -> Iterator[Embedded]:
    """Run the reference server on loopback for the length of the block.

    It ends with the block, and also when this process is killed: it holds the other end of a pipe to us. Its
    environment is `env` (by default ours) without `DIAGNOSE_*`. Raises `UsageError` where the extra `server` is not
    installed, `ObservationError` (`unreachable`) where it does not start.
    """
    require_sdk()
    with tempfile.TemporaryFile() as log:  # a pipe that nobody reads would fill, and stop the server
        child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            child_command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=child_environment(os.environ if env is None else env),
            start_new_session=True,  # Ctrl-C is for us; we end the child
        )
        try:
            yield _started(child, options or ServeOptions(), log)
        finally:
            _stop(child)


@contextmanager
def embedded_server(env: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run the honest reference server as `embedded` does, and give the URL of its MCP endpoint."""
    with embedded(env=env) as server:
        yield server.url


def _started(child: subprocess.Popen[bytes], options: ServeOptions, log: IO[bytes]) -> Embedded:
    """Hand the options over and wait until the server says where it answers."""
    late = threading.Timer(START_LIMIT, child.kill)
    late.daemon = True
    late.start()
    try:
        _pipe(child.stdin).write(child_options(options, stdio=False))
        _pipe(child.stdin).flush()
        said = _pipe(child.stdout).readline()
    except BrokenPipeError:
        said = b""
    finally:
        late.cancel()
    if not said:
        child.wait()
        log.seek(0)
        last = log.read().decode(errors="replace").strip().splitlines()[-1:]
        why = last[0] if last else "it ended without a word"
        raise ObservationError(f"the embedded reference server did not start: {why}", rule="unreachable")
    return Embedded(**json.loads(said))


def _stop(child: subprocess.Popen[bytes]) -> None:
    """Close the lifeline and wait; a server that does not heed it is killed."""
    try:
        _pipe(child.stdin).close()
        child.wait(STOP_LIMIT)
    except (subprocess.TimeoutExpired, BrokenPipeError):
        child.kill()
        child.wait()
    finally:
        _pipe(child.stdout).close()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe

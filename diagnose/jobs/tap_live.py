"""What a tap records, shown as it happens: `timeline --follow` beside it, in a process of its own.

The view reads the recording, so it shows nothing that was not redacted, and whatever becomes of it, the session goes on.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import IO, Final, Protocol

#: Seconds that the recording has to be there, and that the last report of the view may take.
OPENING: Final = 20.0
CLOSING: Final = 15.0
#: Seconds in which a view that is just being started is waited for, so that a short session is shown, too.
STARTING: Final = 1.0


class Recorded(Protocol):
    """What writes the recording, as far as a view has to know it."""

    @property
    def path(self) -> str | None:
        """The file; None where there is none."""
        ...

    def wait_until_open(self, timeout: float) -> bool:
        """Wait until the file is there, or cannot be; tell which."""
        ...


class LiveView:
    """A view under way. ``where`` is a descriptor or a file that it writes to; it is none of the session's own streams."""

    def __init__(self, where: int | IO[bytes], tell: Callable[[str], None]) -> None:
        self._where = where
        self._tell = tell
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None

    def start(self, recorded: Recorded, env: Mapping[str, str]) -> None:
        """Start the view once the recording is there. Returns at once, and never raises."""
        self._thread = threading.Thread(target=self._run, args=(recorded, dict(env)), daemon=True)
        self._thread.start()

    def close(self, *, wait: bool) -> None:
        """Let the view come to its end; with ``wait`` until its last report is written."""
        if self._thread is not None:
            self._thread.join(OPENING if wait else STARTING)
        process = self._process
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.close()
        if wait:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(CLOSING)

    def _run(self, recorded: Recorded, env: dict[str, str]) -> None:
        if not recorded.wait_until_open(OPENING) or recorded.path is None:
            return
        command = [sys.executable, "-P", "-m", "diagnose", "timeline", "--follow", recorded.path, "--until-stdin-ends"]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own program, on the file that was just made
                command,
                stdin=subprocess.PIPE,  # which ends with the tap, however that ends
                stdout=self._where,
                stderr=self._where,
                env=env,
                start_new_session=True,  # Ctrl-C is for the tap; the view then sees the recording end
            )
        except OSError as error:
            self._tell(f"nothing can be shown live: {error.strerror}")

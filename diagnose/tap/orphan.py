"""A server whose tap was killed: its client means it to be dead, and it may not have noticed."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from typing import Final

#: Seconds in which a server may end by itself once its stdin is closed.
GRACE: Final = 2.0


class Orphan:
    """Holds on to a process by a descriptor, which names it also when its number has gone to another one.

    Only on Linux; elsewhere nothing is done.
    """

    def __init__(self, pid: int) -> None:
        self._descriptor = -1
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                self._descriptor = os.pidfd_open(pid)

    def end(self) -> None:
        """Wait until it has ended, and kill it if it does not."""
        if sys.platform != "linux" or self._descriptor < 0:
            return
        ended, _, _ = select.select([self._descriptor], [], [], GRACE)
        if not ended:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
        os.close(self._descriptor)

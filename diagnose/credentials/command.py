"""Runs a credential helper: no shell, no input, nothing shown of what it says, no longer than it may take."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from diagnose.errors import UsageError

if TYPE_CHECKING:
    from diagnose.transport.pipes import Inbox

PATIENCE = 10.0
"""Seconds that a helper has; one that asks a person on a desktop may well need some."""

_LAST_WAIT = 2.0


def first_line(
    words: Sequence[str], env: Mapping[str, str], *, source: str, limit: int, patience: float = PATIENCE
) -> bytes:
    """Run a command and return the first line of its output, at most ``limit`` bytes of it.

    ``env`` without `DIAGNOSE_*` is its environment. Raises `UsageError`, whose text starts with ``source``, where it
    cannot be started, fails, or has not ended after ``patience`` seconds; whatever is left of it is ended then.
    """
    from diagnose.transport.group import ProcessGroup
    from diagnose.transport.pipes import Inbox, Tail
    from diagnose.transport.stdio import child_environment

    end = time.monotonic() + patience
    try:
        group = ProcessGroup(words, env=child_environment(env), cwd=None)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its command line holds a null character"
        raise UsageError(f"{source} cannot be started: {why}") from error
    try:
        group.stdin.close()
        Tail(group.stderr, size=1)
        output = _all_of(Inbox(group.stdout, max_unread=limit), limit, end)
        if output is not None:
            group.wait(max(0.0, end - time.monotonic()))
        code = group.exit_code
    finally:
        group.kill()
        group.wait(_LAST_WAIT)
    if output is None or code is None:
        raise UsageError(f"{source} did not end within {patience:g} seconds")
    if code != 0:
        raise UsageError(
            f"{source} failed with exit code {code}", advice="What it said is not shown: it may be secret."
        )
    return output.partition(b"\n")[0]


def _all_of(inbox: Inbox, limit: int, end: float) -> bytes | None:
    """Return the first ``limit`` bytes once the output has ended; None where it has not by ``end``."""
    output = b""
    while (chunk := inbox.take(max(0.0, end - time.monotonic()))) is not None:
        if not chunk:
            return output
        output = (output + chunk)[:limit]
        if time.monotonic() >= end:  # a flood never lets `take` wait
            break
    return None

"""What can be wrong with a move, in words that say what to do."""

from __future__ import annotations

from typing import Final

from diagnose.errors import UsageError

#: The advice where a part of what was named may be meant.
SMALLER: Final = "Name the one cache file or folder that is meant."


class QuarantineError(UsageError):
    """A file or folder is not moved, or not moved back; it stays as it is (exit 2)."""

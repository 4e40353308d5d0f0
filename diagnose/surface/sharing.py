"""Equal definitions of several lists, kept in memory once."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any


class Known:
    """The entries of the lists seen so far, for others to share. Two are the same only if nothing tells them apart.

    Neither the order of keys nor 1, 1.0 and true may be mixed up, so that it is the marshalled form that is compared.
    """

    def __init__(self, entries: Sequence[Any]) -> None:
        self._entries = {_mark(entry): entry for entry in entries}

    def share(self, entries: Iterable[Any]) -> list[Any]:
        """Return the entries, each that is known replaced by the one that is known; the others are known from now on."""
        return [self._entries.setdefault(_mark(entry), entry) for entry in entries]


def _mark(entry: Any) -> bytes:
    # Version 2 has no references inside, which would make the form of equal values differ.
    return blake2b(marshal.dumps(entry, 2), digest_size=16).digest()

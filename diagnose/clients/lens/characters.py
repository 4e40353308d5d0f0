"""What clients do to characters of names, before they put server and tool together."""

from __future__ import annotations

import re
from hashlib import sha1

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_NOT_A_WORD = re.compile(r"[^A-Za-z0-9_-]")


def in_utf16(name: str) -> str:
    """Return a name with two characters for each that UTF-16 writes in two: so JavaScript counts and replaces them."""
    return name if name.isascii() else _ASTRAL.sub("\ufffd\ufffd", name)


def words_only(name: str) -> str:
    """Return a name in which every character that is no ASCII letter, digit, `_` or `-` is an underscore."""
    return _NOT_A_WORD.sub("_", name)


def cut_in_the_middle(name: str, *, limit: int, head: int, tail: int, mark: str) -> str:
    """Return a name that is longer than ``limit`` as its first and last characters around a mark."""
    return name if len(name) <= limit else name[:head] + mark + name[-tail:]


def fingerprint(text: str, digits: int) -> str:
    """Return the first hexadecimal digits of the SHA-1 of a text: clients keep names apart by it, nothing is secured."""
    return sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:digits]

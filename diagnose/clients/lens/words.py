"""Two texts of which one is what a client made of the other: cut, put into a normal form, or freed of what draws nothing."""

from __future__ import annotations

import re
from unicodedata import category, normalize

#: How far a cut may lie from the limit: a client may cut at a word, and its mark may count or not.
SLACK = 64
#: The longest mark of a cut that is taken for one ("… [truncated]").
_MARK = 40
#: Without a known limit and without a mark, a shorter beginning is more likely an older text to which something was added.
_LEAST = 200

_IGNORED = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e01ef]")


def is_cut(whole: str, shown: str, *, limit: int | None = None) -> bool:
    """Tell whether ``shown`` is the beginning of ``whole``, alone or with the mark of a cut behind it.

    With a limit, in characters or bytes, the cut must lie near it. Without one there must be a mark, or 200 characters.
    """
    kept = _common(whole, shown)
    tail = shown[kept:]
    if not kept or kept >= len(whole) or (tail and not _is_mark(tail)):
        return False
    if limit is None:
        return bool(tail) or kept >= _LEAST
    sizes = (kept, len(whole[:kept].encode("utf-8", "surrogatepass")))
    return any(limit - SLACK <= size <= limit for size in sizes)


def _is_mark(tail: str) -> bool:
    if len(tail) > _MARK:
        return False
    word = tail.strip("…. \n[]()<>").lower()
    return word == "truncated" or (not word and ("…" in tail or "..." in tail))


def in_normal_form(text: str) -> str:
    """Return the text in Unicode's form NFC."""
    return normalize("NFC", text)


def without_invisible(text: str) -> str:
    """Return the text without characters that draw nothing or steer the direction; line feeds and tabs stay."""
    kept = _IGNORED.sub("", text)
    return "".join(each for each in kept if each in "\n\t\r" or category(each) not in {"Cf", "Cc"})


def _common(whole: str, shown: str) -> int:
    """Return how many characters both texts begin with."""
    low, high = 0, min(len(whole), len(shown))
    while low < high:
        middle = (low + high + 1) // 2
        if whole.startswith(shown[:middle]):
            low = middle
        else:
            high = middle - 1
    return low

"""Whether a text can be a regular expression at all, whatever dialect reads it.

JSON Schema means ECMA-262, which Python does not speak; so only that is found which no dialect takes.
"""

from __future__ import annotations

_REPEATERS = "*+?"


def flaw_of_pattern(text: str) -> str | None:
    """Return why a text is no regular expression, in a few words; None where it may be one."""
    depth, place, repeatable = 0, 0, False
    while place < len(text):
        char = text[place]
        if char == "\\":
            if place + 1 == len(text):
                return "a backslash ends it"
            place, repeatable = place + 2, True
            continue
        if char == "[":
            end = _end_of_class(text, place)
            if end is None:
                return "a [ is not closed"
            place, repeatable = end + 1, True
            continue
        if char in _REPEATERS and not repeatable:
            return f"{char} repeats nothing"
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return "a ) closes nothing"
        place, repeatable = _next(text, place)
    return "a ( is not closed" if depth else None


def _next(text: str, place: int) -> tuple[int, bool]:
    """Return where to go on, and whether what stands there may be repeated."""
    char = text[place]
    if char == "(" and text[place + 1 : place + 2] == "?":
        return place + 2, False
    if char in _REPEATERS and text[place + 1 : place + 2] in {"?", "+"}:
        return place + 2, False
    return place + 1, char not in "(|" and char not in _REPEATERS


def _end_of_class(text: str, start: int) -> int | None:
    """Return where the class that begins at ``start`` ends; a ] that stands first belongs to it in some dialects."""
    place = start + 1
    while place < len(text):
        if text[place] == "\\":
            place += 1
        elif text[place] == "]":
            return place
        place += 1
    return None

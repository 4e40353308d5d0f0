"""URI templates of resources (MCP, server/resources): RFC 6570, level 1. Matched in linear space, without guesswork."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote_to_bytes

#: Longer templates and URIs are not matched, in characters.
MAX_LENGTH: Final = 8_000

# RFC 6570, section 2.3: a name, whose dots stand between other characters.
_NAME: Final = r"(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*"
_EXPRESSION: Final = re.compile(r"\{([^{}]*)\}")
_VARIABLE: Final = re.compile(_NAME, re.ASCII)
# Section 3.2.2: a value is expanded into unreserved characters, and all others are percent-encoded.
_EXPANDED: Final = re.compile(r"(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+")


def is_level_one(template: str) -> bool:
    """Tell whether a text is a template whose expressions are all of level 1: `{name}`, and no operator."""
    names = _EXPRESSION.findall(template)
    left = _EXPRESSION.sub("", template)
    return not {"{", "}"} & set(left) and all(map(_VARIABLE.fullmatch, names))


def variables(template: str, uri: str) -> dict[str, str] | None:
    """Return the values that expand a template of level 1 to a URI, decoded; None where none do.

    A value is not empty here, for an address with nothing in it names nothing; a name that stands twice has one value.
    """
    runs = _taken(template, uri)
    if runs is None or not is_level_one(template) or not all(_EXPANDED.fullmatch(run) for _, run in runs):
        return None
    try:
        found = {name: unquote_to_bytes(run).decode("utf-8") for name, run in runs}
        same = all(found[name] == unquote_to_bytes(run).decode("utf-8") for name, run in runs)
    except UnicodeDecodeError:
        return None
    return found if same else None


def may_fit(template: str, uri: str) -> bool:
    """Tell whether a URI may be one of a template's, as servers match it: a variable is any run without `/`.

    Of a template beyond level 1, or too long, only the text in front of its first expression is looked at: this is for
    who must not raise a false alarm.
    """
    if not is_level_one(template) or max(len(template), len(uri)) > MAX_LENGTH:
        return uri.startswith(template.partition("{")[0])
    return _taken(template, uri) is not None


def _taken(template: str, uri: str) -> list[tuple[str, str]] | None:
    """Return what each variable takes, none of it empty or with a `/`; None where the URI does not fit."""
    if max(len(template), len(uri)) > MAX_LENGTH:
        return None
    # Every other part is a name. A variable never holds a `/`, so that what lies between two of them can be matched
    # by itself, and the leftmost place of each text leaves the most to what follows.
    parts = _EXPRESSION.split(template)
    texts, names = parts[0::2], parts[1::2]
    taken: list[tuple[str, str]] = []
    if not uri.startswith(texts[0]):
        return None
    place = len(texts[0])
    for name, text in zip(names, texts[1:], strict=True):
        end = _end(uri, place, text, last=len(taken) == len(names) - 1)
        if end <= place or "/" in uri[place:end]:
            return None
        taken.append((name, uri[place:end]))
        place = end + len(text)
    return taken if place == len(uri) else None


def _end(uri: str, place: int, text: str, *, last: bool) -> int:
    """Return where the value that begins at a place ends; -1 where what follows it does not come."""
    if last:
        return len(uri) - len(text) if uri.endswith(text) else -1
    return place + 1 if not text else uri.find(text, place + 1)

"""JSON as editors write it: with comments and trailing commas."""

from __future__ import annotations

import re
from typing import Any

from diagnose.clients.configuration.errors import ConfigurationError
from diagnose.surface import JsonError, parse_json

_STRING = r'"(?:[^"\\\n]|\\.)*"'
#: A comment that does not end takes the rest: so each character is looked at once.
_COMMENTS = re.compile(rf"(?P<kept>{_STRING})|//[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)
_TRAILING = re.compile(rf"(?P<kept>{_STRING})|,(?=\s*[}}\]])")


def read_jsonc(text: str) -> Any:
    """Return the value of a text. Raises `ConfigurationError`; an empty text is an empty object, as editors have it."""
    plain = _TRAILING.sub(_kept, _COMMENTS.sub(_kept, text.removeprefix("\ufeff")))
    if not plain.strip():
        return {}
    try:
        return parse_json(plain).value
    except JsonError as error:
        line = plain.count("\n", 0, error.offset) + 1
        raise ConfigurationError(f"it is no JSON (line {line})") from error


def _kept(match: re.Match[str]) -> str:
    if match["kept"] is not None:
        return match["kept"]
    # Line feeds stay, so that a later error names the right line.
    return re.sub(r"[^\n]", " ", match[0])

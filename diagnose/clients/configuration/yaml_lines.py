"""The lines of a YAML text that mean something, and the single values in them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from diagnose.clients.configuration.errors import ConfigurationError

MAX_LINES = 100_000
_BREAKS = re.compile(r"\r\n|\n|\r")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})\Z")
_FLOAT = re.compile(r"[-+]?[0-9]{1,17}\.[0-9]{1,17}(?:[eE][-+]?[0-9]{1,3})?\Z")
_WORDS = {"null": None, "~": None, "": None, "true": True, "false": False}
_NOT_READ = {"&": "an anchor", "*": "an alias", "!": "a tag", "%": "a directive", "?": "a complex key"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: its number, the columns before its first character, and its text without comment."""

    number: int
    indent: int
    text: str


def significant(text: str) -> tuple[list[Line], list[str]]:
    """Return the lines that are neither blank nor comments, and all lines as they are, for texts of several lines."""
    raw = _BREAKS.split(text.removeprefix("\ufeff"))
    if len(raw) > MAX_LINES:
        raise ConfigurationError(f"it has more than {MAX_LINES} lines")
    lines = []
    for number, each in enumerate(raw, start=1):
        if each.rstrip() == "...":
            break
        bare = each.lstrip(" ")
        if bare.startswith("\t") and bare.strip():
            raise ConfigurationError(f"line {number} is indented by a tab")
        said = without_comment(bare)
        if said and said != "---":
            lines.append(Line(number=number, indent=len(each) - len(bare), text=said))
    return lines, raw


def without_comment(text: str) -> str:
    """Return a line without its comment: a `#` at its beginning or behind a blank, outside quotes."""
    if "#" not in text:
        return text.rstrip()
    quote = ""
    for place, each in enumerate(text):
        if quote:
            quote = "" if each == quote and text[place - 1] != "\\" else quote
        elif each in "'\"" and (place == 0 or text[place - 1] in " [{,:"):
            quote = each
        elif each == "#" and (place == 0 or text[place - 1] in " \t"):
            return text[:place].rstrip()
    return text.rstrip()


def scalar(text: str, number: int) -> Any:
    """Return the value of a word, a number or a quoted text. Raises `ConfigurationError` for what is not read here."""
    if text[:1] in _NOT_READ:
        raise ConfigurationError(f"line {number} has {_NOT_READ[text[:1]]}, which is not read here")
    if text.startswith("'") and text.endswith("'") and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text.startswith('"'):
        try:
            return json.loads(text)
        except ValueError as error:
            raise ConfigurationError(f"line {number} has a quoted text that does not end, or an escape") from error
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) else text

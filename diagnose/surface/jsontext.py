"""Strict reading of JSON that strangers sent: bounded, nothing lost, and every oddity told.

The values are those of the standard library: an int stays an int, `600.0` a float. What a strict reader would refuse but
some servers write (NaN, duplicate keys, lone surrogates, bytes that are no UTF-8) is read, and told as a defect.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from math import isfinite
from typing import Any, Literal, TypeAlias

from diagnose.errors import InputError
from diagnose.record import record
from diagnose.surface.jsondefect import MAX_DEFECTS, SURROGATE, JsonDefect, Noticed, located
from diagnose.surface.walk import MAX_DEPTH, deeper_than

MAX_BYTES = 64 * 1024 * 1024
#: Digits of one integer: what CPython converts by default, for the conversion takes quadratic time.
MAX_DIGITS = 4300
_HEAD = 80
#: Texts of up to so many characters are in memory once, while there are not too many of them: those that schemas repeat take
#: a quarter of a long list.
_WORD, _MAX_WORDS = 32, 10_000

Reason: TypeAlias = Literal["not-json", "too-large", "too-deep", "joined"]

#: What may be the escape of half a character: a first half before no second one, a second behind no first one, and behind
#: a backslash either, for that could be escaped itself.
_HALF = r"\\(?:u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..\\)u[dD][c-fC-F]|\\u[dD])"


class JsonError(InputError):
    """A text is no JSON that can be used.

    ``reason`` is `not-json`, `too-large`, `too-deep`, or `joined` (several values where one is due); ``offset`` counts
    characters; ``head`` holds the first characters as received.
    """

    def __init__(self, message: str, *, reason: Reason, offset: int = 0, head: str = "") -> None:
        super().__init__(message, reason=reason, offset=offset, head=head)
        self.reason: Reason = reason
        self.offset = offset
        self.head = head


@record
class ParsedJson:
    """A value, and the defects of its text, see `MAX_DEFECTS`."""

    value: Any
    defects: tuple[JsonDefect, ...] = ()


def parse_json(data: bytes | str, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> ParsedJson:
    """Read one JSON value; of a duplicate key the last value counts, as nearly everywhere.

    Bytes that are no UTF-8 are kept as the code points U+DC80 to U+DCFF ("surrogateescape"): nothing is replaced
    unseen, and such a value has no digest. A str is measured in characters.

    Raises:
        JsonError: it is no JSON, too large, too deep, or several values in one text.

    """
    if len(data) > max_bytes:
        raise JsonError(f"expected at most {max_bytes} bytes of JSON, got {len(data)}", reason="too-large")
    noticed = Noticed()
    text = data if isinstance(data, str) else _decoded(data, noticed)
    marked = text.startswith("\ufeff")
    text = text.removeprefix("\ufeff")
    value = _read(text, noticed, max_depth)
    if "invalid-utf8" not in noticed.kinds and (_is_half(data) or _has_lone_surrogates(text, value)):
        noticed.kinds.add("lone-surrogate")
    bom = (JsonDefect(kind="bom", pointer=None, detail="U+FEFF before the value"),) if marked else ()
    return ParsedJson(value=value, defects=bom + located(value, noticed))


def _decoded(data: bytes, noticed: Noticed) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        noticed.kinds.add("invalid-utf8")
        return data.decode(errors="surrogateescape")


def _read(text: str, noticed: Noticed, max_depth: int) -> Any:
    """Read with the standard decoder, and hooks that notice what it would pass over."""
    too_deep = JsonError(
        f"expected JSON nested at most {max_depth} deep, got deeper", reason="too-deep", head=text[:_HEAD]
    )
    hooks = _Hooks(noticed)
    decoder = json.JSONDecoder(
        object_pairs_hook=hooks.object, parse_constant=hooks.number, parse_float=hooks.number, parse_int=hooks.integer
    )
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise _refusal(text, error) from None
    except RecursionError:
        raise too_deep from None
    if deeper_than(value, max_depth):
        raise too_deep
    return value


class _Hooks:
    def __init__(self, noticed: Noticed) -> None:
        self._noticed = noticed
        self._words: dict[str, str] = {}

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        once = self._words.setdefault
        value = {
            key: once(member, member) if type(member) is str and len(member) <= _WORD else member
            for key, member in pairs
        }
        if len(self._words) > _MAX_WORDS:
            self._words.clear()
        if len(value) != len(pairs) and len(self._noticed.repeated) < MAX_DEFECTS:
            keys = Counter(key for key, _ in pairs)
            self._noticed.repeated.append((value, tuple(key for key, count in keys.items() if count > 1)))
        return value

    def number(self, text: str) -> float:
        """Read a float, or one of the words NaN, Infinity and -Infinity."""
        value = float(text)
        if not isfinite(value):
            self._noticed.kinds.add("non-finite-number")
        return value

    def integer(self, text: str) -> int:
        if len(text) > MAX_DIGITS:
            message = f"expected integers of at most {MAX_DIGITS} digits, got one of {len(text)}"
            raise JsonError(message, reason="too-large", head=text[:_HEAD])
        return int(text)


def _refusal(text: str, error: json.JSONDecodeError) -> JsonError:
    head = text[:_HEAD]
    if not text.strip(" \t\r\n"):
        return JsonError("expected JSON, got nothing", reason="not-json", head=head)
    if error.msg == "Extra data" and text[error.pos] in "{[":
        message = f"expected one JSON value, got another one after it, at character {error.pos}"
        return JsonError(message, reason="joined", offset=error.pos, head=head)
    message = f"expected JSON, got {head!r} ({error.msg} at character {error.pos})"
    return JsonError(message, reason="not-json", offset=error.pos, head=head)


def _is_half(data: bytes | str) -> bool:
    """Tell whether a text that was never bytes holds half a character; what was UTF-8 cannot."""
    return isinstance(data, str) and re.search(SURROGATE, data) is not None


def _has_lone_surrogates(text: str, value: Any) -> bool:
    """Tell whether a lone surrogate stands in the value by an escape in its text; most texts hold no sign of one."""
    if not re.search(_HALF, text):
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False

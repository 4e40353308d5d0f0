"""JSON text that is the same for the same value: RFC 8785, and a word on what that leaves open.

Integers beyond 2^53 keep their decimal text (RFC 8785 would have them rounded, and two limits of an int64 would be
one). Lone surrogates and numbers that are not finite have no canonical form.

All text is written by the encoder of the standard library, in C. It writes RFC 8785 but for three things: whole numbers
that are floats, small fractions, and the order of keys with characters beyond U+FFFF. A value that has one of those is
brought into a shape first of which the encoder writes the right text; nearly every definition has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from diagnose.errors import DiagnoseError
from diagnose.surface.jsondefect import LONE_SURROGATE
from diagnose.surface.jsontext import JsonError
from diagnose.surface.walk import MAX_DEPTH, Tokens, places, pointer

if TYPE_CHECKING:
    from collections.abc import Iterable

_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
)
_LENIENT = json.JSONEncoder(sort_keys=True, separators=(",", ":"), check_circular=False)

#: Code points put the first kind of characters before the second, UTF-16 units the second before the first.
_HIGH, _ASTRAL = re.compile("[\ue000-\uffff]"), re.compile("[\U00010000-\U0010ffff]")
_IN_KEY = r'(?:[^"\\]|\\.)*":'
_HIGH_KEY, _ASTRAL_KEY = re.compile(_HIGH.pattern + _IN_KEY), re.compile(_ASTRAL.pattern + _IN_KEY)
#: In JSON text, a fraction that Python writes otherwise than ECMAScript. Strings match too: they are passed over whole.
_SMALL_FRACTION = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9.]+e-0[5-9]')

#: From here to there, a float that is no whole number is written alike by Python and ECMAScript.
_ALIKE_FROM, _ALIKE_BELOW = 1e-4, 1e16
#: ECMAScript writes whole numbers below this, and fractions from this on, without an exponent.
_WHOLE_BELOW, _FRACTION_FROM = 1e21, 1e-6

_PLAIN_TYPES = frozenset({str, int, bool, type(None)})


class Unhashable(DiagnoseError):  # noqa: N818 - a public name, and what a reader would call it
    """A value has no canonical form. ``what`` says why, ``pointer`` (a JSON Pointer) where it is seen first."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"unhashable: {what} at {where or 'the root'}", what=what, pointer=where)
        self.what = what
        self.pointer = where


def canonical(value: Any) -> bytes:
    """Return the RFC 8785 form of a JSON value, in UTF-8.

    Raises:
        Unhashable: it holds a lone surrogate, or a number that is not finite.
        JsonError: it is nested deeper than `MAX_DEPTH` (reason `too-deep`).

    """
    plain = _plain((value,), 0)
    try:
        text = _ENCODER.encode(value if plain else _shaped([value])[0])
        if not text.isascii() and _HIGH_KEY.search(text) and _ASTRAL_KEY.search(text):
            text = _ENCODER.encode(_shaped([value], split=True)[0])
        if not plain and "e-0" in text:
            text = _SMALL_FRACTION.sub(_as_ecmascript, text)
        return _utf8(text)
    except (ValueError, TypeError) as error:
        raise blame(value, error) from None


def lenient(value: Any) -> bytes:
    """Return a text for any JSON value, also one without canonical form: equal for equal values, and no more."""
    return _LENIENT.encode(_shaped([value])[0]).encode()


def blame(value: Any, error: Exception, within: Tokens = ()) -> Unhashable:
    """Return the error for a value that could not be written, with the first place that is to blame.

    ``within`` is where the value stands in what the caller asked about.
    """
    for below, node in places(value):
        tokens = (*within, *below)
        texts = (node, tokens[-1] if tokens else "")
        if any(isinstance(text, str) and LONE_SURROGATE.search(text) for text in texts):
            return Unhashable("lone surrogate", pointer(tokens))
        if isinstance(node, float) and not isfinite(node):
            return Unhashable("number that is not finite", pointer(tokens))
    return Unhashable(f"no JSON value ({error})", pointer(within))


def _plain(holder: Any, depth: int) -> bool:
    """Tell whether the encoder writes all numbers in an object or array as RFC 8785 wants them.

    Every definition goes through here: this is written for speed, and looks at the depth on its way.
    """
    if depth > MAX_DEPTH:
        raise JsonError(f"expected values nested at most {MAX_DEPTH} deep, got deeper", reason="too-deep")
    plain = True
    for child in holder.values() if type(holder) is dict else holder:
        kind = type(child)
        if kind is str:
            continue
        if kind is dict or kind is list:
            plain = _plain(child, depth + 1) and plain
        elif kind is float:
            plain = plain and not child.is_integer() and _ALIKE_FROM <= abs(child) < _ALIKE_BELOW
        elif kind not in _PLAIN_TYPES:
            plain = False
    return plain


def _shaped(holder: Any, *, split: bool = False) -> Any:
    """Return an object or array, or a copy of it with ints where ECMAScript writes floats like them.

    With ``split``, the names of members are in UTF-16, too, so that they sort by its units.
    """
    shaped = holder
    members: Iterable[tuple[Any, Any]] = enumerate(holder)
    if isinstance(holder, Mapping):
        if split or not isinstance(holder, dict):
            shaped = holder = {_ASTRAL.sub(_as_pair, name): child for name, child in holder.items()}
        members = holder.items()
    for key, child in members:
        if type(child) in _PLAIN_TYPES:
            continue
        new = _whole(child) if isinstance(child, float) else _shaped(child, split=split)
        if new is not child:
            if shaped is holder:
                shaped = list(holder) if isinstance(holder, tuple) else holder.copy()
            shaped[key] = new
    return shaped


def _whole(number: float) -> float:
    """Return an int for a float that ECMAScript writes like one."""
    if not number.is_integer() or abs(number) >= _WHOLE_BELOW:
        return number
    # Not int(number) always: of the digits, only those that tell a float from its neighbours are written.
    return int(number) if abs(number) < _ALIKE_BELOW else int(_written_out(repr(number)))


def _as_pair(match: re.Match[str]) -> str:
    """Take a character beyond U+FFFF apart, so that code points sort as UTF-16 units do (RFC 8785, 3.2.3)."""
    code = ord(match[0])
    return chr(0xD7C0 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Two surrogates that stand together are one character, here and in ECMAScript; a lone one fails again.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le").encode()


def _as_ecmascript(match: re.Match[str]) -> str:
    """Write a small fraction as ECMAScript does (RFC 8785, 3.2.2.3): 1e-7 for 1e-07, but 0.00001 for 1e-05."""
    text = match[0]
    if text.startswith('"'):
        return text
    return _written_out(text) if abs(float(text)) >= _FRACTION_FROM else text.replace("e-0", "e-")


def _written_out(text: str) -> str:
    """Write a number that has an exponent without it."""
    sign, magnitude = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = magnitude.partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{whole}{fraction}"
    return f"{sign}{whole + fraction:0<{point}}"

"""JSON text that is the same for the same value: RFC 8785, and a word on what that leaves open.

Integers beyond 2^53 keep their decimal text (RFC 8785 would have them rounded, and two limits of an int64 would be
one); lone surrogates and numbers that are not finite have no canonical form.

Nearly every definition goes the short way: the encoder of the standard library, in C, writes the same text unless a
number or the order of two keys tells Python from ECMAScript.
"""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring, encode_basestring_ascii
from math import isfinite
from typing import TYPE_CHECKING, Any

from diagnose.errors import DiagnoseError
from diagnose.surface.walk import Tokens, places, pointer

if TYPE_CHECKING:
    from collections.abc import Callable

_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
)
#: In canonical text, a key with a character beyond U+FFFF: it sorts differently by UTF-16 unit than by code point.
_ASTRAL_KEY = re.compile(r'[\U00010000-\U0010ffff](?:[^"\\]|\\.)*":')
_SURROGATE = re.compile("[\ud800-\udfff]")
#: From here to there a float that is no whole number is printed alike by Python and ECMAScript.
_ALIKE_FROM, _ALIKE_BELOW = 1e-4, 1e16
#: Number::toString writes without an exponent where the decimal point stands after so many of the digits.
_POINT_AFTER, _POINT_BEFORE = 21, -6


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

    """
    try:
        if not _prints_alike(value):
            return _written(value, encode_basestring).encode()
        text = _ENCODER.encode(value)
        encoded = text.encode()
        if not text.isascii() and _ASTRAL_KEY.search(text):
            return _written(value, encode_basestring).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise blame(value, error) from None
    return encoded


def lenient(value: Any) -> bytes:
    """Return a text for any JSON value, also one that has no canonical form: equal for equal values, and no more.

    NaN and the infinities are written as such, what is not ASCII as escapes.
    """
    return _written(value, encode_basestring_ascii, strict=False).encode()


def blame(value: Any, error: Exception, within: Tokens = ()) -> Unhashable:
    """Return the error for a value that could not be written, with the first place that is to blame.

    ``within`` is where the value stands in what the caller asked about.
    """
    for below, node in places(value):
        tokens = (*within, *below)
        texts = (node, tokens[-1] if tokens else "")
        if any(isinstance(text, str) and _SURROGATE.search(text) for text in texts):
            return Unhashable("lone surrogate", pointer(tokens))
        if isinstance(node, float) and not isfinite(node):
            return Unhashable("number that is not finite", pointer(tokens))
    return Unhashable(f"no JSON value ({error})", pointer(within))


def _prints_alike(value: Any) -> bool:
    """Tell whether Python's encoder prints every number in a value as ECMAScript's Number::toString does.

    It prints integers in decimal, as we want them, and fractions alike from 1e-4 to 1e16.
    """
    level = [value]
    while level:
        below: list[Any] = []
        for node in level:
            for child in node.values() if type(node) is dict else node if type(node) is list else (node,):
                kind = type(child)
                if kind is dict or kind is list:
                    below.append(child)
                elif kind is float and (child.is_integer() or not _ALIKE_FROM <= abs(child) < _ALIKE_BELOW):
                    return False
        level = below
    return True


def _written(value: Any, text: Callable[[str], str], *, strict: bool = True) -> str:
    """Write a value member by member, by the letter of RFC 8785: the long way, for what needs it."""

    def write(node: Any) -> str:
        if isinstance(node, str):
            return text(node)
        if isinstance(node, dict):
            members = sorted(node.items(), key=_utf16)
            return "{" + ",".join([text(key) + ":" + write(child) for key, child in members]) + "}"
        if isinstance(node, (list, tuple)):
            return "[" + ",".join([write(child) for child in node]) + "]"
        if node is None or isinstance(node, bool):
            return {None: "null", True: "true", False: "false"}[node]
        if isinstance(node, int):
            return int.__repr__(node)
        if isinstance(node, float):
            return _number(node, strict=strict)
        raise TypeError(f"{type(node).__name__} is no JSON type")

    return write(value)


def _utf16(member: tuple[str, Any]) -> bytes:
    """Sort key of a member: its name by UTF-16 units, RFC 8785 section 3.2.3."""
    return member[0].encode("utf-16-be", "surrogatepass")


def _number(value: float, *, strict: bool) -> str:
    """Write a float as ECMAScript's Number::toString does, RFC 8785 section 3.2.2.3."""
    if not isfinite(value):
        if strict:
            raise ValueError("a number that is not finite")
        return str(value)
    if value == 0:
        return "0"
    sign, magnitude = ("-" if value < 0 else ""), abs(value)
    mantissa, _, exponent = repr(magnitude).partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    return sign + _placed(stripped.rstrip("0"), point)


def _placed(digits: str, point: int) -> str:
    """Write significant digits, the decimal point standing after `point` of them, as Number::toString says."""
    if len(digits) <= point <= _POINT_AFTER:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _POINT_AFTER:
        return digits[:point] + "." + digits[point:]
    if _POINT_BEFORE < point <= 0:
        return "0." + "0" * -point + digits
    exponent = f"e{point - 1:+d}"
    return digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + exponent

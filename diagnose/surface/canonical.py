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
from diagnose.surface.jsondefect import SURROGATE
from diagnose.surface.jsontext import JsonError
from diagnose.surface.walk import MAX_DEPTH, Tokens, places, pointer

if TYPE_CHECKING:
    from collections.abc import Iterable

_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
)
_LENIENT = json.JSONEncoder(sort_keys=True, separators=(",", ":"), check_circular=False)

#: Code points put the first kind of characters before the second, UTF-16 units the second before the first. In UTF-8
#: they are told by their first byte.
_HIGH, _ASTRAL = re.compile("[\ue000-\uffff]"), re.compile("[\U00010000-\U0010ffff]")
_HIGH_BYTES, _ASTRAL_BYTES = (b"\xee", b"\xef"), (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")

#: Stands around a number that has its final text already: no text that is allowed holds two low surrogates in a row.
_MARK = "\udfff\udfff"

#: From here to there, a float that is no whole number is written alike by Python and ECMAScript.
_ALIKE_FROM, _ALIKE_BELOW = 1e-4, 1e16
#: ECMAScript writes whole numbers below this, and fractions from this on, without an exponent; smaller ones it writes
#: like Python again, once the exponent has two digits.
_WHOLE_BELOW, _FRACTION_FROM, _SMALL_FROM = 1e21, 1e-6, 1e-9

_HOLDERS = (dict, list)
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
    try:
        if _plain((value,), 0):
            text = _ENCODER.encode(value)
            form = text.encode()
            if text.isascii() or not (_holds(form, _HIGH_BYTES) and _holds(form, _ASTRAL_BYTES)):
                return form
        return _Shaper().written(value)
    except (ValueError, TypeError) as error:
        raise blame(value, error) from None


def lenient(value: Any) -> bytes:
    """Return a text for any JSON value, also one without canonical form: equal for equal values, and no more."""
    return _LENIENT.encode(_Shaper(exact=False).shaped((value,))[0]).encode()


def blame(value: Any, error: Exception, within: Tokens = ()) -> Unhashable:
    """Return the error for a value that could not be written, with the first place that is to blame.

    ``within`` is where the value stands in what the caller asked about.
    """
    for below, node in places(value):
        tokens = (*within, *below)
        texts = (node, tokens[-1] if tokens else "")
        if any(isinstance(text, str) and re.search(SURROGATE, text) for text in texts):
            return Unhashable("lone surrogate", pointer(tokens))
        if isinstance(node, float) and not isfinite(node):
            return Unhashable("number that is not finite", pointer(tokens))
    return Unhashable(f"no JSON value ({error})", pointer(within))


def _plain(holder: Any, depth: int) -> bool:
    """Tell whether the encoder writes all numbers in an object or array as RFC 8785 wants them.

    Every definition goes through here: this is written for speed, and looks at the depth on its way.
    """
    if depth > MAX_DEPTH:
        raise _too_deep()
    for child in holder.values() if type(holder) is dict else holder:
        kind = type(child)
        if kind is str:
            continue
        if kind is dict or kind is list:
            if not _plain(child, depth + 1):
                return False
        elif kind is float:
            if child.is_integer() or not _ALIKE_FROM <= abs(child) < _ALIKE_BELOW:
                return False
        elif kind not in _PLAIN_TYPES:
            return False
    return True


def _holds(form: bytes, some: tuple[bytes, ...]) -> bool:
    return any(byte in form for byte in some)


def _too_deep() -> JsonError:
    return JsonError(f"expected values nested at most {MAX_DEPTH} deep, got deeper", reason="too-deep")


class _Shaper:
    """Brings one value into a shape of which the encoder writes RFC 8785, and writes it."""

    def __init__(self, *, exact: bool = True) -> None:
        self._exact = exact
        self._marks = 0

    def written(self, value: Any) -> bytes:
        """Return the canonical form."""
        text = _ENCODER.encode(self.shaped((value,))[0])
        if self._marks:
            if text.count(_MARK) != self._marks:
                raise ValueError("a lone surrogate")
            text = text.replace(f'"{_MARK}', "").replace(f'{_MARK}"', "")
        try:
            return text.encode()
        except UnicodeEncodeError:
            # For names that are in UTF-16 now, or for a surrogate in the value: that fails here again.
            _ENCODER.encode(value).encode()
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le").encode()

    def shaped(self, holder: Any, depth: int = 0) -> Any:
        """Return an object or array, or a copy of it where something had to be changed; the encoder judges other types."""
        if depth > MAX_DEPTH:
            raise _too_deep()
        if type(holder) not in _HOLDERS:
            if not isinstance(holder, (Mapping, list, tuple)):
                return holder
            holder = dict(holder) if isinstance(holder, Mapping) else list(holder)
        shaped = holder
        members: Iterable[tuple[Any, Any]] = enumerate(holder)
        if type(holder) is dict:
            shaped = holder = _sorting_alike(holder)
            members = holder.items()
        for key, child in members:
            if type(child) in _PLAIN_TYPES:
                continue
            new = self._number(child) if type(child) is float else self.shaped(child, depth + 1)
            if new is not child:
                if shaped is holder:
                    shaped = holder.copy()
                shaped[key] = new
        return shaped

    def _number(self, number: float) -> float | str:
        """Return what is written as ECMAScript's Number::toString does (3.2.2.3)."""
        if number.is_integer() and abs(number) < _WHOLE_BELOW:
            # Not int(number) always: of the digits, only those that tell a float from its neighbours are written.
            return int(number) if abs(number) < _ALIKE_BELOW else int(_written_out(repr(number)))
        if self._exact and _SMALL_FROM <= abs(number) < _ALIKE_FROM:
            self._marks += 2
            text = repr(number)
            return _MARK + (_written_out(text) if abs(number) >= _FRACTION_FROM else text.replace("e-0", "e-")) + _MARK
        return number


def _sorting_alike(holder: dict[str, Any]) -> dict[str, Any]:
    """Return an object of which code points sort the names as UTF-16 units do (3.2.3): if need be, in UTF-16."""
    names = "".join(holder)
    if names.isascii() or not (_HIGH.search(names) and _ASTRAL.search(names)):
        return holder
    return {_ASTRAL.sub(_as_pair, name): child for name, child in holder.items()}


def _as_pair(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0xD7C0 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _written_out(text: str) -> str:
    """Write a number that has an exponent without it."""
    sign, magnitude = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = magnitude.partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{whole}{fraction}"
    return f"{sign}{whole + fraction:0<{point}}"

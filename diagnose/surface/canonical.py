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
_AS_IT_STANDS = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)
_LENIENT = json.JSONEncoder(sort_keys=True, separators=(",", ":"), check_circular=False)

#: Code points put U+E000 to U+FFFF before the characters from U+10000 on, UTF-16 units put them behind. In UTF-8 both
#: kinds are told by their first byte.
_HIGH, _ASTRAL = (b"\xee", b"\xef"), (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")
#: In names, the first kind is lifted by 0x100000, to the last characters that there are, so that code points put it behind,
#: too. In UTF-8 that makes two bytes of the first one, and changes no other.
_LIFTS = ((b"\xee", b"\xf4\x8e"), (b"\xef", b"\xf4\x8f"))
_LIFTED = b"\xf4"
_MAY_BE_SURROGATE = b"\xed"

#: Stands around a number that has its final text already: no text that is allowed holds two low surrogates in a row.
_MARK = "\udfff\udfff"
_MARKED = _MARK.encode("utf-8", "surrogatepass")
_BEFORE, _BEHIND = b'"' + _MARKED, _MARKED + b'"'

#: From here to there, a float that is no whole number is written alike by Python and ECMAScript.
_ALIKE_FROM, _ALIKE_BELOW = 1e-4, 1e16
#: ECMAScript writes whole numbers below this, and fractions from this on, without an exponent; smaller ones it writes
#: like Python again, once the exponent has two digits.
_WHOLE_BELOW, _FRACTION_FROM, _SMALL_FROM = 1e21, 1e-6, 1e-9

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
            if text.isascii() or not (_holds(form, _HIGH) and _holds(form, _ASTRAL)):
                return form
        return _Shaper().written(value)
    except (ValueError, TypeError) as error:
        raise blame(value, error) from None


def lenient(value: Any) -> bytes:
    """Return a text for any JSON value, also one without canonical form: equal for equal values, and no more."""
    return _LENIENT.encode(_Shaper(exact=False, lifts=False).shaped((value,))[0]).encode()


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
    return any(map(form.__contains__, some))


def _too_deep() -> JsonError:
    return JsonError(f"expected values nested at most {MAX_DEPTH} deep, got deeper", reason="too-deep")


class _Shaper:
    """Brings one value into a shape of which the encoder writes RFC 8785, and writes it."""

    def __init__(self, *, exact: bool = True, lifts: bool = True) -> None:
        self._exact = exact
        self._lifts = lifts
        self._lifted = 0
        self._crowded = False
        self._marks = 0

    def written(self, value: Any) -> bytes:
        """Return the canonical form."""
        form = self._form(_ENCODER, self.shaped((value,))[0])
        if not self._lifted:
            return form
        lowered = form
        for high, lifted in _LIFTS:
            if _LIFTED in lowered:
                lowered = lowered.replace(lifted, high)
        if not self._crowded and len(form) - len(lowered) == self._lifted:
            return lowered
        # Somebody uses the last characters that there are: which of them were lifted is not to be told.
        again = _Shaper(lifts=False)
        return again._form(_AS_IT_STANDS, _in_order(again.shaped((value,))[0]))

    def _form(self, encoder: json.JSONEncoder, shaped: Any) -> bytes:
        text = encoder.encode(shaped)
        if not self._marks:
            return text.encode()
        form = text.encode("utf-8", "surrogatepass")
        if form.count(_MARKED) != self._marks:
            raise ValueError("a lone surrogate")
        form = form.replace(_BEFORE, b"").replace(_BEHIND, b"")
        if _MAY_BE_SURROGATE in form:
            form.decode()  # fails where one is left
        return form

    def shaped(self, holder: Any, depth: int = 0) -> Any:
        """Return an object or array, or a copy of it where something had to be changed; the encoder judges other types.

        Written for speed, as `_plain`.
        """
        if depth > MAX_DEPTH:
            raise _too_deep()
        shaped: Any
        members: Iterable[tuple[Any, Any]]
        if type(holder) is dict:
            shaped = holder if all(map(str.isascii, holder)) else self._sorting_alike(holder)
            members = shaped.items()
        elif type(holder) is list:
            shaped, members = holder, enumerate(holder)
        elif isinstance(holder, (Mapping, list, tuple)):
            return self.shaped(dict(holder) if isinstance(holder, Mapping) else list(holder), depth)
        else:
            return holder
        for key, child in members:
            kind = type(child)
            if kind in _PLAIN_TYPES:
                continue
            new = self._number(child) if kind is float else self.shaped(child, depth + 1)
            if new is not child:
                if shaped is holder:
                    shaped = holder.copy()
                shaped[key] = new
        return shaped

    def _sorting_alike(self, holder: dict[str, Any]) -> dict[str, Any]:
        """Return an object of which code points sort the names as UTF-16 units do (3.2.3): if need be, with some lifted."""
        names = "".join(holder).encode() if self._lifts else b""
        if not (_holds(names, _HIGH) and _holds(names, _ASTRAL)):
            return holder
        self._crowded = self._crowded or _LIFTED in names  # two names could be one now
        return {name if name.isascii() else self._lift(name): child for name, child in holder.items()}

    def _lift(self, name: str) -> str:
        form = lifted = name.encode()
        for high, instead in _LIFTS:
            lifted = lifted.replace(high, instead)
        self._lifted += len(lifted) - len(form)
        return lifted.decode()

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


def _in_order(value: Any) -> Any:
    """Return a value with the names of all objects in the order of their UTF-16 units (3.2.3)."""
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
        return {name: _in_order(child) for name, child in members}
    return list(map(_in_order, value)) if isinstance(value, list) else value


def _written_out(text: str) -> str:
    """Write a number that has an exponent without it."""
    sign, magnitude = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = magnitude.partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{whole}{fraction}"
    return f"{sign}{whole + fraction:0<{point}}"

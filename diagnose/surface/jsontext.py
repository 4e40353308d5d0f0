"""Strict reading of JSON that strangers sent: bounded, nothing lost, and every oddity reported with its place.

The values are those of the standard library (an int stays an int, `600.0` a float). What a strict reader would refuse but
some servers write (NaN, duplicate keys, lone surrogates, bytes that are no UTF-8) is read, and told as a defect.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isfinite, isinf
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from diagnose.errors import InputError
from diagnose.surface.walk import MAX_DEPTH, deeper_than, places, pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 64 * 1024 * 1024
#: Digits of one integer: what CPython converts by default, for the conversion takes quadratic time.
MAX_DIGITS = 4300
#: Defects told of one text. A hostile text could hold millions; nobody reads beyond the first.
MAX_DEFECTS = 100
_HEAD = 80

DefectKind: TypeAlias = Literal["duplicate-key", "non-finite-number", "lone-surrogate", "invalid-utf8", "bom"]
Reason: TypeAlias = Literal["not-json", "too-large", "too-deep", "joined"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89abcdefABCDEF]")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonDefect:
    """Something that RFC 8259 or I-JSON (RFC 7493) forbids and that was read all the same.

    ``pointer`` is the JSON Pointer of the place, None where it concerns the text as a whole, or a value that a duplicate
    key replaced. ``detail`` says what stood there.
    """

    kind: DefectKind
    pointer: str | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedJson:
    """A value, and the defects of its text: at most `MAX_DEFECTS` of them."""

    value: Any
    defects: tuple[JsonDefect, ...] = ()


def parse_json(data: bytes | str, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> ParsedJson:
    """Read one JSON value; of a duplicate key the last value counts.

    Bytes that are no UTF-8 are kept as the code points U+DC80 to U+DCFF ("surrogateescape"), so that nothing is
    replaced unseen and the value has no digest. A str is measured in characters.

    Raises:
        JsonError: it is no JSON, too large, too deep, or several values in one text.

    """
    if len(data) > max_bytes:
        raise JsonError(f"expected at most {max_bytes} bytes of JSON, got {len(data)}", reason="too-large")
    text, defects = _decoded(data)
    reader = _Reader()
    value = reader.read(text)
    if deeper_than(value, max_depth):
        raise _too_deep(text, max_depth)
    defects.extend(_located(value, text, reader))
    return ParsedJson(value=value, defects=tuple(defects[:MAX_DEFECTS]))


def _decoded(data: bytes | str) -> tuple[str, list[JsonDefect]]:
    defects: list[JsonDefect] = []
    text = data if isinstance(data, str) else ""
    if isinstance(data, bytes):
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            text = data.decode(errors="surrogateescape")
            found = data[error.start : error.start + 4].hex(" ")
            defects.append(JsonDefect(kind="invalid-utf8", pointer=None, detail=f"byte {error.start}: {found}"))
    if text.startswith("\ufeff"):
        text = text[1:]
        defects.append(JsonDefect(kind="bom", pointer=None, detail="U+FEFF before the value"))
    return text, defects


class _Reader:
    """The standard decoder with hooks that notice what it would pass over."""

    def __init__(self) -> None:
        self.repeated: list[tuple[dict[str, Any], tuple[str, ...]]] = []
        self.not_finite = False
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_float=self._float,
            parse_int=self._int,
        )

    def read(self, text: str) -> Any:
        head = text[:_HEAD]
        try:
            return self._decoder.decode(text)
        except json.JSONDecodeError as error:
            raise _refusal(text, error) from None
        except RecursionError:
            raise _too_deep(text, MAX_DEPTH) from None
        except _TooManyDigitsError as error:
            message = f"expected integers of at most {MAX_DIGITS} digits, got one of {error}"
            raise JsonError(message, reason="too-large", head=head) from None

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs) and len(self.repeated) < MAX_DEFECTS:
            seen: set[str] = set()
            twice = {key for key, _ in pairs if key in seen or seen.add(key)}  # type: ignore[func-returns-value]
            self.repeated.append((value, tuple(key for key in value if key in twice)))
        return value

    def _constant(self, name: str) -> float:
        self.not_finite = True
        return float(name)

    def _float(self, digits: str) -> float:
        value = float(digits)
        if isinf(value):
            self.not_finite = True
        return value

    def _int(self, digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            raise _TooManyDigitsError(len(digits))
        return int(digits)


class _TooManyDigitsError(Exception):
    pass


def _refusal(text: str, error: json.JSONDecodeError) -> JsonError:
    head = text[:_HEAD]
    if not text.strip(" \t\r\n"):
        return JsonError("expected JSON, got nothing", reason="not-json", head=head)
    if error.msg == "Extra data" and text[error.pos] in "{[":
        message = f"expected one JSON value, got another one after it, at character {error.pos}"
        return JsonError(message, reason="joined", offset=error.pos, head=head)
    message = f"expected JSON, got {head!r} ({error.msg} at character {error.pos})"
    return JsonError(message, reason="not-json", offset=error.pos, head=head)


def _too_deep(text: str, limit: int) -> JsonError:
    return JsonError(f"expected JSON nested at most {limit} deep, got deeper", reason="too-deep", head=text[:_HEAD])


def _located(value: Any, text: str, reader: _Reader) -> Iterator[JsonDefect]:
    """Find the places of the defects that were noticed; a text without any is not walked through."""
    surrogates = _has_surrogates(text)
    if not (reader.repeated or reader.not_finite or surrogates):
        return
    repeated = {id(holder): keys for holder, keys in reader.repeated}
    for tokens, node in places(value):
        if isinstance(node, dict):
            for key in repeated.pop(id(node), ()):
                yield JsonDefect(kind="duplicate-key", pointer=pointer((*tokens, key)), detail=key)
        if isinstance(node, float) and not isfinite(node):
            yield JsonDefect(kind="non-finite-number", pointer=pointer(tokens), detail=str(node))
        if surrogates and (_lone(node) or (tokens and _lone(tokens[-1]))):
            yield JsonDefect(kind="lone-surrogate", pointer=pointer(tokens), detail=ascii((*tokens[-1:], node)))
    for keys in repeated.values():
        yield from (JsonDefect(kind="duplicate-key", pointer=None, detail=key) for key in keys)


def _lone(node: Any) -> bool:
    return isinstance(node, str) and _SURROGATE.search(node) is not None


def _has_surrogates(text: str) -> bool:
    return _SURROGATE_ESCAPE.search(text) is not None or (not text.isascii() and _SURROGATE.search(text) is not None)

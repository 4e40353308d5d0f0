"""The spellings in which a known secret may stand in a text: plain, base64, percent-encoded, escaped as in JSON."""

from __future__ import annotations

import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from diagnose.record import record

#: Shorter secrets are found only where they are a whole value: in a text they would be found everywhere.
SHORTEST = 4

Span = tuple[int, int]


@record
class Needle:
    """A spelling to search for; with ``base64`` the run of base64 around it is part of the secret, too."""

    text: str
    base64: bool = False


def _needles(secret: str) -> Iterator[Needle]:
    """Yield what to search for to find ``secret``, itself or inside a longer text (``user:secret``), in base64."""
    yield Needle(text=secret)
    raw = secret.encode("utf-8", "surrogatepass")
    for shift in range(3):
        core = _base64_core(raw, shift)
        for spelling in {core, core.replace("+", "-").replace("/", "_")}:
            if len(spelling) >= SHORTEST:
                yield Needle(text=spelling, base64=True)


def _base64_core(raw: bytes, shift: int) -> str:
    """Return the characters that depend on ``raw`` alone when ``shift`` bytes (mod 3) stand before it (RFC 4648)."""
    text = b64encode(bytes(shift) + raw).decode("ascii").rstrip("=")
    first = (0, 2, 3)[shift]
    shares_last = (shift + len(raw)) % 3 != 0
    return text[first : len(text) - shares_last]


@record
class Known:
    """The secrets to search for. ``alphabet`` holds their characters: an escape of any other cannot lie in a match."""

    needles: tuple[Needle, ...] = ()
    alphabet: frozenset[str] = frozenset()

    def with_secret(self, secret: str) -> Known:
        """Return these and one more, of at least `SHORTEST` characters."""
        needles = (*self.needles, *_needles(secret))
        return Known(needles=needles, alphabet=frozenset().union(*(needle.text for needle in needles)))

    def spans(self, text: str) -> Iterator[Span]:
        """Yield where ``text`` holds one of the secrets in any spelling; spans may overlap."""
        if self.needles:
            for view in _views(text, self.alphabet):
                for needle in self.needles:
                    for start, end in _found(view.text, needle):
                        yield view.origin(start, end)


def _found(text: str, needle: Needle) -> Iterator[Span]:
    at = text.find(needle.text)
    while at >= 0:
        end = at + len(needle.text)
        if needle.base64:
            at, end = _base64_run(text, at, end)
            yield at, end
            at = text.find(needle.text, end)
        else:
            yield at, end
            at = text.find(needle.text, at + 1)


_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")


def _base64_run(text: str, start: int, end: int) -> Span:
    # The outermost characters of the run carry bits of the secret's first and last byte.
    while start > 0 and text[start - 1] in _BASE64:
        start -= 1
    while end < len(text) and text[end] in _BASE64:
        end += 1
    return start, end


class _View:
    """A text with its escapes undone, and where each piece of it came from.

    ``starts`` are positions in this text, ``sources`` those in the text before, one for each piece; a piece of which
    ``whole`` is true stands for an escape and has no inside.
    """

    __slots__ = ("parent", "sources", "starts", "text", "whole")

    def __init__(
        self,
        text: str,
        parent: _View | None = None,
        starts: Sequence[int] = (),
        sources: Sequence[Span] = (),
        whole: Sequence[bool] = (),
    ) -> None:
        self.text = text
        self.parent = parent
        self.starts = starts
        self.sources = sources
        self.whole = whole

    def origin(self, start: int, end: int) -> Span:
        """Return the span of the original text that became this one's ``start`` to ``end``."""
        if self.parent is None:
            return start, end
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1) - 1
        begin = self.sources[first][0] + (0 if self.whole[first] else start - self.starts[first])
        finish = self.sources[last][1] if self.whole[last] else self.sources[last][0] + end - self.starts[last]
        return self.parent.origin(begin, finish)


def _views(text: str, alphabet: frozenset[str]) -> Iterator[_View]:
    """Yield the text as it is, with JSON escapes undone once and twice (JSON inside JSON), and each of them URL-decoded.

    Views that could show nothing new are left out.
    """
    view = _View(text)
    for _ in range(3):
        yield view
        if "%" in view.text:
            yield _undone(view, _PERCENT, _decode_percent)
        if "+" in view.text and " " in alphabet:
            yield _undone(view, _FORM, _decode_form)
        if "\\" not in view.text or not _hides(view.text, alphabet):
            return
        view = _undone(view, _ESCAPE, _decode_escape)


def _hides(text: str, alphabet: frozenset[str]) -> bool:
    """Return whether undoing the escapes in ``text`` could bring a character of ``alphabet`` to light."""
    escaped = set(re.findall(_ESCAPED, text))
    return not escaped.isdisjoint("uxU") or any(_SHORT_ESCAPES.get(char, char) in alphabet for char in escaped)


def _undone(parent: _View, escape: str, decode: Callable[[str], str]) -> _View:
    pieces: list[str] = []
    starts: list[int] = []
    sources: list[Span] = []
    whole: list[bool] = []
    length = 0

    def add(piece: str, source: Span, *, is_escape: bool) -> None:
        nonlocal length
        if piece:
            pieces.append(piece)
            starts.append(length)
            sources.append(source)
            whole.append(is_escape)
            length += len(piece)

    at = 0
    for match in re.finditer(escape, parent.text):
        add(parent.text[at : match.start()], (at, match.start()), is_escape=False)
        add(decode(match.group()), match.span(), is_escape=True)
        at = match.end()
    add(parent.text[at:], (at, len(parent.text)), is_escape=False)
    return _View("".join(pieces), parent, starts, sources, whole)


# The patterns are texts: `re` compiles each when it is first needed, which most runs never do.
# Neighbouring escapes are one piece, since the bytes of one UTF-8 character are.
_PERCENT = r"(?:%[0-9A-Fa-f]{2})+"
_FORM = r"\+|(?:%[0-9A-Fa-f]{2})+"

# JSON's (RFC 8259, section 7), and those of Python's repr and of `harmless`.
_ESCAPE = (
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\U00[01][0-9a-fA-F]{5}|\\[\"'\\/bfnrt]"
)
_ESCAPED = r"(?<=\\)[\"'\\/bfnrtuxU]"
_SHORT_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _decode_percent(run: str) -> str:
    return bytes.fromhex(run.replace("%", "")).decode("utf-8", "surrogateescape")


def _decode_form(run: str) -> str:
    return " " if run == "+" else _decode_percent(run)


def _decode_escape(escape: str) -> str:
    if len(escape) == 2:
        return _SHORT_ESCAPES.get(escape[1], escape[1])
    units = [int(unit, 16) for unit in re.split(r"\\[uxU]", escape)[1:]]
    if len(units) == 1:
        return chr(min(units[0], 0x10FFFF))
    return chr(0x10000 + ((units[0] - 0xD800) << 10) + (units[1] - 0xDC00))

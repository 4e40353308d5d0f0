"""Text from strangers, made so that it can neither act on a terminal nor look like something else.

Only characters are dealt with: square brackets stay, so nothing that has passed here may be read as Rich markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import category, east_asian_width

# Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt), as far as `str.isprintable` lets it pass, and the
# braille blank: all of them draw nothing, so that two names which differ look the same.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u2800\u3164\uffa0").union(
    map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0))
)
_SUSPECT = re.compile(r"[^\x20-\x7e]+")
_PIECE = r"(?s)\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|."
_LAST_BMP = 0xFFFF
_LAST_LATIN = 0xFF

#: How many combining marks may stand on one character; no orthography needs more, and a flood covers other lines.
MARKS = 4
ELLIPSIS = "…"


def harmless(text: str, *, newlines: bool = False) -> str:
    r"""Return ``text`` with every character that could act or mislead as a visible ``\xNN``, ``\uNNNN`` or ``\UNNNNNNNN``.

    That is everything that `str.isprintable` calls unprintable (controls, so each escape sequence; bidi and other
    format characters; tags; line and paragraph separators; spaces other than U+0020; lone surrogates; private use;
    unassigned), everything that Unicode lets a font ignore, and combining marks beyond `MARKS` in a row. A backslash
    stays, so the result is for reading, not for parsing. ``newlines`` keeps line feeds. Never raises; a second
    application changes nothing.
    """
    return _escaped(text, keep="\n" if newlines else "", spell=_visible)


def harmless_json(document: str) -> str:
    r"""Return a JSON ``document`` with the same characters as ``\uNNNN``; it parses to the same value.

    In valid JSON they occur only inside strings, but for line feed, carriage return and tab, which a string cannot
    hold raw and which therefore stay.
    """
    return _escaped(document, keep="\n\r\t", spell=_json_escape)


def display_width(text: str) -> int:
    """Return how many terminal columns ``text`` takes: wide characters two, combining marks none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def shorten(text: str, width: int) -> str:
    """Return harmless ``text`` cut to ``width`` columns, with an ellipsis where something is missing.

    An escape is kept or dropped as a whole, a combining mark goes with its character.
    """
    if display_width(text) <= width:
        return text
    kept: list[str] = []
    room = width - 1
    for piece in re.findall(_PIECE, text):
        room -= display_width(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept) + ELLIPSIS if width > 0 else ""


def _escaped(text: str, *, keep: str, spell: Callable[[int], str]) -> str:
    if text.isascii() and text.isprintable():
        return text

    def spell_run(run: re.Match[str]) -> str:
        marks = 0
        pieces = []
        for char in run.group():
            marks = marks + 1 if category(char).startswith("M") else 0
            acts = marks > MARKS or not char.isprintable() or char in _INVISIBLE
            pieces.append(spell(ord(char)) if acts and char not in keep else char)
        return "".join(pieces)

    return _SUSPECT.sub(spell_run, text)


def _visible(point: int) -> str:
    if point <= _LAST_LATIN:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= _LAST_BMP else f"\\U{point:08x}"


def _json_escape(point: int) -> str:
    if point <= _LAST_BMP:
        return f"\\u{point:04x}"
    high, low = divmod(point - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _columns(char: str) -> int:
    if category(char) in {"Mn", "Me"}:
        return 0
    return 2 if east_asian_width(char) in "WF" else 1

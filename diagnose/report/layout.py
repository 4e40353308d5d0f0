"""Text on a page of so many columns: wrapping, hanging indents, and a little colour where it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from diagnose.evidence.harmless import display_width, shorten
from diagnose.record import record

Ink: TypeAlias = Literal["plain", "strong", "faint", "good", "bad", "doubt", "unsure"]

Safe: TypeAlias = Callable[[str], str]
"""Takes credentials out of a text and makes every character harmless."""

_CODES: dict[Ink, str] = {
    "strong": "1",
    "faint": "2",
    "good": "1;32",
    "bad": "1;31",
    "doubt": "1;33",
    "unsure": "1;35",
}


@record
class Page:
    """How wide the page is, and whether it has colours. Colour never says anything that the words do not."""

    width: int = 80
    colour: bool = False

    def ink(self, text: str, ink: Ink) -> str:
        """Return the text in an ink; as it is, where there is no colour."""
        code = _CODES.get(ink)
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text

    def wrap(self, text: str, *, first: str = "", rest: str | None = None) -> list[str]:
        """Return harmless text in lines of the page's width; `first` begins the first line, `rest` the others.

        A word that is longer than a line is broken, so that nothing is lost.
        """
        rest = " " * display_width(first) if rest is None else rest
        room = max(self.width - max(display_width(first), display_width(rest)), 10)
        lines = _lines(text, room)
        return [(first if place == 0 else rest) + line for place, line in enumerate(lines)]

    def cut(self, text: str) -> str:
        """Return harmless text as one line, cut at the page's width."""
        return shorten(text, self.width)

    def join(self, parts: Iterable[str], *, before: str, between: str = ", ") -> str:
        """Return as many of the parts, in order, as fit on one line behind `before`; at least the first, cut."""
        line = before
        for place, part in enumerate(parts):
            longer = line + (between if place else "") + part
            if place and display_width(longer) > self.width:
                break
            line = longer
        return self.cut(line)


def _lines(text: str, room: int) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in (piece for whole in text.split(" ") for piece in _pieces(whole, room)):
        if line and display_width(line) + 1 + display_width(word) > room:
            lines.append(line.rstrip())
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _pieces(word: str, room: int) -> list[str]:
    pieces = []
    while display_width(word) > room:
        cut = room
        while display_width(word[:cut]) > room:
            cut -= 1
        pieces.append(word[:cut])
        word = word[cut:]
    return [*pieces, word]

"""The picture of recorded sessions for a terminal: one row a lane, letters for catalogues, signs for what happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from diagnose.evidence.harmless import display_width, shorten
from diagnose.record import record
from diagnose.report.layout import Ink, Page, Safe
from diagnose.report.timeline_picture import MARKS, Lane, MarkKind, Picture
from diagnose.report.timeline_scale import told

_SIGNS: Mapping[MarkKind, str] = {
    "signal": "!",
    "refused": "x",
    "odd-call": "@",
    "list": "?",
    "handshake": "h",
    "action": "*",
    "process": "#",
    "end": "|",
    "call": "c",
}
_INKS: Mapping[str, Ink] = {"!": "doubt", "x": "bad", "@": "bad", "/": "doubt", "▒": "doubt", "?": "strong"}
_LONGEST_NAME = 28
#: So many catalogues are explained below the picture; the sessions tell all of them.
_MOST_NAMES = 12
_WORDS: Mapping[MarkKind, str] = {
    "signal": "signal",
    "refused": "refused request",
    "odd-call": "call not by the newest list, or failed",
    "list": "list asked for",
    "handshake": "handshake or discovery",
    "action": "what a person did or the tap noted",
    "process": "start or end of the process",
    "end": "end of the session",
    "call": "call",
}


@record
class Strokes:
    """The characters that spans are drawn with."""

    known: str = "─"
    stale: str = "▒"
    stream: str = "═"
    tick: str = "┬"


UNICODE = Strokes()
ASCII = Strokes(known="-", stale="/", stream="=", tick="+")


def picture_lines(
    picture: Picture, page: Page, safe: Safe, strokes: Strokes = UNICODE, *, legend: bool = True
) -> Iterator[str]:
    """Yield the picture, then what its letters and signs mean; no line is longer than the page is wide."""
    if not picture.lanes:
        return
    names = [_name(lane, safe) for lane in picture.lanes]
    column = min(max(map(display_width, names)), _LONGEST_NAME, page.width // 3)
    room = max(page.width - column - 4, 10)
    yield from _axis(picture, column, room, strokes)
    used: set[str] = set()
    for lane, name in zip(picture.lanes, names, strict=True):
        row = _row(lane, picture, room, strokes)
        used.update(row)
        head = shorten(name, column)
        yield f"  {head}{' ' * (column - display_width(head))}  {_inked(row, page)}"
    if not legend:
        return
    yield ""
    yield from _legend(picture, used, page, safe, strokes)


def _name(lane: Lane, safe: Safe) -> str:
    if lane.title in {"server", "gateway"}:
        return safe(f"{lane.title} {lane.note}".strip())
    if lane.role == "path":
        return safe(lane.title.removeprefix("wire "))
    return safe(f"{lane.title} {lane.note}".strip())


def _axis(picture: Picture, column: int, room: int, strokes: Strokes) -> Iterator[str]:
    """Yield the times, and below them the places that they stand for."""
    whole = picture.seconds
    labels, marks = [" "] * (room + 12), [" "] * room
    widest = len(told(picture.scale.end, whole)) + 2
    taken = -1
    for t, place in picture.scale.ticks(widest / room):
        text = told(t, whole)
        at = round(place * (room - 1))
        start = min(at, room - len(text))
        if start <= taken:
            continue
        labels[start : start + len(text)] = text
        marks[at] = strokes.tick
        taken = start + len(text)
    indent = " " * (column + 4)
    yield f"{indent}{''.join(labels).rstrip()}"
    yield f"{indent}{''.join(marks).rstrip()}"


def _row(lane: Lane, picture: Picture, room: int, strokes: Strokes) -> str:
    cells = [" "] * room

    def column(t: float) -> int:
        return round(picture.scale.place(t) * (room - 1))

    stroke = {"catalogue": strokes.known, "stream": strokes.stream, "stale": strokes.stale}
    for span in lane.spans:
        start, end = column(span.start), column(span.end)
        cells[start : end + 1] = [stroke[span.kind]] * (end + 1 - start)
    # Last, so that no stretch that ends where another catalogue begins hides its letter.
    for span in lane.spans:
        if span.kind == "catalogue":
            start = column(span.start)
            letters = span.name[: max(column(span.end) - start + 1, 1)]
            cells[start : start + len(letters)] = letters
    order = list(MARKS)
    for mark in sorted(lane.marks, key=lambda mark: -order.index(mark.kind)):
        cells[column(mark.t)] = _SIGNS[mark.kind]
    return "".join(cells[:room])


def _inked(row: str, page: Page) -> str:
    """Return a row with its signs in colour, run by run."""
    if not page.colour:
        return row.rstrip()
    runs = ((ink, "".join(run)) for ink, run in groupby(row.rstrip(), key=_INKS.get))
    return "".join(run if ink is None else page.ink(run, ink) for ink, run in runs)


def _legend(picture: Picture, used: set[str], page: Page, safe: Safe, strokes: Strokes) -> Iterator[str]:
    for name, what in picture.catalogues[:_MOST_NAMES]:
        yield from page.wrap(safe(what), first=f"  {name:<2} ")
    if len(picture.catalogues) > _MOST_NAMES:
        yield from page.wrap(f"and {len(picture.catalogues) - _MOST_NAMES} more catalogues", first="  ")
    signs = [f"{_SIGNS[kind]} {_WORDS[kind]}" for kind in MARKS if _SIGNS[kind] in used]
    signs += [f"{strokes.stream} stream open"] if strokes.stream in used else []
    signs += [f"{strokes.stale} held an old list, or only a part"] if strokes.stale in used else []
    yield from page.wrap(", ".join(signs), first="  ", rest="  ")
    yield from page.wrap("Quiet stretches are drawn shorter than they were.", first="  ")
    if picture.left_out:
        yield from page.wrap(f"{picture.left_out}; all are told below, and in --format json.", first="  ")

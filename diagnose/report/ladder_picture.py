"""The ladder as a picture: a rung a layer, and beside it a bracket for every two that were laid side by side.

What a bracket or a rung says stands in it as a word, and shows in its shape too; the colour only repeats it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import shorten
from diagnose.judge.words import counted, short
from diagnose.record import record
from diagnose.report.rungs import MARKS, UNSEEN, ends_of, facts_of, mark_of

if TYPE_CHECKING:
    from diagnose.judge.diagnosis import Comparison, Diagnosis
    from diagnose.report.webpage import Markup, Writer

#: The page's units: the picture is as wide as a narrow telephone, so that it is never scaled until its words are lost.
WIDTH = 346
_PITCH, _TALL, _TOP = 58, 44, 8
_LEFT, _BOX, _NODE = 6, 166, 26
_LANES_FROM = _LEFT + _BOX + 8
_PILL = 78
#: So many brackets have a place beside each other; the table below has them all.
_MOST_LANES = 4
_NARROW = 26
_FACT = 22

_WORDS: dict[str, tuple[str, str, str]] = {
    "equal": ("=", "same", "good"),
    "equivalent": ("≈", "alike", "good"),
    "different": ("≠", "differs", "doubt"),
    "unknown": ("?", "unknown", "faint"),
    "changed": ("~", "changed", "faint"),
}


@record
class _Bracket:
    """Two rungs that were compared, by their places, and what came of it."""

    top: int
    bottom: int
    word: str
    lane: int = 0


def relation_word(pair: Comparison) -> tuple[str, str, str]:
    """Return the sign, the word and the ink for what came of a comparison."""
    return _WORDS[_kind(pair)]


def ladder_picture(diagnosis: Diagnosis, writer: Writer) -> Markup:
    """Return the picture, with all that it shows as a text for those who do not see it."""
    places = {row["layer"]: place for place, row in enumerate(diagnosis.layers)}
    brackets = _in_lanes(_brackets(diagnosis, places))
    height = _TOP * 2 + _PITCH * (len(places) - 1) + _TALL
    return writer.picture(
        *_rails(writer, len(places)),
        *(_rung(writer, row, place, mark_of(row, diagnosis)) for place, row in enumerate(diagnosis.layers)),
        *(_line(writer, each, _lane_x(each, brackets)) for each in brackets),
        *(_label(writer, each, _lane_x(each, brackets), _is_wide(brackets)) for each in brackets),
        width=WIDTH,
        height=height,
        title="The ladder, from the server's build down to what the model is offered",
        text=" ".join(_said(diagnosis)),
        name="ladder",
    )


def _kind(pair: Comparison) -> str:
    return "changed" if pair.relation == "different" and not pair.counts else pair.relation


def _said(diagnosis: Diagnosis) -> Iterator[str]:
    for row in diagnosis.layers:
        mark = mark_of(row, diagnosis)
        yield f"{row['layer']}: {next(facts_of(row))}." if mark == UNSEEN else f"{row['layer']}: {mark}."
    for pair in diagnosis.comparisons:
        yield f"{pair.older} and {pair.newer}: {relation_word(pair)[1]}."


def _brackets(diagnosis: Diagnosis, places: Mapping[str, int]) -> list[_Bracket]:
    """Return one bracket for all pairs of the same two rungs that say the same, the shortest first."""
    found: dict[_Bracket, None] = {}
    for pair in diagnosis.comparisons:
        ends = [places[end] for end in ends_of(pair) if end in places]
        if ends:
            found[_Bracket(top=min(ends), bottom=max(ends), word=_kind(pair))] = None
    return sorted(found, key=lambda each: (each.bottom - each.top, each.top))


def _in_lanes(brackets: list[_Bracket]) -> list[_Bracket]:
    """Give each bracket the innermost lane in which it meets no other; what finds none is left to the table."""
    lanes: list[list[_Bracket]] = [[] for _ in range(_MOST_LANES)]
    for each in brackets:
        for number, lane in enumerate(lanes):
            if not any(_meet(each, other) for other in lane):
                lane.append(_Bracket(top=each.top, bottom=each.bottom, word=each.word, lane=number))
                break
    return [each for lane in lanes for each in lane]


def _meet(one: _Bracket, other: _Bracket) -> bool:
    """Tell whether two brackets overlap; one may end on the rung on which another begins, for they end apart there."""
    if one.top == one.bottom or other.top == other.bottom:
        return one.top <= other.bottom and other.top <= one.bottom
    return one.top < other.bottom and other.top < one.bottom


def _is_wide(brackets: list[_Bracket]) -> bool:
    """Tell whether every lane has room for a word, and not for a sign only."""
    return all(each.lane < 2 for each in brackets)


def _lane_x(bracket: _Bracket, brackets: list[_Bracket]) -> float:
    room = _PILL if _is_wide(brackets) else _NARROW
    return _LANES_FROM + room / 2 + bracket.lane * (room + 6)


def _middle(place: int) -> float:
    return _TOP + _TALL / 2 + place * _PITCH


def _rails(writer: Writer, rungs: int) -> Iterator[Markup]:
    for x in (_NODE, _LEFT + _BOX - 20):
        yield writer.element("line", x1=x, x2=x, y1=_TOP, y2=_middle(rungs - 1) + _TALL / 2, class_="line")


def _rung(writer: Writer, row: Mapping[str, Any], place: int, mark: str) -> Markup:
    middle = _middle(place)
    ink = MARKS.get(mark, "faint")
    named = " heavy" if mark in {"STALE", "BROKEN"} else ""
    box = {UNSEEN: "paper line dashed", "same": "box", "seen": "box"}.get(mark, f"box on-{ink}{named}")
    second = _fact(row) if row["observed"] else "not observed"
    return writer.element(
        "g",
        writer.element("rect", x=_LEFT, y=middle - _TALL / 2, width=_BOX, height=_TALL, rx=7, class_=box),
        _node(writer, mark, middle, ink),
        writer.element("text", row["layer"], x=_NODE + 16, y=middle - 4, class_="strong"),
        *([] if mark == UNSEEN else [_mark(writer, mark, middle, ink)]),
        writer.element("text", shorten(writer.safe(second), _FACT), x=_NODE + 16, y=middle + 14, class_="small faint"),
    )


def _mark(writer: Writer, mark: str, middle: float, ink: str) -> Markup:
    return writer.element("text", mark, x=_LEFT + _BOX - 9, y=middle - 4, class_=f"small strong end {ink}")


def _fact(row: Mapping[str, Any]) -> str:
    """Return what tells two layers apart at a glance: how many tools, and the beginning of the revision."""
    if row["layer"] == "deployed":
        return next(facts_of(row))
    if row["count"] is None:
        return f"{counted(row['lists'], 'list')}, {counted(row['signals'], 'signal')}"
    shown = [counted(row["count"], "tool")] + ([short(row["revision"])[:8]] if row["revision"] else [])
    return " · ".join(shown)


def _node(writer: Writer, mark: str, y: float, ink: str) -> Markup:
    """Return the shape at the head of a rung: a ring for unseen, a disc, a diamond for a difference, a triangle, a square."""
    x = _NODE
    if mark in {UNSEEN, "same", "seen"}:
        return writer.element("circle", cx=x, cy=y, r=6, class_="paper line" if mark == UNSEEN else ink)
    if mark == "STALE":
        return writer.element("polygon", points=f"{x},{y - 8} {x + 9},{y + 7} {x - 9},{y + 7}", class_=ink)
    if mark == "BROKEN":
        return writer.element("rect", x=x - 7, y=y - 7, width=14, height=14, class_=ink)
    return writer.element("polygon", points=f"{x},{y - 9} {x + 9},{y} {x},{y + 9} {x - 9},{y}", class_=ink)


def _line(writer: Writer, each: _Bracket, x: float) -> Markup:
    ink = _WORDS[each.word][2]
    edge = _LEFT + _BOX
    top, bottom = _ends(each)
    path = f"M{edge} {top} H{x}"
    if bottom > top:
        path = f"M{edge} {top} H{x - 8} Q{x} {top} {x} {top + 8} V{bottom - 8} Q{x} {bottom} {x - 8} {bottom} H{edge}"
    dashed = " dashed" if ink == "faint" else ""
    return writer.element("path", d=path, class_=f"line on-{ink}{dashed}")


def _ends(each: _Bracket) -> tuple[float, float]:
    """Return the heights at which a bracket leaves its rungs: apart from those that come from the other side."""
    if each.top == each.bottom:
        return _middle(each.top), _middle(each.top)
    apart = 6 + each.lane * 4
    return _middle(each.top) + apart, _middle(each.bottom) - apart


def _label(writer: Writer, each: _Bracket, x: float, wide: bool) -> Markup:
    sign, word, ink = _WORDS[each.word]
    y = sum(_ends(each)) / 2
    half, said = (_PILL / 2, f"{sign} {word}") if wide else (_NARROW / 2, sign)
    return writer.element(
        "g",
        _plate(writer, ink, x, y, half),
        writer.element("text", said, x=x, y=y + 4.5, class_=f"small strong middle {ink}"),
    )


def _plate(writer: Writer, ink: str, x: float, y: float, half: float) -> Markup:
    """Return what a word stands on: pointed ends for a difference, round ones for what agrees, dashed for the rest."""
    if ink == "doubt":
        tip = f"{x - half},{y} {x - half + 8},{y - 12} {x + half - 8},{y - 12} {x + half},{y} {x + half - 8},{y + 12} {x - half + 8},{y + 12}"
        return writer.element("polygon", points=tip, class_="plate on-doubt")
    round_ = 12 if ink == "good" else 3
    dashed = "" if ink == "good" else " dashed"
    return writer.element(
        "rect", x=x - half, y=y - 12, width=half * 2, height=24, rx=round_, class_=f"plate on-{ink}{dashed}"
    )

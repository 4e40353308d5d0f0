"""The marks of a picture of sessions: a shape a kind, the gravest in front, and the numbers of frames where they fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from diagnose.report.timeline_picture import MARKS, Mark
from diagnose.report.webpage import Markup, Writer

#: Kinds whose frame is worth its place beside the mark.
_NUMBERED = ("signal", "refused", "odd-call", "list")
_CHAR = 7.2
#: Marks of one kind are drawn at least so far from each other, in units; nearer ones would only hide the lane.
_APART = 5.0


class MarkDrawer:
    """Draws the marks of one lane, around its middle line."""

    def __init__(self, writer: Writer, middle: float) -> None:
        self._writer = writer
        self._y = middle

    def all(self, marks: Sequence[tuple[float, Mark]]) -> Iterator[Markup]:
        """Yield the marks, given with their places; of several of one kind at nearly one place only the first is drawn."""
        order = list(MARKS)
        drawn: dict[str, float] = {}
        taken: list[tuple[float, float]] = []
        numbers: list[Markup] = []
        for x, mark in sorted(marks, key=lambda pair: (-order.index(pair[1].kind), pair[0])):
            if x - drawn.get(mark.kind, -_APART) >= _APART:
                drawn[mark.kind] = x
                yield self.shape(mark.kind, x, mark.says)
        for x, mark in sorted(marks, key=lambda pair: (order.index(pair[1].kind), pair[0])):
            numbers += self._number(x, mark, taken)
        yield from numbers

    def shape(self, kind: str, x: float, says: str | None = None) -> Markup:
        """Return the shape of a kind at a place."""
        inside = [self._writer.element("title", says)] if says is not None else []
        return _SHAPES[kind](self._writer, x, self._y, inside)

    def _number(self, x: float, mark: Mark, taken: list[tuple[float, float]]) -> Iterator[Markup]:
        if mark.kind not in _NUMBERED or mark.frame is None:
            return
        text = mark.frame.rpartition(":")[2]
        half = len(text) * _CHAR / 2 + 4
        if any(start < x + half and x - half < end for start, end in taken):
            return
        taken.append((x - half, x + half))
        yield self._writer.element("text", text, x=x, y=self._y + 26, class_="small faint middle")


def _points(x: float, y: float, *corners: tuple[float, float]) -> str:
    return " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)


def _signal(writer: Writer, x: float, y: float, inside: list[Markup]) -> Markup:
    return writer.element("polygon", *inside, points=_points(x, y, (-8, -9), (8, -9), (0, 8)), class_="mark doubt")


def _refused(writer: Writer, x: float, y: float, inside: list[Markup]) -> Markup:
    cross = f"M{x - 6:.1f} {y - 6:.1f}L{x + 6:.1f} {y + 6:.1f}M{x - 6:.1f} {y + 6:.1f}L{x + 6:.1f} {y - 6:.1f}"
    return writer.element("path", *inside, d=cross, class_="cross")


def _odd(writer: Writer, x: float, y: float, inside: list[Markup]) -> Markup:
    return writer.element("polygon", *inside, points=_points(x, y, (0, -9), (9, 0), (0, 9), (-9, 0)), class_="mark bad")


def _list(writer: Writer, x: float, y: float, inside: list[Markup]) -> Markup:
    return writer.element("circle", *inside, cx=x, cy=y, r=6.5, class_="mark accent")


def _handshake(writer: Writer, x: float, y: float, inside: list[Markup]) -> Markup:
    return writer.element("circle", *inside, cx=x, cy=y, r=6, class_="ring")


def _call(writer: Writer, x: float, y: float, inside: list[Markup]) -> Markup:
    return writer.element("rect", *inside, x=x - 2.5, y=y - 7, width=5, height=14, class_="mark faint")


def _action(writer: Writer, x: float, y: float, inside: list[Markup]) -> Markup:
    return writer.element("polygon", *inside, points=_points(x, y, (-8, 8), (8, 8), (0, -9)), class_="mark unsure")


def _process(writer: Writer, x: float, y: float, inside: list[Markup]) -> Markup:
    return writer.element("rect", *inside, x=x - 6, y=y - 6, width=12, height=12, class_="ring")


def _end(writer: Writer, x: float, y: float, inside: list[Markup]) -> Markup:
    return writer.element("rect", *inside, x=x - 2, y=y - 14, width=4, height=28, class_="mark ink")


_SHAPES: Mapping[str, Callable[[Writer, float, float, list[Markup]], Markup]] = {
    "signal": _signal,
    "refused": _refused,
    "odd-call": _odd,
    "list": _list,
    "handshake": _handshake,
    "action": _action,
    "process": _process,
    "end": _end,
    "call": _call,
}

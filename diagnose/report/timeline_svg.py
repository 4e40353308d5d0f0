"""The picture of recorded sessions as SVG: on a page, or as a file of its own that needs nothing else.

Catalogues are told by colour, by letter and by their stripes; kinds of marks by shape and, where there is room, by the
number of their frame. Stretches in which a client held an old list are hatched.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from diagnose.judge.words import counted
from diagnose.report.stylesheet import stylesheet
from diagnose.report.text import STATES
from diagnose.report.timeline_marks import MarkDrawer
from diagnose.report.timeline_picture import MARKS, Lane, MarkKind, Picture, Span, picture_of
from diagnose.report.timeline_scale import told
from diagnose.report.webpage import Markup, Writer

if TYPE_CHECKING:
    from diagnose.evidence.redact import Redactor
    from diagnose.judge.diagnosis import Diagnosis

WIDTH = 1160
QUIET = "Quiet stretches are drawn shorter than they were."
_LEFT, _RIGHT, _TOP, _PITCH, _BAR = 210, 24, 58, 50, 24
_HUES = 6
#: About how wide a character of the small text is, in units.
_CHAR = 7.2
_LABEL_ROOM = 28
_KEY_ROW, _KEY_COLUMN = 24, 370


def timeline_svg(diagnosis: Diagnosis, redactor: Redactor) -> str:
    """Return the picture as a file of its own: no script, nothing fetched, light and dark."""
    writer = Writer(redactor)
    drawn = Drawing(picture_of(diagnosis), writer)
    title, text = drawn.words(diagnosis)
    inside = writer.join(
        [
            writer.element("title", title, id="timeline-title"),
            writer.element("desc", text, id="timeline-text"),
            writer.element("rect", class_="paper", width=WIDTH, height=drawn.height),
            *drawn.pieces(),
        ]
    )
    box = f"0 0 {WIDTH} {drawn.height}"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{WIDTH}" height="{drawn.height}" role="img"'
        ' lang="en" aria-labelledby="timeline-title" aria-describedby="timeline-text">\n'
        f"<style>{escape(stylesheet(), quote=False)}</style>\n{inside.html}\n</svg>\n"
    )


def timeline_figure(diagnosis: Diagnosis, writer: Writer) -> Markup:
    """Return the picture for a page; on a narrow screen it can be moved sideways, by keyboard too."""
    drawn = Drawing(picture_of(diagnosis), writer, legend=False)
    title, text = drawn.words(diagnosis)
    picture = writer.picture(*drawn.pieces(), width=WIDTH, height=drawn.height, title=title, text=text, name="timeline")
    return writer.element(
        "figure",
        writer.element("div", picture, class_="scroll", tabindex="0", role="group", aria_label=title),
        writer.element("ul", *drawn.keys(), class_="keys small"),
        writer.element("p", f"{QUIET} {drawn.picture.left_out}".strip(), class_="faint small"),
    )


class Drawing:
    """One picture under way."""

    def __init__(self, picture: Picture, writer: Writer, *, legend: bool = True) -> None:
        self.picture = picture
        self._with_legend = legend
        self.writer = writer
        self._hues = {name: place % _HUES for place, (name, _) in enumerate(picture.catalogues)}
        kinds = {mark.kind for lane in picture.lanes for mark in lane.marks}
        self._kinds: list[MarkKind] = [kind for kind in MARKS if kind in kinds]
        self._spans = {span.kind for lane in picture.lanes for span in lane.spans}
        self._bottom = _TOP + _PITCH * len(picture.lanes) + 8
        rows = -(-len(self._keys()) // 3) + len(picture.catalogues[:_LABEL_ROOM])
        self.height = self._bottom + (rows + 1) * _KEY_ROW if legend else self._bottom

    def words(self, diagnosis: Diagnosis) -> tuple[str, str]:
        """Return what a screen reader says in the place of the picture."""
        verdict = diagnosis.verdict
        title = f"Timeline of {counted(len(diagnosis.sessions), 'session')}: {STATES[verdict.state][0].lower()}"
        old = [span.says for lane in self.picture.lanes for span in lane.spans if span.kind == "stale"]
        said = [verdict.summary, *(f"{each}." for each in old[:6]), "All that is drawn stands in the tables, by frame."]
        return title, " ".join(filter(None, said))

    def pieces(self) -> Iterator[Markup]:
        """Yield what is drawn, from the back to the front."""
        yield from self._axis()
        for place, lane in enumerate(self.picture.lanes):
            yield self._lane(lane, _TOP + place * _PITCH)
        if self._with_legend:
            yield from self._legend()

    def keys(self) -> Iterator[Markup]:
        """Yield the legend as items of a list, for a page: on a narrow one they stand below each other."""
        make = self.writer.element
        for name, what in self.picture.catalogues[:_LABEL_ROOM]:
            yield make("li", self._small(self._swatch(name, 1, 10)), f" {what}")
        for kind, words in self._keys():
            yield make("li", self._small(self._sign(kind, 1, 10)), f" {words}")

    def _small(self, inside: Iterator[Markup]) -> Markup:
        return self.writer.element("svg", *inside, viewBox="0 0 28 20", width=28, height=20, aria_hidden="true")

    def _x(self, t: float) -> float:
        return round(_LEFT + self.picture.scale.place(t) * (WIDTH - _LEFT - _RIGHT), 1)

    def _axis(self) -> Iterator[Markup]:
        make = self.writer.element
        whole = self.picture.seconds
        apart = (len(told(self.picture.scale.end, whole)) + 2) * _CHAR / (WIDTH - _LEFT - _RIGHT)
        for t, place in self.picture.scale.ticks(apart):
            x, label = self._x(t), told(t, whole)
            side = "small faint middle" if 0 < place < 0.98 else "small faint" if place == 0 else "small faint end"
            yield make("line", x1=x, x2=x, y1=_TOP - 22, y2=self._bottom - 8, class_="line thin dashed")
            yield make("text", label, x=x, y=_TOP - 28, class_=side)

    def _lane(self, lane: Lane, y: int) -> Markup:
        make = self.writer.element
        middle = y + _BAR / 2
        name = make("text", self._cut(lane.title, _LEFT - 20), x=8, y=y + 10, class_="strong lane")
        note = make("text", self._cut(lane.note, _LEFT - 20), x=8, y=y + 26, class_="small faint")
        ground = make("line", x1=_LEFT, x2=WIDTH - _RIGHT, y1=middle, y2=middle, class_="line thin")
        spans = [piece for span in lane.spans for piece in self._span(span, y)]
        spans += [piece for span in lane.spans if span.kind == "catalogue" for piece in self._letter(span, lane, y)]
        marks = MarkDrawer(self.writer, middle).all([(self._x(mark.t), mark) for mark in lane.marks])
        return make("g", make("title", f"{lane.title} {lane.note}".strip()), name, note, ground, *spans, *marks)

    def _span(self, span: Span, y: int) -> Iterator[Markup]:
        make = self.writer.element
        start, end = self._x(span.start), self._x(span.end)
        width = max(round(end - start, 1), 3)
        about = make("title", span.says)
        if span.kind == "stream":
            yield make("rect", about, x=start, y=y + _BAR / 2 - 5, width=width, height=10, rx=5, class_="stream")
        elif span.kind == "stale":
            yield make("rect", about, x=start, y=y, width=width, height=_BAR, class_="old")
            yield make("path", d=hatch(start, y, width, _BAR), class_="hatch")
            wide = round(len(span.name) * _CHAR)
            if width > wide + 34:
                yield make("rect", x=start + 26, y=y + 4, width=wide + 4, height=16, rx=3, class_="paper")
                yield make("text", span.name, x=start + 29, y=y + 16, class_="small doubt strong")
        else:
            yield from self._catalogue(span, start, width, y)

    def _catalogue(self, span: Span, start: float, width: float, y: int) -> Iterator[Markup]:
        make, hue = self.writer.element, self._hues.get(span.name, 0)
        yield make(
            "rect", make("title", span.says), x=start, y=y, width=width, height=_BAR, rx=3, class_=f"span hue{hue}"
        )
        yield from self._stripes(hue, start, width, y)

    def _letter(self, span: Span, lane: Lane, y: int) -> Iterator[Markup]:
        """Yield the name of a catalogue, on a plate where the stretch is hatched from its beginning."""
        start, wide = self._x(span.start), len(span.name) * _CHAR
        if self._x(span.end) - start <= wide + 6:
            return
        if any(old.kind == "stale" and old.start <= span.start < old.end for old in lane.spans):
            yield self.writer.element(
                "rect", x=start + 3, y=y + 4, width=round(wide) + 7, height=16, rx=3, class_="paper"
            )
        yield self.writer.element("text", span.name, x=start + 6, y=y + 16, class_="small strong")

    def _stripes(self, hue: int, start: float, width: float, y: float) -> Iterator[Markup]:
        for place in range(hue % 4):
            at = y + _BAR - 3 - 3 * place
            yield self.writer.element("line", x1=start + 2, x2=round(start + max(width - 2, 2), 1), y1=at, y2=at, class_=f"stripe hue{hue}")  # fmt: skip

    def _cut(self, text: str, width: float) -> str:
        from diagnose.evidence.harmless import shorten

        return shorten(self.writer.safe(text), int(width / _CHAR))

    def _keys(self) -> list[tuple[MarkKind | str, str]]:
        keys: list[tuple[MarkKind | str, str]] = [(kind, MARKS[kind]) for kind in self._kinds]
        keys += [("stream", "stream open for signals")] if "stream" in self._spans else []
        keys += [("stale", "the client held an old list, or only a part")] if "stale" in self._spans else []
        return keys

    def _legend(self) -> Iterator[Markup]:
        make = self.writer.element
        y = self._bottom + 14
        for name, what in self.picture.catalogues[:_LABEL_ROOM]:
            yield from self._swatch(name, 8, y)
            yield make("text", what, x=42, y=y + 5, class_="small")
            y += _KEY_ROW
        for place, (kind, words) in enumerate(self._keys()):
            row, column = divmod(place, 3)
            x, at = 8 + column * _KEY_COLUMN, y + row * _KEY_ROW
            yield from self._sign(kind, x, at)
            yield make("text", words, x=x + 34, y=at + 5, class_="small")
        last = y + -(-len(self._keys()) // 3) * _KEY_ROW
        yield make("text", f"{QUIET} {self.picture.left_out}".strip(), x=8, y=last + 5, class_="small faint")

    def _swatch(self, name: str, x: float, y: float) -> Iterator[Markup]:
        hue = self._hues[name]
        yield self.writer.element("rect", x=x, y=y - 8, width=26, height=16, rx=3, class_=f"span hue{hue}")
        yield from self._stripes(hue, x, 26, y - 16)
        yield self.writer.element("text", name, x=x + 4, y=y + 5, class_="small strong")

    def _sign(self, kind: str, x: float, y: float) -> Iterator[Markup]:
        make = self.writer.element
        if kind == "stream":
            yield make("rect", x=x, y=y - 5, width=26, height=10, rx=5, class_="stream")
        elif kind == "stale":
            yield make("rect", x=x, y=y - 8, width=26, height=16, class_="old")
            yield make("path", d=hatch(x, y - 8, 26, 16), class_="hatch")
        else:
            yield MarkDrawer(self.writer, y).shape(kind, x + 13)


def hatch(x: float, y: float, width: float, height: float, step: float = 7) -> str:
    """Return the path of slanting lines that fill a box, each cut at its sides."""
    pieces: list[str] = []
    foot = -height
    while foot < width:
        low, high = max(foot, 0.0), min(foot + height, width)
        if high > low:
            pieces.append(
                f"M{x + low:.1f} {y + height - (low - foot):.1f}L{x + high:.1f} {y + height - (high - foot):.1f}"
            )
        foot += step
    return "".join(pieces)

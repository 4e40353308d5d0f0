"""The formats of `timeline`: those of any diagnosis, with a text and a page of its own, and the picture alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from diagnose.report.formats import FORMATS, Format, Look

if TYPE_CHECKING:
    from diagnose.evidence.redact import Redactor
    from diagnose.judge.diagnosis import Diagnosis


def _text(diagnosis: Diagnosis, redactor: Redactor, look: Look) -> str:
    from diagnose.report.timeline_text import timeline_text

    return timeline_text(diagnosis, redactor, width=look.width, colour=look.colour, unicode=look.unicode)


def _html(diagnosis: Diagnosis, redactor: Redactor, look: Look) -> str:
    from diagnose.report.timeline_html import timeline_html

    del look
    return timeline_html(diagnosis, redactor)


def _svg(diagnosis: Diagnosis, redactor: Redactor, look: Look) -> str:
    from diagnose.report.timeline_svg import timeline_svg

    del look
    return timeline_svg(diagnosis, redactor)


_OWN = {"text": _text, "html": _html}
_PICTURE = Format(name="svg", purpose="the picture alone", everywhere=False, render=_svg)
#: Every format of `timeline`; the first is the default.
TIMELINES: tuple[Format, ...] = (
    *(replace(each, render=_OWN.get(each.name, each.render)) for each in FORMATS),
    _PICTURE,
)
TIMELINE_FORMATS: tuple[str, ...] = tuple(each.name for each in TIMELINES)


def render_timeline(diagnosis: Diagnosis, name: str, redactor: Redactor, look: Look) -> str:
    """Return a diagnosis of recordings in the format of that name, one of `TIMELINE_FORMATS`."""
    return next(each for each in TIMELINES if each.name == name).render(diagnosis, redactor, look)

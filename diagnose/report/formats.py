"""The formats, in one table: what `--format` takes, what its help says, and what makes the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from diagnose.record import record

if TYPE_CHECKING:
    from diagnose.evidence.redact import Redactor
    from diagnose.judge.diagnosis import Diagnosis


@record
class Look:
    """The page that a text is laid out for; the other formats have no page.

    ``unicode``: whether strokes and blocks beyond ASCII can be shown.
    """

    width: int = 80
    colour: bool = False
    unicode: bool = True


Renderer: TypeAlias = "Callable[[Diagnosis, Redactor, Look], str]"


@record
class Format:
    """A format. ``everywhere``: any result has this form; else only a diagnosis has it."""

    name: str
    purpose: str
    everywhere: bool
    render: Renderer


def _text(diagnosis: Diagnosis, redactor: Redactor, look: Look) -> str:
    from diagnose.report.text import diagnosis_text

    return diagnosis_text(diagnosis, redactor, width=look.width, colour=look.colour)


def _json(diagnosis: Diagnosis, redactor: Redactor, look: Look) -> str:
    from diagnose.report.json_ import diagnosis_json

    del look
    return diagnosis_json(diagnosis, redactor)


def _sarif(diagnosis: Diagnosis, redactor: Redactor, look: Look) -> str:
    from diagnose.report.sarif import diagnosis_sarif

    del look
    return diagnosis_sarif(diagnosis, redactor)


def _junit(diagnosis: Diagnosis, redactor: Redactor, look: Look) -> str:
    from diagnose.report.junit import diagnosis_junit

    del look
    return diagnosis_junit(diagnosis, redactor)


def _github(diagnosis: Diagnosis, redactor: Redactor, look: Look) -> str:
    from diagnose.report.github import diagnosis_github

    del look
    return diagnosis_github(diagnosis, redactor)


def _markdown(diagnosis: Diagnosis, redactor: Redactor, look: Look) -> str:
    from diagnose.report.markdown import diagnosis_markdown

    del look
    return diagnosis_markdown(diagnosis, redactor)


def _html(diagnosis: Diagnosis, redactor: Redactor, look: Look) -> str:
    from diagnose.report.html import diagnosis_html

    del look
    return diagnosis_html(diagnosis, redactor)


#: Every format; the first is the default.
FORMATS: tuple[Format, ...] = (
    Format(name="text", purpose="for people", everywhere=True, render=_text),
    Format(name="json", purpose="one document, with a published schema", everywhere=True, render=_json),
    Format(name="sarif", purpose="SARIF 2.1.0, for code scanning", everywhere=False, render=_sarif),
    Format(name="junit", purpose="JUnit XML, for test reports", everywhere=False, render=_junit),
    Format(name="github", purpose="annotations of a GitHub Actions job", everywhere=False, render=_github),
    Format(name="markdown", purpose="for a pull request or a job summary", everywhere=False, render=_markdown),
    Format(name="html", purpose="a page that needs nothing else, with a picture", everywhere=False, render=_html),
)

#: What a command takes that shows something else than a diagnosis.
PLAIN: tuple[str, ...] = tuple(each.name for each in FORMATS if each.everywhere)
#: What a command takes that shows a diagnosis.
REPORTS: tuple[str, ...] = tuple(each.name for each in FORMATS)


def offered(names: tuple[str, ...]) -> str:
    """Return the names as the help of `--format` lists them."""
    return f"{', '.join(names[:-1])} or {names[-1]}; default {names[0]}."


def render(diagnosis: Diagnosis, name: str, redactor: Redactor, look: Look) -> str:
    """Return a diagnosis in the format of that name, one of `REPORTS`."""
    return next(each for each in FORMATS if each.name == name).render(diagnosis, redactor, look)

"""An explanation, or the list of all that can be explained, as text and as JSON (`diagnose.explain/1`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from diagnose.evidence.redact import Redactor
from diagnose.report.document import json_document
from diagnose.report.layout import Page
from diagnose.version import __version__

if TYPE_CHECKING:
    from diagnose.jobs.explain import Explanation, Topic

_HEAD = {"schema": "diagnose.explain/1", "tool": {"name": "diagnose", "version": __version__}}


def explanation_text(explanation: Explanation, *, width: int = 80, colour: bool = False) -> str:
    """Return an explanation as text."""
    return "\n".join(_explained(explanation, Page(width=width, colour=colour)))


def explanation_json(explanation: Explanation) -> str:
    """Return an explanation as JSON, its facts by their headings."""
    said = {"name": explanation.name, "kinds": list(explanation.kinds), "facts": dict(explanation.facts)}
    return json_document({**_HEAD, **said}, Redactor())


def topics_text(topics: Mapping[str, Sequence[Topic]], *, width: int = 80, colour: bool = False) -> str:
    """Return the list of all names as text, by kind."""
    return "\n".join(_listed(topics, Page(width=width, colour=colour)))


def topics_json(topics: Mapping[str, Sequence[Topic]]) -> str:
    """Return the list of all names as JSON, by kind."""
    listed = {
        kind: [{"name": topic.name, "summary": topic.summary} for topic in group] for kind, group in topics.items()
    }
    return json_document({**_HEAD, "topics": listed}, Redactor())


def _explained(explanation: Explanation, page: Page) -> Iterator[str]:
    yield page.ink(explanation.name, "strong") + f" ({', '.join(explanation.kinds)})"
    for heading, text in explanation.facts.items():
        yield ""
        yield page.ink(heading, "strong")
        yield from page.wrap(text, first="  ")


def _listed(topics: Mapping[str, Sequence[Topic]], page: Page) -> Iterator[str]:
    for place, (kind, group) in enumerate(topics.items()):
        if place:
            yield ""
        yield page.ink(kind.capitalize(), "strong")
        for topic in group:
            yield from page.wrap(f"{topic.name}: {topic.summary}", first="  ", rest="      ")

"""The result of `diff`: the document `diagnose.diff/1` and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import display_width, harmless
from diagnose.report.changes import change_document, change_lines, summary
from diagnose.report.document import json_document
from diagnose.report.layout import Page
from diagnose.surface import worst
from diagnose.version import __version__

if TYPE_CHECKING:
    from diagnose.evidence.observation import Observation
    from diagnose.evidence.redact import Redactor
    from diagnose.jobs.diff import Comparison
    from diagnose.report.layout import Ink
    from diagnose.surface import Relation

_INKS: dict[Relation, Ink] = {"equal": "good", "equivalent": "good", "different": "bad", "unknown": "unsure"}


def diff_json(comparison: Comparison, redactor: Redactor) -> str:
    """Return `diagnose.diff/1`; `impact` is the worst of all changes, null where there is none."""
    changes = comparison.changes
    document = {
        "schema": "diagnose.diff/1",
        "tool": {"name": "diagnose", "version": __version__},
        "from": _side(comparison.older),
        "to": _side(comparison.newer),
        "relation": comparison.relation,
        "impact": worst([change.impact for change in changes]) if changes else None,
        "changes": [change_document(change, redactor) for change in changes],
    }
    return json_document(document, redactor)


def diff_text(comparison: Comparison, redactor: Redactor, *, width: int, colour: bool = False) -> str:
    """Return the answer in the first line, then the two sides, then every change."""
    page = Page(width=width, colour=colour)
    sides = (("from", comparison.older), ("to", comparison.newer))
    lines = _answer(comparison, page)
    for label, side in sides:
        lines += _side_lines(label, side, redactor, page)
    if comparison.changes:
        lines += ["", *change_lines(comparison.changes, redactor, width=width, colour=colour)]
    note = _note(comparison)
    if note:
        lines += ["", *page.wrap(note)]
    return "\n".join(lines)


def _side(observation: Observation) -> dict[str, Any]:
    surface = observation.surface
    assert surface is not None
    return {
        "source": observation.source,
        "at": observation.at,
        "count": surface.count,
        "revision": surface.revision,
        "digest": surface.digest,
    }


def _answer(comparison: Comparison, page: Page) -> list[str]:
    changes, relation = comparison.changes, comparison.relation
    words = {
        "equal": ": the definitions are the same",
        "equivalent": ": nothing that a caller or a model sees has changed",
        "unknown": ": no difference was found, but not everything could be compared",
        "different": f" ({worst([change.impact for change in changes])}): {summary(changes)}",
    }[relation]
    first, *more = page.wrap(relation + words, rest="  ")
    return [page.ink(relation, _INKS[relation]) + first.removeprefix(relation), *more]


def _side_lines(label: str, observation: Observation, redactor: Redactor, page: Page) -> list[str]:
    """Return one side on one line, or where that is too narrow, its facts below its name."""
    surface = observation.surface
    assert surface is not None
    name = f"  {label:<4}  {harmless(redactor.text(observation.source))}"
    parts = [f"{surface.count} tool{'s' if surface.count != 1 else ''}"]
    parts.append(f"revision {surface.revision[:8]}" if surface.revision else "no revision")
    if observation.at is not None:
        parts.append(harmless(redactor.text(observation.at)))
    facts = "  ".join(parts)
    whole = f"{name}  {facts}"
    return [whole] if display_width(whole) <= page.width else [page.cut(name), page.cut(f"        {facts}")]


def _note(comparison: Comparison) -> str:
    """Return what a reader of this result should know, that the answer itself does not say; "" for nothing."""
    older, newer = comparison.older.surface, comparison.newer.surface
    assert older is not None
    assert newer is not None
    if older.names_only or newer.names_only:
        return "Of one side only the names are known; equal names prove nothing about definitions."
    if any(tool.digest is None for side in (older, newer) for tool in side.tools):
        return "A definition has no digest: it holds a lone surrogate or a number that is not finite."
    if comparison.relation == "different" and older.revision is not None and older.revision == newer.revision:
        return "The revision is the same on both sides: it does not cover what has changed."
    return ""

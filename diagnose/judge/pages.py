"""Whether the pages of one walk belong to one list."""

from __future__ import annotations

from dataclasses import dataclass

from diagnose.evidence.observation import Observation
from diagnose.judge.walks import surface_of
from diagnose.surface import Surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """What shows that a walk joined pages of different lists."""

    sign: str
    names: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


def mixture(walk: Observation) -> Mixture | None:
    """Return the signs of a mixed walk: a definition that came on two pages, or pages that advertise two revisions."""
    surface = surface_of(walk)
    if surface is None or len(walk.pages) < 2:
        return None
    twice = repeated_across_pages(walk, surface)
    if twice:
        evidence = tuple(f"page {page}" for page in sorted({page for pages in twice.values() for page in pages}))
        return Mixture(
            sign=f"the same definition came on two pages ({', '.join(list(twice)[:5])})",
            names=tuple(twice),
            evidence=evidence,
        )
    revisions = [page.revision for page in walk.pages if page.revision is not None]
    if any(revision != revisions[0] for revision in revisions):
        evidence = tuple(f"page {number}: revision {page.revision}" for number, page in enumerate(walk.pages, start=1))
        return Mixture(sign="the pages advertise different revisions", evidence=evidence)
    return None


def repeated_across_pages(walk: Observation, surface: Surface) -> dict[str, tuple[int, ...]]:
    """Return the names that came on two pages or more with one and the same definition, and those pages."""
    pages: dict[str, list[int]] = {}
    for number, page in enumerate(walk.pages, start=1):
        for name in page.names:
            pages.setdefault(str(name), []).append(number)
    found: dict[str, tuple[int, ...]] = {}
    for name, numbers in pages.items():
        definitions = {tool.identity for tool in surface.by_name.get(name, ())}
        if len(set(numbers)) > 1 and len(set(numbers)) == len(numbers) and len(definitions) == 1:
            found[name] = tuple(numbers)
    return found

"""Whether the pages of one walk belong to one list."""

from __future__ import annotations

from typing import Literal

from diagnose.evidence.observation import Observation
from diagnose.judge.walks import surface_of
from diagnose.record import record
from diagnose.surface import Surface


@record
class Mixture:
    """What shows that a walk joined pages of different lists: a `kind` of sign, and the `sign` in words."""

    kind: Literal["repeated", "revisions", "between"]
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
            kind="repeated",
            sign=f"the same definition came on two pages ({', '.join(list(twice)[:5])})",
            names=tuple(twice),
            evidence=evidence,
        )
    revisions = [page.revision for page in walk.pages if page.revision is not None]
    if any(revision != revisions[0] for revision in revisions):
        evidence = tuple(f"page {number}: revision {page.revision}" for number, page in enumerate(walk.pages, start=1))
        return Mixture(kind="revisions", sign="the pages advertise different revisions", evidence=evidence)
    return None


def between(before: Observation, walk: Observation, after: Observation) -> Mixture | None:
    """Return the sign of a mixed walk that its neighbours give.

    It lacks a definition that both have, or it has a part of what only the one has and a part of what only the other
    has. A list that is on its way from the one to the other, tool by tool, does neither.
    """
    lists = [surface_of(each) for each in (before, walk, after)]
    if len(walk.pages) < 2 or None in lists:
        return None
    old, own, new = ({tool.identity for tool in surface.tools} for surface in lists if surface is not None)
    parts = [(own & only, only - own) for only in (old - new, new - old)]
    if own <= old | new and ((old & new) - own or all(some and rest for some, rest in parts)):
        return Mixture(
            kind="between", sign="it fits neither the list before nor the one after, and is put together from both"
        )
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

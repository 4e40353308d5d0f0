"""The ladder as lines: one a layer, as many of its facts as the page has room for, the telling ones first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnose.judge.diagnosis import Comparison, Diagnosis
from diagnose.judge.words import counted, short, told
from diagnose.report.layout import Ink, Page, Safe

UNSEEN = "-"
"""The mark of a layer that was not observed."""
MARKS: dict[str, Ink] = {"STALE": "doubt", "BROKEN": "bad", "differs": "doubt", "same": "good"}
_LAYER = re.compile(r"[a-z]+")


def rung_lines(diagnosis: Diagnosis, page: Page, safe: Safe) -> Iterator[str]:
    """Yield a line for each layer: its mark, its name, its facts; why a layer is missing is told to its end."""
    for row in diagnosis.layers:
        mark = mark_of(row, diagnosis)
        head = f"  {mark:<7} {row['layer']:<9} "
        facts = [safe(fact) for fact in facts_of(row)]
        lines = [page.join(facts, before=head)] if row["observed"] else page.wrap(facts[0], first=head)
        yield lines[0].replace(mark, page.ink(mark, MARKS.get(mark, "faint")), 1)
        yield from lines[1:]


def mark_of(row: Mapping[str, Any], diagnosis: Diagnosis) -> str:
    """Return one word: the verdict's for the layer that it names, else what the comparisons say."""
    layer, verdict = row["layer"], diagnosis.verdict
    if layer == verdict.layer:
        return verdict.state.upper()
    if not row["observed"]:
        return UNSEEN
    ends = [pair for pair in diagnosis.comparisons if layer in ends_of(pair)]
    if any(pair.relation == "different" and pair.counts for pair in ends):
        return "differs"
    return "same" if any(pair.relation in {"equal", "equivalent"} for pair in ends) else "seen"


def ends_of(pair: Comparison) -> tuple[str, str]:
    """Return the layers that a pair stands between: `origin#2`, `path, manager` and `wire:11` are of one each."""
    older, newer = (_LAYER.match(side) for side in (pair.older, pair.newer))
    return (older[0] if older else pair.older, newer[0] if newer else pair.newer)


def side_named(side: str) -> str:
    """Return the name of one side of a pair in words: `origin#2` is `origin, walk 2`."""
    return side.replace("#", ", walk ")


def facts_of(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is known of a layer, the telling facts first; of one that was not observed, why it was not."""
    if not row["observed"]:
        yield f"not observed: {row['why']}"
        return
    if row["layer"] == "deployed":
        yield from _build_facts(row)
    else:
        yield from _list_facts(row)
    if row.get("source"):
        yield f"by {row['source']}"


def _build_facts(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"version {row['version']}" if row["version"] else "version not told"
    if row["build"]:
        yield f"build {row['build'][:12]}"
    if row["health"]:
        yield f"health {row['health']}"


def _crossed_facts(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a recording holds; the list beside it is the one that the client last read to its end."""
    yield f"{told(list(dict.fromkeys(row['clients'])))} in {counted(row['sessions'], 'session')}"
    yield f"{counted(row['lists'], 'list')}, {counted(row['signals'], 'signal')}"


def _list_facts(row: Mapping[str, Any]) -> Iterator[str]:
    if row["layer"] == "wire":
        yield from _crossed_facts(row)
    if row["count"] is None:
        return
    yield counted(row["count"], "tool")
    yield f"revision {short(row['revision'])}"
    if row.get("protocolVersion"):
        yield f"{row.get('era') or 'era unknown'} {row['protocolVersion']}"
    if row.get("pages"):
        yield counted(row["pages"], "page")
    if row.get("at"):
        yield f"of {row['at']}"
    if row.get("listChanged") is not None:
        yield "declares listChanged" if row["listChanged"] else "declares no listChanged"
    if row.get("ttlMs") is not None:
        yield f"ttl {row['ttlMs']} ms"
    if row.get("cacheScope") is not None:
        yield f"{row['cacheScope']} to caches"
    yield f"digest {short(row['digest'])}"

"""Builds evidence for tests: short ways to write down what an observer would have seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.observation import Advertised, Build, Deployment, Failure, LayerName, Observation, Page
from diagnose.judge import Diagnosis, diagnose
from diagnose.surface import Surface

AT = "2026-11-30T11:22:33.123Z"
ENDPOINT = "https://orchard.test/mcp"
SHA_A = "0a1b2c3d4e5f"
SHA_B = "f5e4d3c2b1a0"


def tool(name: str, description: str = "", **rest: Any) -> dict[str, Any]:
    return {"name": name, "description": description or f"The {name} tool.", "inputSchema": {"type": "object"}, **rest}


PICK, PRUNE, RIPEN, PRESS = map(tool, ("pick_apples", "prune_tree", "ripen", "press_cider"))
ORCHARD = [PICK, PRUNE, RIPEN]


def seen(layer: LayerName, tools: Sequence[Any] = ORCHARD, **rest: Any) -> Observation:
    rest.setdefault("source", {"origin": "tools/list", "manifest": "GET /tools"}.get(layer, layer))
    return Observation(layer=layer, surface=Surface.of(tools, names_only=rest.get("names_only", False)), at=AT, **rest)


def origin(tools: Sequence[Any] = ORCHARD, **rest: Any) -> Observation:
    rest.setdefault("era", "legacy")
    rest.setdefault("protocol_version", "2025-11-25")
    return seen("origin", tools, **rest)


def manifest(tools: Sequence[Any] = ORCHARD, **rest: Any) -> Observation:
    return seen("manifest", tools, **rest)


def baseline(tools: Sequence[Any] = ORCHARD, **rest: Any) -> Observation:
    return seen("baseline", tools, source="snapshot:abc123", **rest)


def failing(layer: LayerName, rule: str, message: str = "It failed.", **rest: Any) -> Observation:
    facts = {key: rest.pop(key) for key in ("code", "status", "args") if key in rest}
    return Observation(layer=layer, complete=False, failure=Failure(rule=rule, message=message, **facts), **rest)


def walks(*lists: Sequence[Any], sessions: str | None = None, **rest: Any) -> Observation:
    """Several walks of the origin, each over a session of its own; `sessions` names them by a letter each."""
    labels = sessions or "".join(chr(ord("1") + number) for number in range(len(lists)))
    samples = [origin(tools, session=label, **rest) for tools, label in zip(lists, labels, strict=True)]
    newest = max(range(len(samples)), key=lambda number: (labels[number], number))
    return replace(samples[newest], samples=tuple(samples))


def paged(*pages: Sequence[dict[str, Any]], revisions: Sequence[Any] = (), **rest: Any) -> Observation:
    """One walk over several pages."""
    told = [*revisions, *[None] * (len(pages) - len(revisions))]
    rows = tuple(
        Page(cursor=f"c{place}" if place else None, names=tuple(each["name"] for each in page), revision=revision)
        for place, (page, revision) in enumerate(zip(pages, told, strict=True))
    )
    return origin([each for page in pages for each in page], pages=rows, **rest)


def advertised(tools: Sequence[Any] = ORCHARD, **changed: Any) -> Advertised:
    surface = Surface.of(tools)
    said = {"initialize": surface.revision, "initialize_meta": surface.revision, "list": surface.revision}
    return Advertised(**{**said, "count": surface.count, **changed})


def deployed(*samples: Build, expected: Build | None = None) -> Deployment:
    first = samples[0] if samples else None
    return Deployment(expected=expected, observed=first, samples=samples, source="GET /health")


def build(version: str | None = "0.2.0", sha: str | None = SHA_A, source: str = "GET /health", **rest: Any) -> Build:
    return Build(source=source, health=rest.pop("health", "ok"), version=version, build=sha, at=AT, **rest)


def bundle(**layers: Any) -> Bundle:
    transport = layers.pop("transport", "http")
    target = Target(id="orchard.test/mcp", transport=transport, endpoint=layers.pop("endpoint", ENDPOINT))
    return Bundle(created_at=AT, target=target, **layers)


def judged(**layers: Any) -> Diagnosis:
    return diagnose(bundle(**layers))


def answer(diagnosis: Diagnosis) -> tuple[Any, ...]:
    verdict = diagnosis.verdict
    return (verdict.state, verdict.layer, verdict.cause)


def rules(diagnosis: Diagnosis, severity: str = "error") -> set[str]:
    return {finding.rule for finding in diagnosis.findings if finding.severity == severity}

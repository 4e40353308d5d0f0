"""The documents of the single steps: `diagnose.health/1`, `version/1`, `manifest/1` and `revision/1`, and their text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import display_width, harmless, harmless_json
from diagnose.evidence.redact import Redactor
from diagnose.report.layout import Page
from diagnose.version import __version__

if TYPE_CHECKING:
    from diagnose.evidence.bundle import Target
    from diagnose.evidence.observation import Build
    from diagnose.jobs.steps import BuildStep, ListStep
    from diagnose.surface import Surface

ALGORITHM = "sha256(canonical-name-description-inputSchema-annotations)"


def health_document(step: BuildStep) -> dict[str, Any]:
    """Return `diagnose.health/1`."""
    health = step.observed.health if step.observed else None
    return {**_head("health", step), "health": health, "service": step.service, **_samples(step)}


def version_document(step: BuildStep) -> dict[str, Any]:
    """Return `diagnose.version/1`."""
    seen = step.observed
    told = {
        "version": seen.version if seen else None,
        "build": seen.build if seen else None,
        "startedAt": seen.started_at if seen else None,
    }
    return {**_head("version", step), **told, **_samples(step)}


def manifest_document(step: ListStep) -> dict[str, Any]:
    """Return `diagnose.manifest/1`; the tools as received."""
    surface = step.observation.surface
    return {**_head("manifest", step), "source": step.observation.source, **_counts(surface), **_tools(surface)}


def revision_document(surface: Surface, *, source: str, head: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return `diagnose.revision/1`: the recomputed revision and digest, and each tool's digest."""
    return {
        **(head or {"schema": "diagnose.revision/1", "tool": _tool()}),
        "source": source,
        **_counts(surface),
        "algorithm": ALGORITHM,
        "tools": [{"name": tool.name, "digest": tool.digest} for tool in surface.tools],
    }


def live_revision_document(step: ListStep) -> dict[str, Any]:
    """Return `diagnose.revision/1` of a live server, with what it advertises beside what was recomputed."""
    seen = step.observation
    assert seen.surface is not None
    document = revision_document(seen.surface, source=seen.source, head=_head("revision", step))
    advertised = {
        "initialize": seen.advertised.initialize,
        "list": seen.advertised.list,
        "count": seen.advertised.count,
    }
    return {**document, "era": seen.era, "protocolVersion": seen.protocol_version, "advertised": advertised}


def as_json(document: Mapping[str, Any], redactor: Redactor) -> str:
    """Return the document as JSON text, redacted and harmless."""
    return harmless_json(json.dumps(redactor.value(document), ensure_ascii=False, indent=2))


def as_text(document: Mapping[str, Any], redactor: Redactor, *, width: int = 80) -> str:
    """Return the document as lines of `key  value`, lists as indented lines, at most `width` columns; nothing can act."""
    page = Page(width=width)
    lines: list[str] = []
    shown = {key: value for key, value in redactor.value(document).items() if key not in {"schema", "tool", "at"}}
    column = max(map(len, shown), default=0)
    for key, value in shown.items():
        if isinstance(value, list) and value:
            lines.append(f"{key}:")
            lines += [line for item in value for line in page.wrap(_row(item), first="  ", rest="    ")]
        else:
            lines += _line(page, key, column, "none" if isinstance(value, list) else _cell(value))
    return "\n".join(lines)


def _line(page: Page, key: str, column: int, text: str) -> list[str]:
    """Return a key and its value; below the key where a word would be broken beside it and is not there (a digest)."""
    longest = max(map(display_width, text.split(" ")))
    if page.width - column - 2 < longest <= page.width - 2:
        return [f"{key}:", *page.wrap(text, first="  ")]
    return page.wrap(text, first=f"{key:<{column}}  ")


def _row(item: Any) -> str:
    if isinstance(item, dict) and "inputSchema" in item:
        return _cell(item.get("name"))
    if isinstance(item, dict):
        return "  ".join(f"{key} {_cell(value)}" for key, value in item.items() if value is not None)
    return _cell(item)


def _cell(value: Any) -> str:
    if value is None:
        return "not told"
    if isinstance(value, dict):
        return "  ".join(f"{key} {_cell(inner)}" for key, inner in value.items())
    return harmless(str(value))


def _head(kind: str, step: BuildStep | ListStep) -> dict[str, Any]:
    return {"schema": f"diagnose.{kind}/1", "tool": _tool(), "at": step.at, "target": _target(step.target)}


def _tool() -> dict[str, str]:
    return {"name": "diagnose", "version": __version__}


def _target(target: Target) -> dict[str, str]:
    return {"id": target.id, "transport": target.transport, "endpoint": target.endpoint}


def _samples(step: BuildStep) -> dict[str, Any]:
    return {"samples": [_sample(sample) for sample in step.samples], "notes": list(step.notes)}


def _sample(sample: Build) -> dict[str, Any]:
    return {
        "source": sample.source,
        "health": sample.health,
        "version": sample.version,
        "build": sample.build,
        "startedAt": sample.started_at,
    }


def _counts(surface: Surface | None) -> dict[str, Any]:
    if surface is None:
        return {"count": None, "revision": None, "digest": None}
    return {"count": surface.count, "revision": surface.revision, "digest": surface.digest}


def _tools(surface: Surface | None) -> dict[str, Any]:
    return {"tools": [] if surface is None else [dict(tool.raw) for tool in surface.tools]}

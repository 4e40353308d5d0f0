"""`diagnose.auth/1`, and its text: where credentials come from, never what they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from diagnose.evidence.harmless import harmless, harmless_json
from diagnose.jobs.auth import OriginState, SourceState
from diagnose.version import __version__

_HEADLINES = {
    "set": "Stored in the keyring, for this origin only:",
    "remove": "Removed from the keyring:",
    "status": "Credentials, each for its origin only:",
}
_PRESENCE = {True: "present", False: "absent", None: "unknown"}


def as_json(action: str, states: Sequence[OriginState]) -> str:
    """Return the document as text."""
    document = {
        "schema": "diagnose.auth/1",
        "tool": {"name": "diagnose", "version": __version__},
        "action": action,
        "origins": [_origin(state) for state in states],
    }
    return harmless_json(json.dumps(document, ensure_ascii=False, indent=2))


def as_text(action: str, states: Sequence[OriginState]) -> str:
    """Return what a person reads: a paragraph for each origin, a line for each source."""
    if not states:
        return "No credential was stored with `diagnose auth set`."
    return "\n".join([_HEADLINES[action], *map(_paragraph, states)])


def _origin(state: OriginState) -> dict[str, Any]:
    sources = [
        {"source": each.source, "present": each.present, "fingerprint": each.fingerprint, "why": each.why}
        for each in state.sources
    ]
    return {"origin": state.origin, "uses": state.uses, "why": state.why, "sources": sources}


def _paragraph(state: OriginState) -> str:
    lines = [f"{harmless(state.origin)}  uses: {state.uses}", *map(_line, state.sources)]
    if state.why:
        lines.append(f"  {harmless(state.why)}")
    return "\n".join(lines)


def _line(source: SourceState) -> str:
    told = (source.fingerprint, harmless(source.why) if source.why else None)
    return "  ".join(["", f"{source.source:<11}", f"{_PRESENCE[source.present]:<7}", *filter(None, told)]).rstrip()

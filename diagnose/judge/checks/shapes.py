"""What several checks see in the same way: a failure of an observer, a pair that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen
from diagnose.judge.diagnosis import Comparison, Severity
from diagnose.surface import Change, worst

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "renamed": ">"}


def failed(case: Case, rule: str, *, severity: Severity | None = None) -> Iterator[Seen]:
    """Yield what an observer reported under this very name, in its own sentence."""
    for layer, failure in case.failures(rule):
        facts = {"code": failure.code, "status": failure.status}
        yield Seen(
            args={**failure.args, **{key: value for key, value in facts.items() if value is not None}},
            evidence=(failure.where,) if failure.where else (),
            layer=layer,
            severity=severity,
            literal=failure.message,
        )


def changed(pair: Comparison) -> Mapping[str, Any]:
    """Return the facts of a pair that differs: the tools with the sign of what happened to each, and the worst impact."""
    return {
        "tools": [_signed(change) for change in pair.changes],
        "impact": worst([change.impact for change in pair.changes]),
    }


def _signed(change: Change) -> str:
    name = "the server's instructions or capabilities" if change.tool is None else change.tool
    return f"{_SIGNS[change.kind]}{name}" if change.was is None else f"{change.was}>{name}"

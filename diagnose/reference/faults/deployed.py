"""Faults of the build that runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.reference.contract import SERVER_INFO
from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing, fault

OLD = {"version": "0.0.9", "git_sha": "9f8e7d6c5b4a", "startedAt": "2026-01-02T03:04:05.678Z"}


@fault(
    "server-old-build",
    breaks="Every place that names the build names an older one; seen with --expect-version or --expect-build.",
)
def server_old_build(passing: Passing) -> Answer:
    """Tell the old version and build in `/health`, `/version` and the server information of both eras."""
    return aged(passing.honest())


@fault(
    "mixed-builds",
    breaks="Two builds answer behind one address: /health tells the one and the other by turns.",
    transports=("http",),
)
def mixed_builds(passing: Passing) -> Answer:
    """Let every second request to `/health` meet the old build."""
    answer = passing.honest()
    return aged(answer) if passing.ask.path == "/health" and passing.memory.turn("health") % 2 else answer


def aged(answer: Answer) -> Answer:
    """Return the answer as the old build would give it."""
    value = answer.value
    if not isinstance(value, dict):
        return answer
    if answer.result is None:
        return Answer.of(_old(value), status=answer.status) if "version" in value else answer
    result = answer.result
    if "serverInfo" in result:
        result["serverInfo"] = _old(result["serverInfo"])
    meta = result.get("_meta")
    if isinstance(meta, dict) and SERVER_INFO in meta:
        meta[SERVER_INFO] = _old(meta[SERVER_INFO])
    return answer.with_result(result)


def _old(told: Mapping[str, Any]) -> dict[str, Any]:
    return {key: OLD.get(key, value) for key, value in told.items()}

"""Revision, digests and difference of 10,000 tools (about 10 MB), against what they would cost without us."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import manifest
from deepdiff import DeepDiff
from ratios import Figure, cpu_medians, cpu_seconds, main

from diagnose.surface import Surface, difference, revision

Tools = list[dict[str, Any]]


def measure() -> list[Figure]:
    """Measure all figures of the room `surface`, but for memory."""
    return [
        *_hashes("ordinary", manifest.ordinary(), revision_limit=1.3, digest_limit=1.5),
        *_hashes("worst", manifest.worst(), revision_limit=1.3, digest_limit=2.5),
        *_hashes("hostile", manifest.hostile(), revision_limit=1.3, digest_limit=2.5),
        _difference(),
    ]


def _hashes(kind: str, tools: Tools, *, revision_limit: float, digest_limit: float) -> list[Figure]:
    tools = _received(tools)
    jobs = {
        "bare": lambda: hashlib.sha256(json.dumps(tools, sort_keys=True).encode()).hexdigest(),
        "revision": lambda: revision(tools),
        "digests": lambda: Surface.of(tools),
    }
    took = cpu_medians(jobs)
    return [
        Figure(
            what=f"{job} of {len(tools)} {kind} tools / json.dumps(sort_keys) + SHA-256",
            ratio=took[job] / took["bare"],
            limit=limit,
        )
        for job, limit in (("revision", revision_limit), ("digests", digest_limit))
    ]


def _difference() -> Figure:
    old, new = _received(manifest.ordinary()), _received(manifest.with_changes(manifest.ordinary()))
    ours = cpu_medians({"ours": lambda: difference(Surface.of(old), Surface.of(new))})["ours"]
    theirs: dict[str, Any] = {}
    taken = cpu_seconds(lambda: theirs.update(_by_deepdiff(old, new)))
    if set(theirs) != {change.tool for change in difference(old, new)} or len(theirs) != len(old) // 100:
        raise SystemExit("deepdiff found other tools changed than we did")
    return Figure(
        what=f"deepdiff of {len(old)} tools by name / difference, {len(theirs)} changed, digests included",
        ratio=taken / ours,
        bound="at least",
        limit=25,
    )


def _by_deepdiff(old: Tools, new: Tools) -> dict[str, Any]:
    """Return what deepdiff finds, by the name of the tool."""
    was, now = ({tool["name"]: tool for tool in tools} for tools in (old, new))
    # The options of the call that we make ourselves, on one definition at a time: they hide nothing.
    tree = DeepDiff(
        was,
        now,
        ignore_order=False,
        ignore_private_variables=False,
        threshold_to_diff_deeper=0,
        verbose_level=2,
        view="tree",
    )
    return {level.path(output_format="list")[0]: level for levels in tree.values() for level in levels}


def _received(tools: Tools) -> Tools:
    """Return the tools as a reader makes them of text: that is how the objects lie in memory."""
    received: Tools = json.loads(json.dumps(tools))
    return received


if __name__ == "__main__":
    raise SystemExit(main(measure))

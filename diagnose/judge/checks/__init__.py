"""Every check, one file a family. Importing this room declares them all."""

from __future__ import annotations

from diagnose.judge.checks import (
    consistency,
    definitions,
    deployed,
    listing,
    manifest,
    observation,
    past,
    revision,
    wire,
)
from diagnose.judge.checks.registry import CHECKS, Check, Seen, check, run

__all__ = ["ALL", "CHECKS", "Check", "Seen", "check", "run"]

_FAMILIES = (observation, deployed, manifest, listing, revision, consistency, definitions, wire, past)
#: Every check, in the order of the ladder and, within a family, of its file.
ALL: tuple[Check, ...] = tuple(
    each for family in _FAMILIES for each in CHECKS.values() if each.look.__module__ == family.__name__
)

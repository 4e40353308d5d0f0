"""Every check, one file a family. Importing this room declares them all."""

from __future__ import annotations

from diagnose.judge.checks import (
    caching,
    capability,
    consistency,
    cursors,
    definitions,
    deployed,
    listing,
    manifest,
    names,
    negotiation,
    observation,
    past,
    principals,
    revision,
    schemas,
    wire,
)
from diagnose.judge.checks.registry import CHECKS, Check, Seen, check, run
from diagnose.judge.timeline.rules import (
    calls,
    eras,
    hints,
    hops,
    lists,
    octets,
    paging,
    reaction,
    sessions,
    signals,
    streams,
)

__all__ = ["ALL", "CHECKS", "Check", "Seen", "check", "run"]

_SERVER = (observation, deployed, manifest, listing, revision, consistency, definitions, wire)
_PROMISES = (capability, negotiation, cursors, caching, principals, names, schemas)
_WIRE = (lists, octets, paging, hints, signals, hops, streams, sessions, eras, reaction, calls)
_FAMILIES = (*_SERVER, *_PROMISES, *_WIRE, past)
#: Every check, in the order of the ladder and, within a family, of its file.
ALL: tuple[Check, ...] = tuple(
    each for family in _FAMILIES for each in CHECKS.values() if each.look.__module__ == family.__name__
)

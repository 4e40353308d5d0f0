"""Checks on what the server says of its own list: revision and count (Meridian's contract)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from diagnose.evidence.observation import Observation
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_definitions
from diagnose.judge.checks.probed import probed
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.numbers import rewritten
from diagnose.judge.shared import is_meridian, is_profile, share
from diagnose.judge.walks import surface_of
from diagnose.judge.words import counted, short
from diagnose.surface import Surface

_REVISION = re.compile(r"[0-9a-f]{64}")


def _advertises_revision(case: Case) -> str | None:
    """Require that a revision is advertised, and can be computed."""
    missing = origin_definitions(case)
    if missing is None and case.origin is not None:
        said = case.origin.advertised
        if (said.initialize, said.initialize_meta, said.list) == (None, None, None):
            return "the server advertises no revision"
        if case.listed is not None and case.listed.revision is None:
            return "the revision of this list cannot be computed"
    return missing


def _advertises_count(case: Case) -> str | None:
    """Require that a count is advertised."""
    missing = origin_definitions(case)
    return missing or (
        "the server advertises no count" if case.origin and case.origin.advertised.count is None else None
    )


@check(
    "revision-mismatch",
    family="revision",
    layer="origin",
    severity="error",
    summary="Every advertised revision is that of the list.",
    why="Clients poll the revision to learn whether to list again; a wrong one hides changes or invents them.",
    remedy="Compute the revision from the very definitions that are sent, and let no hop re-serialise the answer.",
    source="Meridian's contract: sha256(canonical-name-description-inputSchema-annotations)",
    message="{where} advertises revision {advertised_short}, and the list that came has {computed_short}{because}.",
    needs=(_advertises_revision,),
)
def revision_mismatch(case: Case) -> Iterable[Seen]:
    """Recompute, and hold every place that advertises a revision to it."""
    origin, listed = case.origin, case.listed
    if origin is None or listed is None:
        return
    said = origin.advertised
    if said.list is not None and said.list != listed.revision:
        yield _mismatch("the list", said.list, listed, case, evidence="tools/list _meta")
    # Tried out, the places have a check of their own; and of a list that moves, no handshake can be held to it.
    if case.bundle.probes is None or (_stands_still(case) and not _disagreeing(case)):
        yield from _handshake_mismatch(case, origin, listed)


def _handshake_mismatch(case: Case, origin: Observation, listed: Surface) -> Iterator[Seen]:
    """Hold what the handshake says to the lists that came; where its places disagree, a check of its own may tell."""
    said, native = origin.advertised, _native(case, origin, listed)
    if native is not None:
        # A list, not a set: what a server advertises need not be hashable.
        known = [native.revision, *(walk.surface.revision for walk in case.walks.walks if walk.surface is not None)]
        for place, value in (("serverInfo", said.initialize), ("_meta", said.initialize_meta)):
            if value is not None and value not in known:
                yield _mismatch("the handshake", value, native, case, evidence=f"handshake {place}")
    elif None not in (said.initialize, said.initialize_meta) and said.initialize != said.initialize_meta:
        yield Seen(
            args={"initialize": str(said.initialize), "meta": str(said.initialize_meta)},
            evidence=("handshake serverInfo", "handshake _meta"),
            says="The handshake advertises two revisions in one answer: {initialize} and {meta}.",
        )


def _stands_still(case: Case) -> bool:
    return case.walks.pattern in {"single", "steady"}


def _disagreeing(case: Case) -> dict[str, str]:
    """Return what each place says of the revision, if two of them disagree and the list itself is told rightly.

    A list that holds more than the server's own tools has a revision of its own.
    """
    origin, listed = case.origin, case.listed
    if origin is None or listed is None or not _stands_still(case):
        return {}
    said, whole = origin.advertised, _native(case, origin, listed) is not None
    if said.list is not None and said.list != listed.revision:
        return {}
    told = {"serverInfo": said.initialize, "handshake _meta": said.initialize_meta}
    places = {**told, "tools/list _meta": said.list} if whole else told
    known = {place: str(value)[:200] for place, value in places.items() if value is not None}
    return known if len(set(known.values())) > 1 else {}


def _native(case: Case, origin: Observation, listed: Surface) -> Surface | None:
    """Return the list that the handshake's revision covers: the server's own tools, without those of a tenant.

    None where it is not known: a profile or a tenant's list, and no manifest to tell what the server's own tools are.
    """
    manifest = surface_of(case.bundle.manifest)
    if manifest is not None and not manifest.names_only:
        agreed = case.comparison("manifest", "origin")
        return manifest if agreed is not None and agreed.relation in {"equal", "equivalent"} else None
    if not is_meridian(origin):
        return listed
    if is_profile(case.bundle.target):
        return None
    empty = Surface.of([])
    return listed if not share(empty, origin, listed, case.bundle.target).extras else None


def _mismatch(where: str, advertised: Any, listed: Surface, case: Case, *, evidence: str) -> Seen:
    is_revision = isinstance(advertised, str) and _REVISION.fullmatch(advertised) is not None
    hint = (
        rewritten(advertised, listed, surface_of(case.bundle.manifest))
        if is_revision
        else "what is advertised is no revision"
    )
    return Seen(
        args={
            "where": where,
            "advertised": advertised if is_revision else str(advertised)[:200],
            "computed": listed.revision,
        },
        words={
            "advertised_short": short(str(advertised)),
            "computed_short": short(listed.revision),
            "because": f"; {hint}" if hint else "",
        },
        evidence=(evidence,),
    )


@check(
    "revision-places-differ",
    family="revision",
    layer="origin",
    severity="error",
    summary="The revision is the same in every place that tells it: server information, handshake and list.",
    why="A client that watches the one place hears of a change that the other does not know.",
    remedy="Read the revision from one place when an answer is made.",
    source="Meridian's contract: serverInfo.toolManifestRevision and _meta of handshake and list",
    message="The places that tell the revision disagree: {places}.",
    needs=(probed, _advertises_revision),
)
def revision_places_differ(case: Case) -> Iterable[Seen]:
    """Compare the places of the newest walk."""
    places = _disagreeing(case)
    if places:
        said = ", ".join(f"{place} says {short(value)}" for place, value in places.items())
        yield Seen(args={"places": places}, words={"places": said}, evidence=tuple(places))


@check(
    "count-mismatch",
    family="revision",
    layer="origin",
    severity="error",
    summary="The advertised count is the number of unique tool names.",
    why="The count is how people and scripts see at a glance whether tools are missing.",
    remedy="Count unique names over the list that is sent.",
    source="Meridian's contract: count is the number of unique, non-empty names",
    message="The server advertises {said}, and its list holds {held}{because}.",
    needs=(_advertises_count,),
)
def count_mismatch(case: Case) -> Iterable[Seen]:
    """Count the names."""
    origin, listed = case.origin, case.listed
    if origin is None or listed is None:
        return
    advertised = origin.advertised.count
    # JSON knows one kind of number: 2.0 is 2 (RFC 8259, section 6).
    if not isinstance(advertised, bool) and advertised == listed.count:
        return
    entries = len(listed.tools)
    because = f"; it counts all {entries} entries, duplicates too" if advertised == entries != listed.count else ""
    told = advertised if type(advertised) is int else str(advertised)[:200]
    yield Seen(
        args={"advertised": told, "unique": listed.count, "entries": entries},
        words={"because": because, **counts_told(advertised, listed.count)},
        evidence=("tools/list _meta",),
    )


def counts_told(advertised: Any, unique: int) -> dict[str, str]:
    """Return both counts in words, as `said` and `held`; what is no number is told as it was sent."""
    said = counted(advertised, "tool") if type(advertised) is int else f"{json.dumps(advertised)[:200]} for a count"
    return {"said": said, "held": counted(unique, "unique name")}


@check(
    "revision-blind-spot",
    family="revision",
    layer="origin",
    severity="note",
    summary="Where definitions differ, their revisions differ too.",
    why="The revision covers name, description, input schema and annotations; other fields change unseen by who polls it.",
    remedy="Compare digests, not revisions, where titles, output schemas or icons matter.",
    source="Meridian's contract: what the revision covers",
    message="{older} and {newer} have one revision, {revision_short}, and different definitions.",
    needs=(origin_definitions,),
)
def revision_blind_spot(case: Case) -> Iterable[Seen]:
    """Look for pairs whose revisions agree and whose definitions do not."""
    return _blind(case)


def _blind(case: Case) -> Iterator[Seen]:
    listed = case.listed
    for layer in ("manifest", "baseline"):
        surface = surface_of(case.bundle.manifest if layer == "manifest" else case.bundle.baseline)
        if surface is None or listed is None or surface.revision is None or surface.revision != listed.revision:
            continue
        if None not in (surface.digest, listed.digest) and surface.digest != listed.digest:
            facts = {"older": layer, "newer": "origin", "revision": listed.revision}
            yield Seen(args=facts, words={"revision_short": short(listed.revision)}, evidence=(layer, "origin"))

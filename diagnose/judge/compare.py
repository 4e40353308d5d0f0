"""The pairs that one bundle holds, each laid side by side (`causes.md`, rule 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from diagnose.evidence.bundle import Bundle
from diagnose.evidence.observation import LayerName, Observation
from diagnose.judge.diagnosis import Comparison
from diagnose.judge.shared import share
from diagnose.judge.walks import Walks, surface_of
from diagnose.surface import Change, Relation, Surface, difference, relation, relation_of

if TYPE_CHECKING:
    from diagnose.judge.timeline.standing import Pair, Standing
    from diagnose.judge.views.view import View


def compare(
    bundle: Bundle, walks: Walks, standings: Sequence[Standing] = (), views: Sequence[View] = ()
) -> tuple[Comparison, ...]:
    """Return every pair of the bundle, in the order of the ladder; the past comes last."""
    path = Walks.of(bundle.path)
    # Our own sessions are no client: what they were sent is judged as what the server does, and held by nobody.
    clients = [standing for standing in standings if not standing.timeline.own]
    held = [_held(standing, pair, len(clients)) for standing in clients for pair in standing.pairs]
    through = [_viewed(view) for view in views if view.layer == "path"]
    kept = [_viewed(view) for view in views if view.layer != "path"]
    own = (*_manifest(bundle, walks), *_repeated(walks, "origin"), *_eras(walks), *_principals(walks, "origin"))
    return (*own, *through, *_repeated(path, "path"), *_principals(path, "path"), *held, *kept, *_past(bundle))


def _viewed(view: View) -> Comparison:
    """Lay a view beside the list before it: a gateway's as what came of that, a client's as what it has not seen of it."""
    sides = (view.side, view.layer) if view.layer == "path" else (view.layer, view.side)
    return Comparison(
        older=sides[0], newer=sides[1], relation=view.relation, changes=view.changes, why=view.why, counts=view.counts
    )


def _principals(walks: Walks, layer: LayerName) -> Iterator[Comparison]:
    """Compare the newest walk with that of each other principal: lists may differ by authorization."""
    newest = walks.walks[-1] if walks.walks else None
    for other in walks.others:
        if newest is None or newest.surface is None or other.surface is None or other.principal == newest.principal:
            continue
        found, changes = _relate(other.surface, newest.surface)
        differ = found == "different"
        yield Comparison(
            older=f"{layer}, {other.principal or 'nobody'}",
            newer=f"{layer}, {newest.principal or 'nobody'}",
            relation="equivalent" if differ else found,
            changes=changes,
            why="the lists of two authorizations may differ" if differ else None,
        )


def _manifest(bundle: Bundle, walks: Walks) -> Iterator[Comparison]:
    manifest, origin = surface_of(bundle.manifest), surface_of(bundle.origin)
    if manifest is None or origin is None or bundle.origin is None:
        return
    sides = share(manifest, bundle.origin, origin, bundle.target)
    found, changes = _relate(sides.manifest, sides.origin)
    if found == "different" and _was_listed(manifest, bundle, walks):
        why = "the list changed while it was observed, and the manifest is that of before"
        yield Comparison(older="manifest", newer="origin", relation="unknown", changes=changes, why=why)
        return
    if sides.reduced and found == "equal":
        found = "equivalent"
    why = "; ".join(filter(None, (sides.why, _blind(sides.manifest, sides.origin, found))))
    yield Comparison(older="manifest", newer="origin", relation=found, changes=changes, why=why or None)


def _was_listed(manifest: Surface, bundle: Bundle, walks: Walks) -> bool:
    """Tell whether the manifest is the list of an earlier walk, where the list changed between walks."""
    if walks.pattern != "changed":
        return False
    earlier = [walk for walk, number in zip(walks.walks, walks.lists, strict=True) if number != walks.lists[-1]]
    pairs = [share(manifest, walk, walk.surface, bundle.target) for walk in earlier if walk.surface is not None]
    return any(relation(sides.manifest, sides.origin) != "different" for sides in pairs)


def _repeated(walks: Walks, layer: LayerName) -> Iterator[Comparison]:
    """Compare each walk with the one before; where the list only changed, the verdict stands on the last two."""
    settled = walks.pattern in {"changed", "frozen"}
    for place, (older, newer) in enumerate(pairwise(walks.walks), start=1):
        if older.surface is None or newer.surface is None:
            continue
        found, changes = _relate(older.surface, newer.surface)
        superseded = settled and found == "different"
        why = "the list changed between these two walks" if superseded and walks.pattern == "changed" else None
        yield Comparison(
            older=f"{layer}#{place}",
            newer=f"{layer}#{place + 1}",
            relation=found,
            changes=changes,
            why=why or _blind(older.surface, newer.surface, found),
            counts=not superseded,
        )


def _eras(walks: Walks) -> Iterator[Comparison]:
    """Compare the newest walk of each era; a difference between eras is a note, and no pair for the verdict."""
    newest = walks.walks[-1] if walks.walks else None
    other = next((walk for walk in reversed(walks.others) if newest and walk.principal == newest.principal), None)
    if newest is None or other is None or other.era == newest.era or newest.surface is None or other.surface is None:
        return
    found, changes = _relate(other.surface, newest.surface)
    yield Comparison(
        older=f"origin, {other.era}",
        newer=f"origin, {newest.era}",
        relation=found,
        changes=changes,
        why="one list for both eras" if found == "equal" else "the lists of two eras may differ",
        counts=found in {"equal", "equivalent"},
    )


def _held(standing: Standing, pair: Pair, clients: int) -> Comparison:
    """Lay what a client last read to its end beside a newer list; the changes are those that it has not seen.

    A reaction that was still open when the recording stopped leaves the pair open, too.
    """
    open_still = pair.why or standing.pending
    own = standing.frames(standing.held.answered if standing.held is not None else None)
    return Comparison(
        older="wire" if pair.layer is not None else "".join(own[:1]),
        newer=pair.side,
        relation="unknown" if open_still is not None else pair.relation,
        changes=pair.changes,
        why="; ".join(filter(None, (standing.client.name if clients > 1 else None, open_still))) or None,
    )


def _past(bundle: Bundle) -> Iterator[Comparison]:
    baseline, origin = surface_of(bundle.baseline), surface_of(bundle.origin)
    if baseline is None or origin is None or bundle.baseline is None or bundle.origin is None:
        return
    found, changes = _relate(baseline, origin)
    differ = found == "different"
    rightly = other_principal(bundle.baseline, bundle.origin) if differ else None
    eras = other_era(bundle.baseline, bundle.origin) if differ else None
    aside = "more than a server and its past was asked about" if differ and not bundle.only_server_and_past else None
    yield Comparison(
        older="baseline",
        newer="origin",
        relation=found,
        changes=changes,
        why=rightly or eras or aside or _blind(baseline, origin, found),
        counts=bundle.only_server_and_past and rightly is None,
    )


def other_principal(older: Observation, newer: Observation) -> str | None:
    """Say that two observations were read with two authorizations, whose lists may rightly differ."""
    if None not in (older.principal, newer.principal) and older.principal != newer.principal:
        return "they were read with two authorizations"
    return None


def other_era(older: Observation, newer: Observation) -> str | None:
    """Say that two observations are of two eras, so that a difference need not be one of age."""
    if None not in (older.era, newer.era) and older.era != newer.era:
        return f"the one is of the {older.era} era, the other of the {newer.era} era"
    return None


def _relate(older: Surface, newer: Surface) -> tuple[Relation, tuple[Change, ...]]:
    changes = difference(older, newer)
    return relation_of(older, newer, changes), changes


def _blind(older: Surface, newer: Surface, found: Relation) -> str | None:
    """Say what a reader of a relation could take amiss: names alone, a missing digest, a revision that does not see it."""
    if found == "unknown" and (older.names_only or newer.names_only):
        return "only names are known of a side"
    if found == "unknown":
        return "a definition cannot be hashed"
    if found != "equal" and older.revision is not None and older.revision == newer.revision:
        return "the revision, which is the same, does not cover what differs"
    return None

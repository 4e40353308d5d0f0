"""Which list stands before each view on the ladder: the nearest layer that was observed, of the view's own authorization."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from diagnose.clients import client
from diagnose.evidence.observation import Era, LayerName, Observation
from diagnose.judge.clock import seconds_after
from diagnose.judge.views.lenses import lens_of
from diagnose.judge.views.policy import policy_of
from diagnose.judge.views.servers import identity_of, servers_of, target_of
from diagnose.judge.views.view import Layer, View, read_view
from diagnose.judge.walks import surface_of
from diagnose.surface import Surface

if TYPE_CHECKING:
    from diagnose.clients import Lens
    from diagnose.evidence.bundle import Bundle
    from diagnose.judge.timeline.deeds import Walk
    from diagnose.judge.timeline.standing import Standing

#: Clocks of two observers may differ by so much, in seconds.
_SLACK = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A list that a view is laid beside."""

    name: str
    surface: Surface
    frames: tuple[str, ...] = ()
    principal: str | None = None


def views_of(bundle: Bundle, standings: Sequence[Standing]) -> tuple[View, ...]:
    """Return every view of the bundle beside the list before it, in the order of the ladder."""
    lens = lens_of(bundle.client)
    found: list[View] = []
    for layer in ("path", "registry", "model"):
        seen: Observation | None = getattr(bundle, layer)
        if seen is None:
            continue
        before = _before(bundle, standings, layer, seen, found)
        view = _view(bundle, layer, seen, before, lens) if before is not None else None
        if view is not None:
            beyond = _beyond(bundle, view, lens)
            # What the server has by now is no list that was lost, though this recording does not show how it came.
            ahead = view.differs and beyond is not None and beyond.relation in {"equal", "equivalent"}
            found.append(beyond if ahead and beyond is not None else replace(view, beyond=beyond))
    return tuple(found)


def _beyond(bundle: Bundle, view: View, lens: Lens) -> View | None:
    """Lay a client's view beside what the server has now, where it was laid beside what was sent."""
    if view.side != "wire":
        return None
    before = next(_listed(bundle, ("path", "origin"), view.seen), None)
    return _view(bundle, view.layer, view.seen, before, lens) if before is not None else None


def _view(bundle: Bundle, layer: Layer, seen: Observation, before: Side, lens: Lens) -> View | None:
    policy = policy_of(bundle.client, lens, before.surface.names) if layer != "path" else policy_of(None, lens, ())
    view = read_view(
        layer,
        seen,
        before.surface,
        before.name,
        lens=lens,
        prefix=bundle.path_prefix,
        policy=policy,
        frames=before.frames,
    )
    strangers = None not in {seen.principal, before.principal} and seen.principal != before.principal
    if view is None or not strangers or view.relation != "different":
        return view
    return replace(view, relation="unknown", why="they were read with two authorizations, whose lists may differ")


def _before(
    bundle: Bundle, standings: Sequence[Standing], layer: Layer, seen: Observation, views: Sequence[View]
) -> Side | None:
    if layer == "path":
        return next(_listed(bundle, ("origin", "manifest"), seen), None)
    if layer == "model":
        registry = next((view for view in views if view.layer == "registry"), None)
        if registry is not None:
            return Side(name="registry", surface=registry.held, frames=registry.frames)
    sent = _sent(bundle, standings, seen)
    return sent or next(_listed(bundle, ("path", "origin", "manifest"), seen), None)


def _listed(bundle: Bundle, layers: Sequence[LayerName], seen: Observation) -> Iterator[Side]:
    """Yield the layers that hold a list of the server, the nearest first."""
    for layer in layers:
        own = own_walk(getattr(bundle, layer), seen.principal, seen.era)
        surface = surface_of(own)
        if surface is not None:
            yield Side(name=layer, surface=surface, principal=own.principal if own is not None else None)


def own_walk(seen: Observation | None, principal: str | None, era: Era | None) -> Observation | None:
    """Return the newest complete walk of an authorization and era, as far as these are told; a client has one of its own."""
    if seen is None:
        return None
    walks = [walk for walk in (seen.samples or (seen,)) if surface_of(walk) is not None]
    for kind in (
        [walk for walk in walks if walk.principal is not None and walk.principal == principal],
        [walk for walk in walks if walk.era is not None and walk.era == era],
    ):
        walks = kind or walks
    return walks[-1] if walks else None


def _sent(bundle: Bundle, standings: Sequence[Standing], seen: Observation) -> Side | None:
    """Return the list that the client had been sent by the time of the view: of every server that was recorded."""
    sides = [side for standing in client_side(bundle, standings) if (side := _read(standing, seen)) is not None]
    groups = servers_of([standing for standing, _ in sides])
    if not sides:
        return None
    asked = [group for group in groups if _is_asked(bundle, seen, group)]
    if len(groups) == 1 or asked:
        return next(side for standing, side in reversed(sides) if standing in (asked or groups)[0])
    # Several servers: what the client holds is all of them together.
    newest = [next(side for standing, side in reversed(sides) if standing in group) for group in groups]
    entries = [entry for side in newest for entry in side.surface.raw_entries]
    frames = tuple(frame for side in newest for frame in side.frames)
    return Side(name="wire", surface=Surface.of(entries), frames=frames)


def _is_asked(bundle: Bundle, seen: Observation, group: list[Standing]) -> bool:
    """Tell whether recordings are of the server that was asked about, where the view tells servers apart by prefixes."""
    key = bundle.client.server_key if bundle.client is not None else None
    form = lens_of(bundle.client).forward("x")
    names = seen.surface.names if seen.surface is not None else ()
    apart = form != "x" and form.endswith("x") and any(name.startswith(form[:-1]) for name in names)
    return apart and key is not None and key in {target_of(group[-1]), identity_of(group[-1])}


def client_side(bundle: Bundle, standings: Sequence[Standing]) -> list[Standing]:
    """Return the standings of the client that was asked about, or of all clients if it is not among them."""
    near = [standing for standing in standings if standing.timeline.header.hop != "gateway-server"]
    if bundle.client is None:
        return near
    own = [standing for standing in near if _is_named(standing, bundle.client.id)]
    return own or near


def _is_named(standing: Standing, client_id: str) -> bool:
    known = client(standing.client.name.partition(" (")[0])
    return known is not None and known.id == client_id


def _read(standing: Standing, seen: Observation) -> tuple[Standing, Side] | None:
    t = seconds_after(standing.timeline.header.started_at, seen.at)
    read: list[Walk] = [walk for walk in standing.client.walks if walk.whole and walk.answered is not None]
    if t is not None:
        read = [walk for walk in read if walk.answered is not None and walk.answered.t <= t + _SLACK]
    if not read or read[-1].surface is None:
        return None
    surface = read[-1].surface
    if standing.session.instructions is not None and surface.instructions is None:
        surface = replace(surface, instructions=standing.session.instructions)
    return standing, Side(name="wire", surface=surface, frames=standing.frames(read[-1].answered))

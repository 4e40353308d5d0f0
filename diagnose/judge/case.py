"""What every check reads: the bundle, and what was laid side by side once for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from diagnose.evidence.bundle import Bundle
from diagnose.evidence.observation import Anomaly, Failure, LayerName, Observation
from diagnose.judge.compare import compare
from diagnose.judge.diagnosis import Comparison
from diagnose.judge.walks import Walks, surface_of
from diagnose.record import record
from diagnose.surface import Surface

if TYPE_CHECKING:
    from diagnose.judge.timeline import Timeline
    from diagnose.judge.timeline.standing import Standing
    from diagnose.judge.views.view import View

#: The layers that hold a surface, in the order in which they are judged.
SURFACES: tuple[LayerName, ...] = ("manifest", "origin", "path")


@record
class Case:
    """One bundle under judgement."""

    bundle: Bundle
    walks: Walks
    """The complete walks of `origin`."""
    comparisons: tuple[Comparison, ...]
    timelines: tuple[Timeline, ...] = ()
    """The recordings of `wire`, read."""
    standings: tuple[Standing, ...] = ()
    """How each client of them stands."""
    views: tuple[View, ...] = ()
    """What `path`, `registry` and `model` show, each beside the list before it."""

    @classmethod
    def of(cls, bundle: Bundle, timelines: Sequence[Timeline] = ()) -> Case:
        """Lay side by side what can be compared; ``timelines`` are recordings that were read already."""
        lines, stand = _of_the_wire(bundle, timelines) if bundle.wire or timelines else ((), ())
        walks, views = Walks.of(bundle.origin), _views(bundle, stand)
        return cls(
            bundle=bundle,
            walks=walks,
            comparisons=compare(bundle, walks, stand, views),
            timelines=lines,
            standings=stand,
            views=views,
        )

    @property
    def origin(self) -> Observation | None:
        """The newest look at the origin, complete or not."""
        return self.bundle.origin

    @property
    def listed(self) -> Surface | None:
        """The list of the origin, if one was read to its end."""
        return surface_of(self.bundle.origin)

    @property
    def readings(self) -> tuple[Observation, ...]:
        """Every look at the origin, the incomplete ones too, oldest first."""
        origin = self.bundle.origin
        return () if origin is None else origin.samples or (origin,)

    def is_our_doing(self, layer: LayerName, evidence: Sequence[str]) -> bool:
        """Tell whether frames show what the client did in a session of our own, which nobody asked about."""
        ours = {line.name for line in self.timelines if line.own}
        return layer == "wire" and bool(evidence) and evidence[0].partition(":")[0] in ours

    def observation(self, layer: LayerName) -> Observation | None:
        """Return the observation of a layer that holds a surface."""
        found: Observation | None = getattr(self.bundle, layer, None) if layer != "deployed" else None
        return found

    def view(self, layer: LayerName) -> View | None:
        """Return what a layer behind the origin shows, beside the list before it."""
        return next((view for view in self.views if view.layer == layer), None)

    def comparison(self, older: str, newer: str) -> Comparison | None:
        """Return one pair by its two names."""
        return next((pair for pair in self.comparisons if (pair.older, pair.newer) == (older, newer)), None)

    def failures(self, *rules: str) -> Iterator[tuple[LayerName, Failure]]:
        """Return the failures of every layer, those of the named rules if any are named."""
        deployed = self.bundle.deployed
        found: list[tuple[LayerName, Failure | None]] = [("deployed", deployed.failure if deployed else None)]
        for layer in SURFACES:
            seen = self.observation(layer)
            found.append((layer, seen.failure if seen else None))
        for layer, failure in found:
            if failure is not None and (not rules or failure.rule in rules):
                yield layer, failure

    def anomalies(self, layer: LayerName) -> tuple[Anomaly, ...]:
        """Return what a strict reader would refuse at one layer, each once, over all its samples."""
        if layer == "deployed":
            return self.bundle.deployed.anomalies if self.bundle.deployed else ()
        seen = self.observation(layer)
        if seen is None:
            return ()
        looks = (*seen.samples, seen)
        return tuple(dict.fromkeys(anomaly for look in looks for anomaly in look.anomalies))


def _views(bundle: Bundle, standings: Sequence[Standing]) -> tuple[View, ...]:
    """Read what a gateway, a client and a model show; loaded only where one of them was looked at."""
    if bundle.path is None and bundle.registry is None and bundle.model is None:
        return ()
    from diagnose.judge.views import views_of

    return views_of(bundle, standings)


def _of_the_wire(bundle: Bundle, timelines: Sequence[Timeline]) -> tuple[tuple[Timeline, ...], tuple[Standing, ...]]:
    """Read the recordings, and tell how each client of them stands; loaded only where there is a recording."""
    from diagnose.judge.timeline import read
    from diagnose.judge.timeline.standing import standings

    read_now = [read(recording, frame_name(place)) for place, recording in enumerate(bundle.wire, len(timelines))]
    lines = (*timelines, *read_now)
    return lines, standings(bundle, lines)


def frame_name(place: int) -> str:
    """Return what the frames of a recording are called by: `wire:17`, and `wire#2:17` of the second one."""
    return "wire" if place == 0 else f"wire#{place + 1}"

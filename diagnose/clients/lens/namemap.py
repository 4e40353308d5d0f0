"""The map from live names to shown ones, with what collides in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from diagnose.clients.lens.naming import Naming, Twins


@dataclass(frozen=True, slots=True, kw_only=True)
class Collision:
    """Live tools that would be shown under one name, in the order given; ``twins`` is what the client does then."""

    shown: str
    names: tuple[str, ...]
    twins: Twins
    other_key: str | None = None
    """Another server of this client whose tools would be shown under the same names."""

    @property
    def wins(self) -> str | None:
        """The tool that such a name reaches, where that is known."""
        if self.other_key is not None or self.twins not in {"first-wins", "last-wins"}:
            return None
        return self.names[0 if self.twins == "first-wins" else -1]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMap:
    """What is shown for each live name, in the order of the live names."""

    shown: Mapping[str, str]
    collisions: tuple[Collision, ...] = ()
    cut: tuple[str, ...] = ()
    """Live names that a limit has shortened: the shown name does not tell the whole."""
    too_long: tuple[str, ...] = ()
    """Live names whose shown name is longer than can be called."""

    def live_of(self, shown: str) -> tuple[str, ...]:
        """Return the live names that are shown so; more than one where they collide, none where nothing is."""
        return tuple(name for name, form in self.shown.items() if form == shown)


def map_names(names: Iterable[str], server: str, others: Iterable[str], naming: Naming) -> NameMap:
    """Map the live names of one server, keys of others beside it. Duplicates of one live name are one name."""
    plain_forms = {name: naming.rule(server, name) for name in dict.fromkeys(names)}
    groups = _groups(plain_forms)
    shown, collisions = dict(plain_forms), []
    for form, twins in groups.items():
        if len(twins) < 2:
            continue
        if naming.twin is not None:
            shown.update((name, naming.twin(server, name, form)) for name in twins)
        else:
            collisions.append(Collision(shown=form, names=twins, twins=naming.twins))
    collisions += _with_others(plain_forms, server, others, naming)
    limit = naming.limit
    long = tuple(name for name in shown if limit is not None and _length(server, name, naming) > limit)
    return NameMap(
        shown=MappingProxyType(shown),
        collisions=tuple(collisions),
        cut=() if naming.refuses_longer else long,
        too_long=long if naming.refuses_longer else (),
    )


def _groups(forms: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    for name, form in forms.items():
        groups.setdefault(form, []).append(name)
    return {form: tuple(names) for form, names in groups.items()}


def _with_others(forms: Mapping[str, str], server: str, others: Iterable[str], naming: Naming) -> list[Collision]:
    """Find keys of other servers that are written as this one is, so that equal tools have equal names."""
    if naming.twins == "hashed":
        return []
    return [
        Collision(shown=form, names=(name,), twins=naming.twins, other_key=other)
        for other in others
        if other != server
        for name, form in forms.items()
        if form != name and naming.rule(other, name) == form
    ]


def _length(server: str, name: str, naming: Naming) -> int:
    """Return how long the shown name would be, were nothing cut: from a short name, as far as this one is longer."""
    return len(naming.rule(server, "x")) - 1 + len(name)

"""What differs inside one definition: deepdiff finds the places, the rules of impact say what each one means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from json.encoder import encode_basestring_ascii
from typing import Any, TypeAlias

from diagnose.surface.canonical import lenient
from diagnose.surface.change import ABSENT, IMPACTS, Detail, Impact, worst
from diagnose.surface.impact import Judgement, classify
from diagnose.surface.walk import Tokens, at, parse_pointer, places, pointer

#: Details told of one definition, the worst first: more than anybody reads, and a bound for a hostile one.
MAX_DETAILS = 500
#: deepdiff's time grows faster than its input. This many places in both definitions together are compared by it, and
#: this many in one `Describer`; what goes beyond is compared member by member.
MAX_PLACES, MAX_PLACES_IN_ALL = 4_000, 200_000

#: A place that differs: the way to it in the old and in the new definition; None where it is missing.
Leaf: TypeAlias = tuple[Tokens | None, Tokens | None]


class Describer:
    """Describes changed definitions, one after the other, within one allowance of time."""

    def __init__(self) -> None:
        self._places_left = MAX_PLACES_IN_ALL

    def details(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Detail, ...]:
        """Return every difference of two definitions of one tool, sorted by place, at most `MAX_DETAILS`.

        The index of a list item counts in the old list, and of an item that came, in the new one. Of very large
        definitions the lists are compared item by item, so that all that follows an inserted item differs.
        """
        leaves = _by_deepdiff(old, new) if self._affordable(old, new) else _member_by_member(old, new)
        return _judged(leaves, classify(old, new), old, new)

    def _affordable(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        limit = min(MAX_PLACES, self._places_left)
        count = 0
        for definition in (old, new):
            for _ in places(definition):
                count += 1
                if count > limit:
                    return False
        self._places_left -= count
        return True


def _by_deepdiff(old: Any, new: Any) -> Iterator[Leaf]:
    from deepdiff import DeepDiff

    # deepdiff takes 1, 1.0 and true in a list for one value, and NaN for unequal to itself: it is given texts for all
    # scalars. The options undo defaults that hide: keys with two underscores, and all of an object of which little is
    # left.
    tree = DeepDiff(
        *_without_equal(_stand_in(old), _stand_in(new)),
        ignore_order=False,
        ignore_private_variables=False,
        threshold_to_diff_deeper=0,
        verbose_level=2,
        view="tree",
    )
    for kind, levels in tree.items():
        for level in levels:
            was = None if kind.endswith("_added") else tuple(level.path(output_format="list"))
            now = None if kind.endswith("_removed") else tuple(level.path(output_format="list", use_t2=True))
            yield was, now


def _stand_in(value: Any) -> Any:
    """Put a text in the place of every scalar: equal just where the canonical text would be."""
    if isinstance(value, str):
        # Quoted, for deepdiff compares texts of several lines line by line.
        return encode_basestring_ascii(value)
    if isinstance(value, Mapping):
        return {key: _stand_in(child) for key, child in value.items()}
    if isinstance(value, (list, tuple)):
        return [_stand_in(child) for child in value]
    return lenient(value).decode()


def _without_equal(old: Any, new: Any) -> tuple[Any, Any]:
    """Leave out the members that are equal in both: deepdiff is slow at finding that out."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return old, new
    was, now = dict(old), dict(new)
    for key in old.keys() & new.keys():
        if old[key] == new[key]:
            del was[key], now[key]
        else:
            was[key], now[key] = _without_equal(old[key], new[key])
    return was, now


def _member_by_member(old: Any, new: Any) -> Iterator[Leaf]:
    pending: list[tuple[Tokens, Any, Any]] = [((), old, new)]
    while pending:
        tokens, was, now = pending.pop()
        pairs: list[tuple[str | int, Any, Any]]
        if isinstance(was, Mapping) and isinstance(now, Mapping):
            pairs = [(key, was.get(key, ABSENT), now.get(key, ABSENT)) for key in {**was, **now}]
        elif isinstance(was, list) and isinstance(now, list):
            pairs = [(index, *both) for index, both in enumerate(zip_longest(was, now, fillvalue=ABSENT))]
        else:
            if was is ABSENT or now is ABSENT or lenient(was) != lenient(now):
                yield None if was is ABSENT else tokens, None if now is ABSENT else tokens
            continue
        pending.extend(((*tokens, token), before, after) for token, before, after in pairs)


def _judged(leaves: Iterable[Leaf], judgements: Iterable[Judgement], old: Any, new: Any) -> tuple[Detail, ...]:
    impacts = _Impacts(judgements)
    found = []
    for was, now in leaves:
        path = pointer(was if was is not None else now or ())
        found.append(Detail(path=path, was=_at(old, was), now=_at(new, now), impact=impacts.tell(path)))
    for path, impact in impacts.untold():
        tokens = parse_pointer(path)
        found.append(Detail(path=path, was=_at(old, tokens), now=_at(new, tokens), impact=impact))
    found.sort(key=lambda detail: (IMPACTS.index(detail.impact), detail.path))
    return tuple(sorted(found[:MAX_DETAILS], key=lambda detail: detail.path))


def _at(definition: Any, tokens: Tokens | None) -> Any:
    return ABSENT if tokens is None else at(definition, tokens, ABSENT)


class _Impacts:
    """The judgements of one definition, by place, each told at least once.

    The deepest judgement at or above a place speaks for it, and a worse one below it. Where there is none, nothing was
    found to matter.
    """

    def __init__(self, judgements: Iterable[Judgement]) -> None:
        self._at: dict[str, Impact] = {}
        self._below: dict[str, Impact] = {}
        for one in judgements:
            _keep_worst(self._at, one.pointer, one.impact)
            for above in _upwards(one.pointer):
                _keep_worst(self._below, above, one.impact)
        self._told: set[str] = set()
        self._asked: set[str] = set()

    def tell(self, place: str) -> Impact:
        """Return the impact of a difference at a place."""
        self._asked.add(place)
        speaking = next((above for above in _upwards(place) if above in self._at), place)
        self._told.add(speaking)
        return worst([known[place] for known, place in ((self._at, speaking), (self._below, place)) if place in known])

    def untold(self) -> Iterator[tuple[str, Impact]]:
        """Yield what matters and was not told: judgements of places where a reference leads to the difference."""
        for place, impact in self._at.items():
            if impact != "cosmetic" and place not in self._told and self._asked.isdisjoint(_upwards(place)):
                yield place, impact


def _keep_worst(known: dict[str, Impact], place: str, impact: Impact) -> None:
    known[place] = worst((known.get(place, impact), impact))


def _upwards(place: str) -> Iterator[str]:
    """Yield a JSON Pointer and those of all that holds it, deepest first."""
    yield place
    while place:
        place = place.rpartition("/")[0]
        yield place

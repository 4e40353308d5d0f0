"""Two schemas walked side by side, to say where they differ and what that means.

Whether a schema still takes what it took is proved for every place as a whole (`prover`). The walk finds the keywords
that are answerable for the answer. What is proved of a whole overrules what one keyword alone would suggest: a type
that went from `type` into `anyOf` is no change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeVar

from diagnose.surface.impact.judgement import Judgement
from diagnose.surface.impact.members import item, member, others, patterns, prefix
from diagnose.surface.impact.objects import one_property
from diagnose.surface.impact.part import Parts, keys
from diagnose.surface.impact.places import child_place, keyword_place, statements, subject_places
from diagnose.surface.impact.prover import MAX_BRANCHES, MAX_DEPTH, Proof, vague
from diagnose.surface.impact.rules import PLAIN, Subject
from diagnose.surface.impact.verdict import Verdict
from diagnose.surface.impact.wording import why

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.surface.change import Impact
    from diagnose.surface.impact.shape import Shape, Union
    from diagnose.surface.impact.verdict import View

_T = TypeVar("_T")
Direction = Literal["input", "output"]
_IMPACTS: dict[Verdict, Impact] = {Verdict.FAILS: "breaking", Verdict.UNKNOWN: "unclear"}
_HARMLESS = ("compatible", "cosmetic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where the walk is. ``at`` is the place to tell of a difference that has no keyword.

    ``proved``: a whole that this is part of was found to fit, so that nothing here can break a caller. ``same``: nor
    does the whole take any more than it did.
    """

    at: str
    proved: bool = False
    same: bool = False
    depth: int = 0

    def below(self, at: str) -> Spot:
        """Return a place one level down."""
        return replace(self, at=at, depth=self.depth + 1)


class Walk:
    """One walk through an old and a new schema."""

    def __init__(self, direction: Direction) -> None:
        self._direction = direction
        self._proof = Proof()
        self._seen: set[tuple[str, str, bool, bool]] = set()

    def compare(self, old: Parts, new: Parts, spot: Spot) -> Iterator[Judgement]:
        """Judge what sets two conjunctions apart."""
        visit = (keys(old), keys(new), spot.proved, spot.same)
        if visit in self._seen or self._proof.alike(old, new):
            return
        self._seen.add(visit)
        forward = self._proof.fits(*self._turned(old, new), self._direction)
        backward = self._proof.fits(*self._turned(new, old), "plain")
        spot = replace(spot, proved=spot.proved or forward is Verdict.FITS, same=spot.same or backward is Verdict.FITS)
        before, after = self._proof.shape(old), self._proof.shape(new)
        if before.never or after.never or spot.depth >= MAX_DEPTH:
            yield self._judge(spot.at, "schema", forward, spot)
            return
        found = [*self._subjects(before, after, spot), *self._unions(before, after, spot)]
        found += self._members(before, after, spot)
        if not spot.proved and all(judgement.impact in _HARMLESS for judgement in found):
            found = self._blame(found, forward, spot)
        yield from found

    def _turned(self, old: _T, new: _T) -> tuple[_T, _T]:
        """Return what must fit, and what it must fit into."""
        return (new, old) if self._direction == "output" else (old, new)

    def _blame(self, found: list[Judgement], forward: Verdict, spot: Spot) -> list[Judgement]:
        """Hold the differences together answerable for what none of them is answerable for alone."""
        places = [judgement.pointer for judgement in found if judgement.impact != "cosmetic"] or [spot.at]
        rest = [judgement for judgement in found if judgement.pointer not in places]
        return rest + [self._judge(place, "schema", forward, spot) for place in places]

    def _subjects(self, old: Shape, new: Shape, spot: Spot) -> Iterator[Judgement]:
        most = Verdict.UNKNOWN if vague(*self._turned(old, new)) else Verdict.FAILS
        for subject in (one for one in PLAIN if one.concerns(old, new)):
            forward = min(most, self._ask(subject, *self._turned(old, new), self._direction))
            backward = self._ask(subject, *self._turned(new, old), "plain")
            changed = statements(subject, old) != statements(subject, new)
            if changed or forward is not Verdict.FITS or backward is not Verdict.FITS:
                for place in subject_places(subject, old, new) or [spot.at]:
                    yield self._judge(place, subject.name, forward, spot, backward)

    def _ask(self, subject: Subject, sub: Shape, sup: Shape, view: View) -> Verdict:
        """Ask one rule, of each case that the unions of the fitting side make."""
        return max(subject.rule(self._proof, case, sup, view) for case in self._cases(sub))

    def _cases(self, shape: Shape) -> list[Shape]:
        if not shape.unions or len(shape.unions[0].branches) > MAX_BRANCHES:
            return [shape]
        cases = [self._proof.shape(case) for case in shape.unions[0].cases(shape.parts)]
        return [case for case in cases if not case.never] or [shape]

    def _members(self, old: Shape, new: Shape, spot: Spot) -> Iterator[Judgement]:
        for name in sorted(old.names | new.names):
            below = spot.below(child_place(new if name in new.names else old, "properties", name))
            if name in old.names and name in new.names:
                yield from self.compare(member(old, name), member(new, name), below)
            else:
                yield self._property(old, new, name, below)
        yield from self.compare(
            others(old), others(new), spot.below(keyword_place(old, new, "additionalProperties", spot.at))
        )
        before, after = patterns(old), patterns(new)
        for text in sorted(before.keys() & after.keys()):
            yield from self.compare(before[text], after[text], spot.below(child_place(new, "patternProperties", text)))
        yield from self._items(old, new, spot)

    def _items(self, old: Shape, new: Shape, spot: Spot) -> Iterator[Judgement]:
        count = max(prefix(old), prefix(new))
        for index in range(count):
            below = spot.below(child_place(new if prefix(new) > index else old, "prefixItems", index))
            yield from self.compare(item(old, index), item(new, index), below)
        yield from self.compare(
            item(old, count), item(new, count), spot.below(keyword_place(old, new, "items", spot.at))
        )

    def _property(self, old: Shape, new: Shape, name: str, spot: Spot) -> Judgement:
        """Judge a property that is named on one side; one that only moved into a branch is still there."""
        verdict = one_property(self._proof, *self._turned(old, new), self._direction, name)
        stays = name in self._proof.declared(old.parts) & self._proof.declared(new.parts)
        kind = "gained property" if name in new.names else "lost property"
        return self._judge(spot.at, kind, verdict, spot if stays else replace(spot, same=False))

    def _unions(self, old: Shape, new: Shape, spot: Spot) -> Iterator[Judgement]:
        before, after = self._proof.open_unions(old, new, "plain")
        for one, other in zip(before, after, strict=False):
            yield from self._pair(one, other, old, new, spot)
        for union in before[len(after) :]:
            yield self._alone(union, old, new, spot, asked=self._direction == "output")
        for union in after[len(before) :]:
            yield self._alone(union, old, new, spot, asked=self._direction == "input")

    def _alone(self, union: Union, old: Shape, new: Shape, spot: Spot, *, asked: bool) -> Judgement:
        """Judge a union that has no counterpart. ``asked``: it is one that must be fitted."""
        sub, _ = self._turned(old, new)
        verdicts = (
            [self._proof.covers(case.parts, union, self._direction) for case in self._cases(sub)] if asked else []
        )
        return self._judge(union.place, "alternatives", max(verdicts, default=Verdict.FITS), spot)

    def _pair(self, before: Union, after: Union, old: Shape, new: Shape, spot: Spot) -> Iterator[Judgement]:
        """Judge two unions that stand for each other."""
        own, wanted = self._turned(before, after)
        base, _ = self._turned(old, new)
        if max(len(own.branches), len(wanted.branches)) > MAX_BRANCHES:
            yield self._judge(after.place, "alternatives", Verdict.UNKNOWN, spot)
            return
        whole = [self._proof.covers(case, wanted, self._direction) for case in own.cases(base.parts)]
        forward, inner = max(whole), list[Judgement]()
        if forward is not Verdict.FITS and not spot.proved:
            if self._aligned(before.branches, after.branches):
                inner = [*self._branches(before, after, whole, spot)]
            elif forward is Verdict.UNKNOWN and self._lost(own, wanted, base):
                forward = Verdict.FAILS
        yield from inner
        if all(judgement.impact in _HARMLESS for judgement in inner):
            yield self._judge(after.place, "alternatives", forward, spot)

    def _branches(self, before: Union, after: Union, whole: list[Verdict], spot: Spot) -> Iterator[Judgement]:
        for index, (one, other) in enumerate(zip(before.branches, after.branches, strict=True)):
            below = replace(spot.below(f"{after.place}/{index}"), proved=whole[index] is Verdict.FITS)
            yield from self.compare(one, other, below)

    def _aligned(self, before: list[Parts], after: list[Parts]) -> bool:
        """Say whether branches stand for each other by position: none of them went elsewhere."""
        alike = self._proof.alike
        return len(before) == len(after) and not any(
            alike(one, other) and not alike(one, after[index]) for index, one in enumerate(before) for other in after
        )

    def _lost(self, own: Union, wanted: Union, base: Shape) -> bool:
        """Say whether branches went and none came: then what only they allowed is lost."""
        alike, kept = self._proof.alike, wanted.branches
        if not all(any(alike(one, branch) for branch in own.branches) for one in kept):
            return False
        pairs = zip(own.cases(base.parts), own.branches, strict=True)
        gone = [case for case, branch in pairs if not any(alike(branch, one) for one in kept)]
        return any(all(self._proof.fits(case, one, self._direction) is Verdict.FAILS for one in kept) for case in gone)

    def _judge(
        self, place: str, subject: str, forward: Verdict, spot: Spot, backward: Verdict = Verdict.UNKNOWN
    ) -> Judgement:
        gained = not spot.same and backward is not Verdict.FITS
        harmless: Impact = "compatible" if gained else "cosmetic"
        impact = harmless if spot.proved else _IMPACTS.get(forward, harmless)
        return Judgement(pointer=place, impact=impact, why=why(subject, impact, self._direction))

"""Two schemas walked side by side, to say where they differ and what that means.

Whether a schema still takes what it took is proved for every place as a whole (`prover`). The walk finds the keywords
that are answerable for the answer. What is proved of a whole overrules what one keyword alone would suggest: a type
that went from `type` into `anyOf` is no change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from diagnose.surface.impact.judgement import Judgement
from diagnose.surface.impact.members import item, member, others, patterns, prefix
from diagnose.surface.impact.objects import one_property
from diagnose.surface.impact.part import Parts, keys
from diagnose.surface.impact.prover import MAX_BRANCHES, MAX_DEPTH, Proof
from diagnose.surface.impact.rules import PLAIN, Subject
from diagnose.surface.impact.values import token
from diagnose.surface.impact.verdict import Verdict
from diagnose.surface.impact.wording import why

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from diagnose.surface.change import Impact
    from diagnose.surface.impact.shape import Shape, Union

Direction = Literal["input", "output"]
_IMPACTS: dict[Verdict, Impact] = {Verdict.FAILS: "breaking", Verdict.UNKNOWN: "unclear"}
_HARMLESS = ("compatible", "cosmetic")


class Walk:
    """One walk through an old and a new schema."""

    def __init__(self, direction: Direction) -> None:
        self._direction = direction
        self._proof = Proof()
        self._seen: set[tuple[str, str, bool]] = set()

    def compare(self, old: Parts, new: Parts, at: str, *, proved: bool = False, depth: int = 0) -> Iterator[Judgement]:
        """Judge what sets two conjunctions apart; ``at`` is where a difference is told that has no keyword.

        ``proved``: a whole that these are part of was found to fit, so that nothing here can break a caller.
        """
        visit = (keys(old), keys(new), proved)
        if visit in self._seen or self._proof.alike(old, new):
            return
        self._seen.add(visit)
        forward, backward = self._forward(old, new), self._backward(old, new)
        before, after = self._proof.shape(old), self._proof.shape(new)
        proved = proved or forward is Verdict.FITS
        if before.never or after.never or depth >= MAX_DEPTH:
            yield self._judge(at, "schema", Verdict.FITS if proved else forward, backward)
            return
        found = [
            *self._subjects(before, after, at, proved=proved, same=backward is Verdict.FITS),
            *self._unions(before, after, proved=proved, same=backward is Verdict.FITS, depth=depth),
            *self._members(before, after, at, proved=proved, depth=depth),
        ]
        if not proved and all(judgement.impact in _HARMLESS for judgement in found):
            blamed = [judgement.pointer for judgement in found if judgement.impact != "cosmetic"] or [at]
            found = [one for one in found if one.pointer not in blamed]
            found += [self._judge(place, "schema", forward, backward) for place in blamed]
        yield from found

    def _forward(self, old: Parts, new: Parts) -> Verdict:
        """Say whether the new schema keeps what the caller was told."""
        sub, sup = (new, old) if self._direction == "output" else (old, new)
        return self._proof.fits(sub, sup, self._direction)

    def _backward(self, old: Parts, new: Parts) -> Verdict:
        """Say whether the old schema had it all; then nothing was gained either."""
        sub, sup = (old, new) if self._direction == "output" else (new, old)
        return self._proof.fits(sub, sup, "plain")

    def _subjects(self, old: Shape, new: Shape, at: str, *, proved: bool, same: bool) -> Iterator[Judgement]:
        for subject in PLAIN:
            forward, backward = self._ask(subject, old, new), self._ask(subject, new, old, plain=True)
            places = _places(subject, old, new)
            moved = _statements(subject, old) != _statements(subject, new)
            if moved or forward is not Verdict.FITS or backward is not Verdict.FITS:
                impact, back = (Verdict.FITS if proved else forward), (Verdict.FITS if same else backward)
                for place in places or [at]:
                    yield self._judge(place, subject.name, impact, back)

    def _ask(self, subject: Subject, old: Shape, new: Shape, *, plain: bool = False) -> Verdict:
        """Ask one rule, of each case that the unions of the fitting side make."""
        sub, sup = (new, old) if self._direction == "output" else (old, new)
        view = "plain" if plain else self._direction
        return max(subject.rule(self._proof, case, sup, view) for case in self._cases(sub))

    def _cases(self, shape: Shape) -> list[Shape]:
        if not shape.unions or len(shape.unions[0].branches) > MAX_BRANCHES:
            return [shape]
        cases = [self._proof.shape(case) for case in shape.unions[0].cases(shape.parts)]
        return [case for case in cases if not case.never] or [shape]

    def _members(self, old: Shape, new: Shape, at: str, *, proved: bool, depth: int) -> Iterator[Judgement]:
        for name in sorted(old.names | new.names):
            place = _place(new if name in new.names else old, "properties", name)
            if name in old.names and name in new.names:
                yield from self.compare(member(old, name), member(new, name), place, proved=proved, depth=depth + 1)
            else:
                yield self._property(old, new, name, place, proved=proved)
        pairs = [(others(old), others(new), _spelled(old, new, "additionalProperties", at))]
        before, after = patterns(old), patterns(new)
        pairs += [(before[text], after[text], _place(new, "patternProperties", text)) for text in before.keys() & after]
        pairs += self._items(old, new, at)
        for one, other, place in pairs:
            yield from self.compare(one, other, place, proved=proved, depth=depth + 1)

    def _items(self, old: Shape, new: Shape, at: str) -> Iterator[tuple[Parts, Parts, str]]:
        count = max(prefix(old), prefix(new))
        for index in range(count):
            place = _place(new if prefix(new) > index else old, "prefixItems", index)
            yield item(old, index), item(new, index), place
        yield item(old, count), item(new, count), _spelled(old, new, "items", at)

    def _property(self, old: Shape, new: Shape, name: str, place: str, *, proved: bool) -> Judgement:
        sub, sup = (new, old) if self._direction == "output" else (old, new)
        verdict = Verdict.FITS if proved else one_property(self._proof, sub, sup, self._direction, name)
        kind = "gained property" if name in new.names else "lost property"
        return self._judge(place, kind, verdict, Verdict.UNKNOWN)

    def _unions(self, old: Shape, new: Shape, *, proved: bool, same: bool, depth: int) -> Iterator[Judgement]:
        before, after = self._proof.open_unions(old, new, "plain")
        for one, other in zip(before, after, strict=False):
            yield from self._pair(one, other, old, new, proved=proved, same=same, depth=depth)
        for union in before[len(after) :] + after[len(before) :]:
            is_new = union in after
            wanted = is_new is (self._direction == "input")
            sub = new if self._direction == "output" else old
            forward = self._covered(sub, union) if wanted and not proved else Verdict.FITS
            yield self._judge(union.place, "alternatives", forward, Verdict.FITS if same else Verdict.UNKNOWN)

    def _covered(self, sub: Shape, union: Union) -> Verdict:
        return max(self._proof.covers(case.parts, union, self._direction) for case in self._cases(sub))

    def _pair(
        self, before: Union, after: Union, old: Shape, new: Shape, *, proved: bool, same: bool, depth: int
    ) -> Iterator[Judgement]:
        """Judge two unions that stand for each other."""
        own, union, base = (after, before, new) if self._direction == "output" else (before, after, old)
        many = max(len(own.branches), len(union.branches)) > MAX_BRANCHES
        whole = (
            [Verdict.UNKNOWN]
            if many
            else [self._proof.covers(case, union, self._direction) for case in own.cases(base.parts)]
        )
        forward = Verdict.FITS if proved else max(whole)
        inner: list[Judgement] = []
        if forward is not Verdict.FITS and self._aligned(before.branches, after.branches):
            for index, (one, other) in enumerate(zip(before.branches, after.branches, strict=True)):
                place = f"{after.place}/{index}"
                inner += self.compare(one, other, place, proved=whole[index] is Verdict.FITS, depth=depth + 1)
        elif forward is Verdict.UNKNOWN and not many and self._lost(own, union, base):
            forward = Verdict.FAILS
        yield from inner
        if all(judgement.impact in _HARMLESS for judgement in inner):
            back = Verdict.FITS if same else Verdict.UNKNOWN
            yield self._judge(after.place, "alternatives", forward, back)

    def _aligned(self, before: list[Parts], after: list[Parts]) -> bool:
        """Say whether branches stand for each other by position: none of them went elsewhere."""
        if len(before) != len(after) or len(before) > MAX_BRANCHES:
            return False
        return not any(
            self._proof.alike(one, other) and not self._proof.alike(one, after[index])
            for index, one in enumerate(before)
            for other in after
        )

    def _lost(self, own: Union, union: Union, base: Shape) -> bool:
        """Say whether branches went and none came: then what only they allowed is lost."""
        kept = union.branches
        if len(kept) >= len(own.branches) or not all(any(self._proof.alike(k, b) for b in own.branches) for k in kept):
            return False
        gone = [
            case
            for case, branch in zip(own.cases(base.parts), own.branches, strict=True)
            if not any(self._proof.alike(branch, one) for one in kept)
        ]
        return any(all(self._proof.fits(case, one, self._direction) is Verdict.FAILS for one in kept) for case in gone)

    def _judge(self, place: str, subject: str, forward: Verdict, backward: Verdict) -> Judgement:
        impact = _IMPACTS.get(forward) or ("cosmetic" if backward is Verdict.FITS else "compatible")
        return Judgement(pointer=place, impact=impact, why=why(subject, impact, self._direction))


def _place(shape: Shape, keyword: str, step: str | int) -> str:
    """Return the pointer of a schema below ``keyword``."""
    for part in shape.parts:
        value = part.words.get(keyword, ())
        if step in value if isinstance(value, dict) else isinstance(step, int) and step < len(value):
            return part.child(keyword, step).pointer
    return ""


def _spelled(old: Shape, new: Shape, keyword: str, at: str) -> str:
    """Return the pointer of ``keyword``, in whichever schema has it."""
    words = (keyword, "unevaluatedProperties") if keyword == "additionalProperties" else (keyword,)
    places = (part.place(word) for side in (new, old) for part in side.parts for word in words if word in part.words)
    return next(places, at)


def _places(subject: Subject, old: Shape, new: Shape) -> list[str]:
    """Return where the keywords of a subject stand, each place once."""
    parts = [part for part in old.parts + new.parts if not part.invented]
    places = [part.place(word) for part in parts for word in subject.keywords if word in part.words]
    if subject.name == "values":
        places += [place for side in (old, new) for place in _listed(side)]
    return list(dict.fromkeys(places))


def _statements(subject: Subject, shape: Shape) -> list[str]:
    """Return what a schema says on a subject, as texts that can be compared."""
    words = subject.keywords
    return sorted(token([word, part.words[word]]) for part in shape.parts for word in words if word in part.words)


def _listed(shape: Shape) -> Iterable[str]:
    """Yield the pointers of the unions that only list values."""
    open_places = {union.place for union in shape.unions}
    places = (part.place(word) for part in shape.parts for word in ("anyOf", "oneOf") if word in part.words)
    return (place for place in places if place not in open_places)

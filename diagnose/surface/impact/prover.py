"""Is everything that one schema allows allowed by another? Proved keyword by keyword, within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.surface.impact.alike import Likeness
from diagnose.surface.impact.cases import cases_of, disjoint, misses_all
from diagnose.surface.impact.part import Parts, expand, keys
from diagnose.surface.impact.rules import SUBJECTS
from diagnose.surface.impact.shape import Shape, Union, shape
from diagnose.surface.impact.verdict import Verdict

if TYPE_CHECKING:
    from diagnose.surface.impact.verdict import View

#: Bounds on the work that one pair of schemas may cause. What lies beyond them is `UNKNOWN`.
MAX_STEPS = 10_000
MAX_DEPTH = 25
#: Unions of more branches are compared word for word and no further.
MAX_BRANCHES = 64
_IN_PLACE = ("allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas")


class Proof:
    """All that was found out about one pair of schemas."""

    def __init__(self) -> None:
        self._likeness = Likeness()
        self._shapes: dict[str, Shape] = {}
        self._fits: dict[tuple[str, str, View], Verdict] = {}
        self._declared: dict[str, frozenset[str]] = {}
        self._steps = 0
        self._depth = 0

    def fits(self, sub: Parts, sup: Parts, view: View) -> Verdict:
        """Say whether every instance of ``sub`` is one of ``sup``, by the conventions of ``view``.

        A question that comes up while it is being answered belongs to a cycle, and stays open.
        """
        if not sup or self.alike(sub, sup):
            return Verdict.FITS
        question = (keys(sub), keys(sup), view)
        known = self._fits.get(question)
        if known is not None:
            return known
        if not self.step() or self._depth >= MAX_DEPTH:
            return Verdict.UNKNOWN
        self._fits[question] = Verdict.UNKNOWN
        self._depth += 1
        try:
            self._fits[question] = self._prove(sub, sup, view)
        finally:
            self._depth -= 1
        return self._fits[question]

    def alike(self, left: Parts, right: Parts) -> bool:
        """Say whether two conjunctions assert the same, word for word."""
        return self._likeness.alike(left, right)

    def step(self) -> bool:
        """Count one piece of work; say whether there is still time for it."""
        self._steps += 1
        return self._steps <= MAX_STEPS

    def shape(self, parts: Parts) -> Shape:
        """Read a conjunction, once."""
        known = self._shapes.get(keys(parts))
        if known is None:
            known = self._shapes[keys(parts)] = shape(parts)
        return known

    def declared(self, parts: Parts) -> frozenset[str]:
        """Return the properties that are named anywhere in a conjunction, branches and conditions included."""
        known = self._declared.get(keys(parts))
        if known is None:
            known = self._declared[keys(parts)] = _declared(parts)
        return known

    def covers(self, sub: Parts, union: Union, view: View) -> Verdict:
        """Say whether every instance of ``sub`` passes a union."""
        if not self.step() or len(branches := union.branches) > MAX_BRANCHES:
            return Verdict.UNKNOWN
        if union.keyword == "anyOf" and any(self.alike(sub, branch) for branch in branches):
            return Verdict.FITS
        candidates = [branch for branch in branches if not disjoint(self, sub, branch)]
        if not candidates:
            return Verdict.FAILS
        verdicts = [self.fits(sub, branch, view) for branch in candidates]
        if len(candidates) == 1 or (union.keyword == "anyOf" and Verdict.FITS in verdicts):
            return min(verdicts)
        if misses_all(self, sub, candidates):
            return Verdict.FAILS
        cases = cases_of(self, sub)
        return max((self.covers(case, union, view) for case in cases), default=Verdict.UNKNOWN)

    def open_unions(self, sub: Shape, sup: Shape, view: View) -> tuple[list[Union], list[Union]]:
        """Return the unions of both sides that are left when those that answer each other are taken out."""
        own, wanted = list(sub.unions), list(sup.unions)
        for union in sup.unions:
            match = next((one for one in own if self._same_union(one, union)), None)
            if match is not None:
                own.remove(match)
                wanted.remove(union)
            elif any(self._inherits(sub, one, union, view) for one in own):
                wanted.remove(union)
        return own, wanted

    def _prove(self, sub: Parts, sup: Parts, view: View) -> Verdict:
        left, right = self.shape(sub), self.shape(sup)
        if left.never or right.never:
            return Verdict.FITS if left.never else Verdict.FAILS
        verdict = self._decide(left, right, view)
        return min(verdict, Verdict.UNKNOWN) if vague(left, right) else verdict

    def _decide(self, sub: Shape, sup: Shape, view: View) -> Verdict:
        own, wanted = self.open_unions(sub, sup, view)
        verdict = max(subject.rule(self, sub, sup, view) for subject in SUBJECTS if subject.concerns(sub, sup))
        if verdict is Verdict.FITS and not wanted:
            return verdict
        if not own:
            return max([verdict, *(self.covers(sub.parts, union, view) for union in wanted)])
        if len(own[0].branches) > MAX_BRANCHES:
            return Verdict.UNKNOWN
        rest = _without(sup.parts, [union for union in sup.unions if union not in wanted])
        return max(self.fits(case, rest, view) for case in own[0].cases(sub.parts))

    def _same_union(self, left: Union, right: Union) -> bool:
        pairs = left.branches, right.branches
        if left.keyword != right.keyword or len(pairs[0]) != len(pairs[1]):
            return False
        return all(self.alike(one, other) for one, other in zip(*pairs, strict=True))

    def _inherits(self, sub: Shape, own: Union, wanted: Union, view: View) -> bool:
        """Say whether "exactly one" carries over from one `oneOf` to another.

        An instance is in one old branch and in no other. It must pass one new branch, and each other new branch must
        be out of its reach: disjoint from its own, or inside an old one that it is not in.
        """
        before, after = own.branches, wanted.branches
        if {own.keyword, wanted.keyword} != {"oneOf"} or max(len(before), len(after)) > MAX_BRANCHES:
            return False
        return all(self._one(index, case, before, after, view) for index, case in enumerate(own.cases(sub.parts)))

    def _one(self, index: int, case: Parts, before: list[Parts], after: list[Parts], view: View) -> bool:
        fitting = [place for place, branch in enumerate(after) if self.fits(case, branch, view) is Verdict.FITS]
        return any(
            all(
                place == chosen
                or disjoint(self, case, branch)
                or self._inside(branch, before[:index] + before[index + 1 :])
                for place, branch in enumerate(after)
            )
            for chosen in fitting
        )

    def _inside(self, branch: Parts, others: list[Parts]) -> bool:
        return any(self.fits(branch, other, "plain") is Verdict.FITS for other in others)


def vague(sub: Shape, sup: Shape) -> bool:
    """Say whether ``sub`` may allow less than can be read, in a way that ``sup`` does not share."""
    unread = {fact for part in sub.parts for fact in (*part.malformed, *part.remote)}
    return not unread <= {fact for part in sup.parts for fact in (*part.malformed, *part.remote)}


def _without(parts: Parts, unions: list[Union]) -> Parts:
    for union in unions:
        parts = tuple(part.without(union.keyword) if part.key == union.part.key else part for part in parts)
    return parts


def _declared(parts: Parts) -> frozenset[str]:
    names: set[str] = set()
    seen: set[str] = set()
    stack = list(parts)
    while stack:
        part = stack.pop()
        if part.key in seen:
            continue
        seen.add(part.key)
        names.update(part.words.get("properties", ()))
        for word in _IN_PLACE:
            value = part.words.get(word, ())
            paths = [()] if isinstance(value, dict | bool) and word != "dependentSchemas" else _steps(value)
            stack.extend(one for path in paths for one in expand((part.child(word, *path),)))
    return frozenset(names)


def _steps(value: object) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [(name,) for name in value]
    return [(index,) for index in range(len(value))] if isinstance(value, list) else []

"""Every pair of the table, and that the table leaves nothing out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from diagnose.surface.change import IMPACTS
from diagnose.surface.impact import classify, overall, prover, walk
from diagnose.surface.impact.rules import SUBJECTS, Subject
from diagnose.surface.impact.verdict import Verdict
from diagnose.surface.impact.vocabulary import ANNOTATIONS, ASSERTIONS, HEADER
from tests.unit.surface.impact.table import PAIRS, Pair

_OTHER_DIRECTION = {"input": "output", "output": "input"}
_OTHER_WAY = {"narrow": "widen", "widen": "narrow", "there": "back", "back": "there"}
_OF_THE_TOOL = "a field of the tool itself, which is neither input nor output"

#: Mirrors that cannot be: (rule or its beginning, what is missing) and why.
WAIVERS = {
    ("tool-", "direction"): _OF_THE_TOOL,
    ("annotations-", "direction"): _OF_THE_TOOL,
    ("task-", "direction"): _OF_THE_TOOL,
    ("execution-", "direction"): _OF_THE_TOOL,
    ("output-", "direction"): "what it is to have no output schema; an input schema is never optional",
    ("input-", "direction"): "what it is to have no input schema; that is no tool, while one without output schema is",
}


def _waived(rule: str, missing: str) -> list[tuple[str, str]]:
    return [waiver for waiver in WAIVERS if rule.startswith(waiver[0]) and waiver[1] == missing]


def _told(pair: Pair) -> str:
    judgements = classify(pair.old, pair.new)
    return overall(judgements) if judgements else "nothing"


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_pair(pair: Pair) -> None:
    assert _told(pair) == pair.impact, classify(pair.old, pair.new)


def test_table_is_large_and_names_each_pair_once() -> None:
    assert len(PAIRS) >= 120
    assert len({pair.id for pair in PAIRS}) == len(PAIRS)


def test_every_rule_has_its_mirrors_or_a_waiver() -> None:
    known = {(pair.rule, pair.direction, pair.way) for pair in PAIRS}
    used = set()
    for rule, direction, way in known:
        assert (rule, direction, _OTHER_WAY[way]) in known, f"{rule}: no way back"
        mirrored = (rule, _OTHER_DIRECTION.get(direction, ""), way) in known
        waivers = _waived(rule, "direction")
        assert mirrored or waivers, f"{rule}: no other direction"
        assert not (mirrored and waivers), f"{rule}: a waiver for a mirror that is there"
        used.update(waivers)
    assert used == set(WAIVERS), "a waiver that nothing needs"


def test_every_impact_occurs() -> None:
    assert {pair.impact for pair in PAIRS} == {*IMPACTS, "nothing"}


def _keywords(value: object) -> set[str]:
    if isinstance(value, dict):
        return {*value, *(word for child in value.values() for word in _keywords(child))}
    return {word for child in value for word in _keywords(child)} if isinstance(value, list) else set()


def test_every_keyword_occurs() -> None:
    told = {word for pair in PAIRS for side in (pair.old, pair.new) for word in _keywords(side)}
    assert {*ASSERTIONS, *ANNOTATIONS, HEADER} - {"$recursiveRef", "example", "enumNames", "enumDescriptions"} <= told


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_without_a_rule_some_pair_goes_wrong(subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    blind = replace(subject, rule=lambda *_: Verdict.FITS)
    for module, name in ((prover, "SUBJECTS"), (walk, "PLAIN")):
        monkeypatch.setattr(module, name, tuple(blind if one is subject else one for one in getattr(module, name)))
    words = {*subject.keywords} or {"type"}
    affected = [pair for pair in PAIRS if words & (_keywords(pair.old) | _keywords(pair.new))]
    assert any(_told(pair) != pair.impact for pair in affected)

"""Every pair of the table, and that the table leaves nothing out."""

from __future__ import annotations

import pytest

from diagnose.surface.change import IMPACTS
from diagnose.surface.impact import classify, overall
from diagnose.surface.impact.rules import SUBJECTS
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


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_pair(pair: Pair) -> None:
    judgements = classify(pair.old, pair.new)
    assert (overall(judgements) if judgements else "nothing") == pair.impact, judgements


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


def test_every_subject_decides_something() -> None:
    reasons = {one.why.partition(":")[0] for pair in PAIRS for one in classify(pair.old, pair.new)}
    nested = {"properties", "other properties", "items"}  # told by what lies below them
    assert {subject.name for subject in SUBJECTS} - nested <= reasons

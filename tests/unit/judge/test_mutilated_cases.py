"""Every case with parts of it replaced by what does not belong there: an error that says so, or a verdict; never a crash."""

import copy
import json
import random
from pathlib import Path

import pytest

from diagnose.errors import DiagnoseError
from diagnose.evidence.bundle_form import bundle_of
from diagnose.judge import diagnose

CASES = [json.loads(path.read_text()) for path in sorted((Path(__file__).parents[2] / "cases").glob("*.json"))]
STRANGE = [None, -1, 3.5, "", "x", [], {}, True, [None], [{}], {"name": 3}, {"inline": {"tools": [{"name": "a"}]}}]
ROUNDS = 4


def places(value, way=()):
    yield way
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield from places(child, (*way, key))


def mutilated(case, chance):
    """Put something strange in a few places, or another case's layer beside the own ones."""
    document = copy.deepcopy(case)
    for _ in range(chance.choice((1, 1, 2, 4))):
        way = chance.choice([each for each in places(document) if len(each) > 1] or [()])
        if way:
            holder = document
            for key in way[:-1]:
                holder = holder[key]
            holder[way[-1]] = copy.deepcopy(chance.choice(STRANGE))
    others = chance.choice(CASES)["layers"]
    if others and isinstance(document.get("layers"), dict) and chance.random() < 0.3:
        layer = chance.choice(sorted(others))
        document["layers"][layer] = copy.deepcopy(others[layer])
    return document


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_nothing_strange_is_a_crash(seed):
    chance = random.Random(seed)
    judged = 0
    for case in CASES:
        try:
            diagnosis = diagnose(bundle_of(mutilated(case, chance)))
        except DiagnoseError:
            continue
        judged += 1
        assert not [each for each in diagnosis.checks if "fault of diagnose" in (each.why or "")]
        verdict = diagnosis.verdict
        named = verdict.cause is not None and verdict.layer is not None
        assert named == (verdict.state in {"stale", "broken"})
    assert judged > len(CASES) / 2

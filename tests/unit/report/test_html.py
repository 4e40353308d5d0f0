"""The page: the answer first, the ladder as a picture with words, and nothing in it that could act."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.report.browsed import browsed
from unit.report.held import SHOWN

from diagnose.evidence.bundle_form import bundle_of
from diagnose.evidence.redact import Redactor
from diagnose.judge import diagnose
from diagnose.judge.diagnosis import Candidate, Diagnosis
from diagnose.report.html import diagnosis_html
from diagnose.report.tally import tally
from diagnose.surface import ABSENT

CASES = Path(__file__).parents[2] / "cases"
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)",
    "</style><svg onload=alert(1)>",
    "</title></text></desc></svg><!-- --><![CDATA[ ]]>",
    "javascript:alert(1)",
    "x: diagnose </pre><iframe src=//evil.test>",
    "\x1b[2J\u202etxt.exe\u2028\ud800",
)
#: Fields whose values are ours: words of a closed list that a report looks up.
OURS = {
    "state",
    "layer",
    "severity",
    "relation",
    "kind",
    "impact",
    "confidence",
    "outcome",
    "fail_on",
    "older",
    "newer",
}

#: The same of what is told of recorded sessions.
OURS_OF_SESSIONS = {"purpose", "standing", "hop", "transport", "ended"}


def case(number: str) -> Diagnosis:
    (path,) = CASES.glob(f"{number}-*.json")
    return diagnose(bundle_of(json.loads(path.read_text())))


def page(diagnosis: Diagnosis):
    return browsed(diagnosis_html(diagnosis, Redactor()))


def poisoned(value, text):
    """Return a result with a text in every place where a stranger's could come to stand."""
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(
            value, **{name: kept if name in OURS else poisoned(kept, text) for name, kept in fields.items()}
        )
    if isinstance(value, str):
        return text
    if isinstance(value, dict):
        return {key: kept if key in OURS | OURS_OF_SESSIONS else poisoned(kept, text) for key, kept in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(poisoned(item, text) for item in value)
    return value


SCENES = {**SHOWN, **{number: case(number) for number in ("002", "001", "015", "027", "101", "238", "269")}}


@pytest.mark.parametrize("name", SCENES)
def test_the_answer_comes_first_with_what_and_why_and_the_steps(name):
    diagnosis, seen = SCENES[name], page(SCENES[name])
    verdict, text = diagnosis.verdict, seen.text
    word = {"in-sync": "IN SYNC", "stale": "STALE", "broken": "BROKEN", "inconclusive": "INCONCLUSIVE"}[verdict.state]
    assert text.index(word) < text.index("What to do next") < text.index("The ladder") < text.index("Checks")
    assert verdict.cause is None or verdict.cause in text[: text.index("What to do next")]
    assert seen.elements.index("ol") < seen.elements.index("svg")
    assert f"{tally(diagnosis.checks)}. Exit code {diagnosis.exit_code}." in text


@pytest.mark.parametrize("name", SCENES)
def test_the_picture_says_of_every_layer_in_words_what_it_shows(name):
    diagnosis = SCENES[name]
    seen = diagnosis_html(diagnosis, Redactor())
    picture = re.search("<svg.*?</svg>", seen, re.DOTALL)[0]
    described = re.search("<desc[^>]*>(.*?)</desc>", picture)[1]
    for row in diagnosis.layers:
        assert f">{row['layer']}</text>" in picture
        assert f"{row['layer']}: " in described
    assert picture.count(">not observed</text>") == sum(not row["observed"] for row in diagnosis.layers)


def test_a_picture_tells_same_from_different_by_word_sign_and_shape():
    picture = diagnosis_html(case("101"), Redactor())
    assert re.search(r'<rect [^>]*class="plate on-good"></rect><text [^>]*>= same</text>', picture)
    assert re.search(r'<polygon [^>]*class="plate on-doubt"></polygon><text [^>]*>≠ differs</text>', picture)


def test_a_difference_that_does_not_count_is_no_difference():
    picture = diagnosis_html(case("238"), Redactor())
    assert "~ changed</text>" in picture
    assert "≠ differs</text>" not in picture


def test_many_comparisons_never_lie_over_each_other():
    pair = case("101").comparisons[1]
    sides = [("origin", "model"), ("manifest", "registry"), ("deployed", "path"), ("path", "model"), ("wire", "model")]
    pairs = tuple(dataclasses.replace(pair, older=older, newer=newer) for older, newer in sides * 2)
    picture = diagnosis_html(dataclasses.replace(case("101"), comparisons=pairs), Redactor())
    places = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" class="small strong middle', picture)
    assert len(places) == len(set(places)) >= 4
    assert all(float(x) < 346 for x, _ in places)


@pytest.mark.parametrize("name", ["changed", "015", "027", "many"])
@settings(deadline=None, max_examples=10)
@given(text=st.sampled_from(HOSTILE) | st.text())
def test_nothing_that_a_stranger_says_becomes_markup(name, text):
    diagnosis = SCENES[name]
    suspect = Candidate(cause=text, state="stale", layer="wire", confidence="possible", summary=text)
    verdict = dataclasses.replace(diagnosis.verdict, candidates=(*diagnosis.verdict.candidates, suspect))
    seen = page(poisoned(dataclasses.replace(diagnosis, verdict=verdict), text))
    assert seen.elements.count("main") == 1
    # Names that have become one have one sign in the legend.
    assert 1 <= seen.elements.count("svg") <= page(diagnosis).elements.count("svg")
    assert all(char.isprintable() or char == "\n" for char in seen.text)


def test_what_is_long_is_cut_and_says_so():
    seen = page(SCENES["many"]).text
    assert "tool_119" in seen
    changes = SCENES["many"].comparisons[0].changes
    longer = dataclasses.replace(SCENES["many"].comparisons[0], changes=changes * 2)
    assert (
        f"and {len(changes) * 2 - 200} more changes"
        in page(dataclasses.replace(SCENES["many"], comparisons=(longer,))).text
    )


def test_both_values_of_a_change_stand_in_it():
    text = page(SCENES["changed"]).text
    assert "/inputSchema/required/1" in text
    assert all(
        detail.was is not ABSENT or detail.now is not ABSENT
        for detail in SCENES["changed"].comparisons[0].changes[0].details
    )
    assert "+ added" in text
    long = page(SCENES["lock_long"]).text
    assert 'w w old"' in long
    assert 'w w new"' in long


def test_what_is_to_be_typed_stands_apart():
    seen = diagnosis_html(case("026"), Redactor())
    assert "If its status says <code>cached</code>, use" in seen
    assert "`" not in page(case("026")).text

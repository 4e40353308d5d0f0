"""`explain`: every name of a report has its words, and an unknown one its neighbours."""

from typing import get_args

import pytest

from diagnose.errors import UsageError
from diagnose.evidence.observation import LAYERS
from diagnose.jobs.explain import explain, names, topics
from diagnose.judge import glossary
from diagnose.judge.catalogue import CATALOGUE
from diagnose.judge.checks import CHECKS
from diagnose.judge.diagnosis import Confidence, State
from diagnose.surface import IMPACTS, Relation


def test_every_word_of_a_report_is_explained():
    assert set(glossary.LAYER_WORDS) == set(LAYERS)
    assert set(glossary.STATE_WORDS) == set(get_args(State))
    assert set(glossary.CONFIDENCE_WORDS) == set(get_args(Confidence))
    assert set(glossary.RELATION_WORDS) == set(get_args(Relation))
    assert set(glossary.IMPACT_WORDS) == set(IMPACTS)
    assert set(glossary.EXIT_CODE_WORDS) == {0, 1, 2, 3, 4, 70, 130}


@pytest.mark.parametrize("name", sorted(names()))
def test_whatever_is_listed_can_be_explained(name):
    found = explain(name)
    assert found.name == name
    assert found.kinds
    assert all(found.facts.values())


def test_causes_and_checks_are_all_listed():
    assert set(CATALOGUE) | set(CHECKS) <= set(names())
    assert [topic.name for topic in topics()["layers"]] == list(LAYERS)


def test_a_cause_that_is_also_a_check_is_explained_as_both():
    found = explain("cursor-loop")
    assert found.kinds == ("cause", "check")
    assert found.facts["It means"] == CATALOGUE["cursor-loop"].meaning
    assert found.facts["Why it matters"] == CHECKS["cursor-loop"].why
    assert found.facts["Source"]
    assert found.facts["Goes behind"] == "cursor-empty-string"


def test_every_need_has_words():
    for name in CHECKS:
        assert all(len(need.split()) > 2 for need in explain(name).facts["Needs"].split("; ") if need != "nothing"), (
            name
        )


def test_a_rule_leaves_the_verdict_open():
    assert "open" in explain("unreachable").facts["State"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("70", "exit code"),
        ("exit-3", "exit code"),
        (" Origin ", "layer"),
        ("stale", "state"),
        ("Era", "term"),
        ("differs", "mark"),
    ],
)
def test_names_are_taken_as_people_write_them(name, kind):
    assert kind in explain(name).kinds


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("revison-mismatch", "revision-mismatch"),
        ("cursor_loop", "cursor-loop"),
        ("quite unlike anything", "lists them all"),
        ("", "lists them all"),
        ("9" * 5000, "lists them all"),
    ],
)
def test_an_unknown_name_is_wrong_usage_with_what_was_meant(name, near):
    with pytest.raises(UsageError) as caught:
        explain(name)
    assert near in caught.value.diagnostics()
    assert caught.value.exit_code == 2

"""Which cause goes first (causes.md, rule 2), and what one cause explains away."""

import pytest

from diagnose.judge.candidates import candidates, settle
from diagnose.judge.catalogue import CATALOGUE
from diagnose.judge.diagnosis import Finding


def error(rule, layer=None, confidence="proven", severity="error"):
    row = CATALOGUE.get(rule)
    where = layer or (row.layers[0] if row else "origin")
    return Finding(rule=rule, severity=severity, layer=where, message=f"{rule}.", confidence=confidence)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (error("mixed-builds", confidence="likely"), error("invalid-definition")),  # the earlier layer
        (error("manifest-gated"), error("cursor-loop")),
        (error("wire-corrupt"), error("surface-changed")),  # the past stands beside the ladder, behind it
        (error("manifest-disagrees", confidence="possible"), error("invalid-definition")),  # stale before broken
        (error("count-mismatch"), error("name-collision", confidence="likely")),  # then the surer
        (error("revision-mismatch"), error("count-mismatch")),  # then the order of the catalogue
        (error("count-mismatch"), error("wrong-id")),  # what has no row stands behind what has one
    ],
)
def test_the_order_of_competing_causes(first, second):
    for findings in ([first, second], [second, first]):
        assert [each.cause for each in candidates(findings)] == [first.rule, second.rule]


def test_an_error_without_a_row_is_broken_where_it_was_seen():
    (only,) = candidates([error("wrong-id", layer="path")])
    assert (only.cause, only.state, only.layer) == ("wrong-id", "broken", "path")


def test_warnings_and_notes_are_no_candidates():
    assert candidates([error("order-unstable", severity="warning"), error("surface-changed", severity="note")]) == ()


def test_a_cause_is_named_once_a_layer_by_its_surest_finding():
    found = candidates([error("invalid-definition", confidence="likely"), error("invalid-definition")])
    assert [each.confidence for each in found] == ["proven"]


def test_what_another_cause_explains_is_a_note_beside_it():
    explained, cause = settle([error("manifest-disagrees"), error("page-mixed-snapshot")])
    assert explained.severity == "note"
    assert "page-mixed-snapshot explains it" in explained.message
    assert cause.severity == "error"


def test_nothing_is_explained_by_what_is_no_error():
    explained, _ = settle([error("manifest-disagrees"), error("page-mixed-snapshot", severity="note")])
    assert explained.severity == "error"

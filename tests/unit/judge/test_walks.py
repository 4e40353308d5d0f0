"""What several walks of one list show together."""

from dataclasses import replace

import pytest
from unit.judge.looks import ORCHARD, PICK, PRESS, RIPEN, failing, origin, walks

from diagnose.judge.walks import Walks

LISTS = {"A": ORCHARD, "B": [*ORCHARD, PRESS], "C": [PICK]}


@pytest.mark.parametrize(
    ("lists", "sessions", "pattern"),
    [
        ("A", None, "single"),
        ("AA", None, "steady"),
        ("AAAA", None, "steady"),
        ("ABB", None, "changed"),
        ("AAB", None, "open"),
        ("AB", None, "open"),
        ("ABC", None, "open"),
        ("ABCC", None, "changed"),
        ("ABA", None, "skew"),
        ("ABAB", None, "skew"),
        ("ABCA", None, "skew"),
        ("ABBA", "abca", "frozen"),  # the first session keeps what the later ones no longer get
        ("ABA", "aba", "frozen"),
        ("ABAB", "abab", "frozen"),
        ("ABBB", "abca", "changed"),
        ("ABAA", "abca", "skew"),  # a new session got the old list again: no matter of age
        ("ABA", "aaa", "skew"),  # one session, and it alternates
    ],
)
def test_the_order_of_lists_and_sessions_makes_the_pattern(lists, sessions, pattern):
    assert Walks.of(walks(*(LISTS[letter] for letter in lists), sessions=sessions)).pattern == pattern


def test_nothing_was_walked():
    assert Walks.of(None).pattern == "none"
    assert Walks.of(failing("origin", "list-error")).pattern == "none"


def test_order_and_icons_make_no_other_list():
    icon = {**RIPEN, "icons": [{"src": "https://orchard.test/i.png"}]}
    assert Walks.of(walks(ORCHARD, list(reversed(ORCHARD)), [*ORCHARD[:2], icon])).lists == (0, 0, 0)


def test_instructions_are_part_of_the_list():
    said = [replace(origin(), surface=replace(origin().surface, instructions=text)) for text in ("Pick.", "Prune.")]
    assert Walks.of(replace(said[1], samples=tuple(said))).lists == (0, 1)


def test_incomplete_walks_and_other_principals_stand_aside():
    mine, theirs = origin(principal="a"), origin(LISTS["B"], principal="b")
    cut = replace(origin(LISTS["C"], principal="a"), complete=False)
    found = Walks.of(replace(mine, samples=(theirs, cut, mine, mine)))
    assert found.pattern == "steady"
    assert found.others == (theirs,)

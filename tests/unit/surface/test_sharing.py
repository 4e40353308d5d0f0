"""Equal entries are shared; what differs in anything is not."""

import copy

import pytest

from diagnose.surface.sharing import Known

ENTRY = {"name": "a", "inputSchema": {"type": "object", "properties": {"n": {"default": 1}}}, "é🧭": None}


def test_what_is_equal_is_the_same_object():
    (shared,) = Known([ENTRY]).share([copy.deepcopy(ENTRY)])
    assert shared is ENTRY


def test_what_was_new_is_known_from_then_on():
    known = Known([])
    first, again = known.share([copy.deepcopy(ENTRY), copy.deepcopy(ENTRY)])
    assert first is again is known.share([copy.deepcopy(ENTRY)])[0]
    assert first is not ENTRY


@pytest.mark.parametrize("number", [1.0, True, 2, "1", None])
def test_what_differs_in_anything_stays_itself(number):
    other = copy.deepcopy(ENTRY)
    other["inputSchema"]["properties"]["n"]["default"] = number
    (shared,) = Known([ENTRY]).share([other])
    assert shared is other


def test_another_order_of_keys_stays_itself():
    other = dict(reversed(ENTRY.items()))
    assert Known([ENTRY]).share([other])[0] is other


def test_order_and_number_of_entries_stay():
    assert Known([ENTRY]).share([3, ENTRY, "x", ENTRY]) == [3, ENTRY, "x", ENTRY]
    assert Known([]).share([ENTRY])[0] is ENTRY

"""What a tool may be called by a policy, from what it is called on the wire."""

from __future__ import annotations

import pytest

from diagnose.statesync import Policy, PolicyEngine, Resolution, is_reading, readings, resolve_wire_name
from diagnose.statesync.names import MAX_SPLITS, Reading


@pytest.mark.parametrize(
    ("wire_name", "separator", "names"),
    [
        ("billing_refund", "_", ("billing.refund", "billing_refund", "billing_refund.default")),
        (
            "billing_get_invoice",
            "_",
            (
                "billing.get_invoice",
                "billing_get.invoice",
                "billing.get.invoice",
                "billing_get_invoice",
                "billing_get_invoice.default",
            ),
        ),
        ("billing.refund", ".", ("billing.refund", "billing.refund.default")),
        ("refund", "_", ("refund", "refund.default")),
        ("a__b", "__", ("a.b", "a__b", "a__b.default")),
        ("_a_", "_", (".a.", "_a_", "_a_.default")),
    ],
)
def test_readings(wire_name, separator, names):
    assert readings(wire_name, separator) == names


@pytest.mark.parametrize(
    ("cause", "wire_name", "separator", "same"),
    [
        ("billing.refund", "billing_refund", "_", True),
        ("billing.refund", "billing.refund", ".", True),
        ("stock", "stock", "_", True),
        ("archive.default", "archive", "_", True),
        ("billing.void", "billing_refund", "_", False),
        ("billing.refund", "mail_read", "_", False),
        ("billing.refund", "billing_refund", ".", False),
    ],
)
def test_whether_a_cause_is_the_call(cause, wire_name, separator, same):
    assert is_reading(cause, wire_name, separator) is same


def test_a_name_of_nothing_but_separators_has_few_readings():
    assert len(readings("_" * 100_000)) <= MAX_SPLITS + 3


def test_the_reading_that_a_policy_fits_decides():
    engine = PolicyEngine([Policy("billing_get.invoice", cache_control="immutable")], "no-store")
    found = resolve_wire_name(engine, "billing_get_invoice")
    assert found == Reading(name="billing_get.invoice", resolution=Resolution(cache_control="immutable", position=0))


def test_without_a_policy_the_likeliest_stands():
    found = resolve_wire_name(PolicyEngine([], "no-store"), "billing_get_invoice")
    assert found == Reading(name="billing.get_invoice", resolution=Resolution(cache_control="no-store"))


def test_where_two_policies_could_be_meant_both_are_told():
    engine = PolicyEngine(
        [Policy("*.invoice", cache_control="no-store"), Policy("billing.*", cache_control="immutable")]
    )
    found = resolve_wire_name(engine, "billing_get_invoice")
    assert (found.name, found.resolution.position, found.rivals) == ("billing.get_invoice", 1, ("billing_get.invoice",))

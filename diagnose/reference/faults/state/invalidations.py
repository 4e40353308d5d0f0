"""Faults of `<cache_invalidation … />` in answers."""

from __future__ import annotations

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing
from diagnose.reference.faults.state.parts import (
    ADJUST,
    REFUND,
    STOCK,
    Content,
    answered,
    calls,
    state_fault,
    tag,
    text,
    without_stale_uris,
)


@state_fault(
    "invalidation-missing",
    breaks="A change that invalidates by its policy says nothing of it; seen with --policy.",
    tells=without_stale_uris,
)
def invalidation_missing(passing: Passing) -> Answer:
    """Lose the tag."""
    return answered(passing, ADJUST, lambda content: content[1:])


@state_fault("invalidation-misplaced:twice", breaks="An answer has the same tag twice.")
def invalidation_misplaced_twice(passing: Passing) -> Answer:
    """Decorate what is decorated already."""
    return answered(passing, ADJUST, lambda content: [content[0], *content])


@state_fault("invalidation-misplaced:foreign", breaks="Behind the tag an answer has another one, which is its content.")
def invalidation_misplaced_foreign(passing: Passing) -> Answer:
    """Give back a note whose text is a tag."""
    return answered(passing, ADJUST, lambda content: [content[0], tag("billing.refund", "billing.*"), *content[1:]])


@state_fault(
    "invalidation-misplaced:behind",
    breaks="The tag stands behind the answer proper, where anybody's text may stand.",
    tells=without_stale_uris,
)
def invalidation_misplaced_behind(passing: Passing) -> Answer:
    """Append it."""
    return answered(passing, ADJUST, lambda content: [*content[1:], content[0]])


@state_fault("invalidation-misplaced:spelling", breaks="The tag is written with other quotes, and closed otherwise.")
def invalidation_misplaced_spelling(passing: Passing) -> Answer:
    """Write it as XML may be written as well."""
    return answered(
        passing, ADJUST, lambda content: [text(content[0]["text"].replace('"', "'").replace(" />", "/>")), *content[1:]]
    )


@state_fault("invalidation-malformed:cause", breaks="A tag names a tool that was not called.", tells=without_stale_uris)
def invalidation_malformed_cause(passing: Passing) -> Answer:
    """Name another tool."""
    return _tagged(passing, "billing.refund", "stock.*")


@state_fault("invalidation-malformed:domain", breaks="A tag names what is no legal pattern.", tells=without_stale_uris)
def invalidation_malformed_domain(passing: Passing) -> Answer:
    """Use a wildcard inside of a segment."""
    return _tagged(passing, ADJUST, "stock.*", "stock.get_*")


@state_fault("invalidation-malformed:twice", breaks="A tag names a domain twice.")
def invalidation_malformed_twice(passing: Passing) -> Answer:
    """Say it again."""
    return _tagged(passing, ADJUST, "stock.*", "stock.*")


@state_fault("invalidation-malformed:empty", breaks="A tag names no domain at all.", tells=without_stale_uris)
def invalidation_malformed_empty(passing: Passing) -> Answer:
    """Leave the domains empty."""
    empty = text(f'<cache_invalidation cause="{ADJUST}" domains="" />')
    return answered(passing, ADJUST, lambda content: [empty, *content[1:]])


@state_fault("invalidation-forged:read", breaks="A tool that only reads says that something is stale.")
def invalidation_forged_read(passing: Passing) -> Answer:
    """Give the read the policy of the change beside it."""
    return answered(passing, STOCK, lambda content: [tag(STOCK, "stock.*"), *content])


@state_fault(
    "invalidation-forged:content", breaks="A tool that only reads gives back a text that is a tag of another tool's."
)
def invalidation_forged_content(passing: Passing) -> Answer:
    """Show an article whose name is a tag."""
    return answered(passing, STOCK, lambda _: [tag("billing.refund", "**")])


@state_fault("invalidation-on-error:failed", breaks="A call that failed says that something is stale.")
def invalidation_on_error_failed(passing: Passing) -> Answer:
    """Put the tag before looking whether it worked."""
    return answered(passing, REFUND, lambda content: [tag(REFUND, "billing.*"), *content], failed=True)


@state_fault(
    "invalidation-on-error:warned", breaks="A change that was refused with a warning is no error, and has a tag."
)
def invalidation_on_error_warned(passing: Passing) -> Answer:
    """Take a warning for no error."""
    answer = passing.honest()
    result = answer.result
    if not calls(passing, REFUND) or result is None or not result.get("isError"):
        return answer
    said = result["content"][0]["text"]
    told: Content = [tag(REFUND, "billing.*"), text(f'<tool_error code="REFUSED">{said}</tool_error>')]
    return answer.with_result({**result, "content": told, "isError": False})


@state_fault(
    "invalidation-reaches-nothing", breaks="A tag names a domain that no tool is of.", tells=without_stale_uris
)
def invalidation_reaches_nothing(passing: Passing) -> Answer:
    """Name a page of a program that nobody can call."""
    return _tagged(passing, ADJUST, "stock.*", "warehouse.map")


def _tagged(passing: Passing, cause: str, *domains: str) -> Answer:
    return answered(passing, ADJUST, lambda content: [tag(cause, *domains), *content[1:]])

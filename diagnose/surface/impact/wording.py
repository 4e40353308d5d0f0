"""Short reasons for judgements on schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from diagnose.surface.change import Impact

_EFFECTS: dict[str, dict[Impact, str]] = {
    "input": {
        "breaking": "accepts less than before",
        "unclear": "whether all that was accepted still is cannot be decided",
        "compatible": "accepts all that it did, and may accept more",
        "cosmetic": "means the same",
    },
    "output": {
        "breaking": "promises less than before",
        "unclear": "whether all promises are kept cannot be decided",
        "compatible": "keeps its promises, and may promise more",
        "cosmetic": "means the same",
    },
}
_MEMBERS: dict[tuple[str, str], str] = {
    ("gained property", "input"): "a property that nobody has to send",
    ("gained property", "output"): "a property that was not promised before",
    ("lost property", "input"): "a property that callers were told of is gone",
    ("lost property", "output"): "a property that callers were told of is no longer promised",
}


def why(subject: str, impact: Impact, direction: Literal["input", "output"]) -> str:
    """Return the reason for an impact: the subject, and what became of it."""
    special = _MEMBERS.get((subject, direction))
    if special and (impact == "compatible") is (subject == "gained property"):
        return special
    return f"{subject}: {_EFFECTS[direction].get(impact, 'changed')}"

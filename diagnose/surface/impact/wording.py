"""Short reasons for judgements on schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from diagnose.surface.change import Impact

_EFFECTS: dict[str, dict[Impact, str]] = {
    "input": {
        "breaking": "takes less than it did",
        "unclear": "whether it takes what it took is beyond deciding",
        "compatible": "takes all that it took, and more",
        "cosmetic": "means the same",
    },
    "output": {
        "breaking": "promises less than it did",
        "unclear": "whether it keeps what it promised is beyond deciding",
        "compatible": "promises all that it promised, and more",
        "cosmetic": "means the same",
    },
}
_MEMBERS: dict[tuple[str, str], str] = {
    ("gained property", "input"): "a property that nobody has to send",
    ("gained property", "output"): "a property that was not promised before",
    ("lost property", "input"): "a property that callers were told of is taken no more",
    ("lost property", "output"): "a property that callers were told of is promised no more",
}


def why(subject: str, impact: Impact, direction: Literal["input", "output"]) -> str:
    """Return the reason for an impact: the subject, and what became of it."""
    special = _MEMBERS.get((subject, direction))
    if special and (impact == "compatible") is (subject == "gained property"):
        return special
    return f"{subject}: {_EFFECTS[direction].get(impact, 'changed')}"

"""How the checks ended, in one line: what was not verified or not shown is told wherever the answer is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diagnose.judge.diagnosis import CheckResult, Outcome

_ORDER: tuple[Outcome, ...] = ("passed", "failed", "not-verified", "suppressed")


def tally(checks: Sequence[CheckResult]) -> str:
    """Return the number of checks of each outcome: `20 passed, 1 failed, 3 not verified`; empty without checks."""
    outcomes = Counter(result.outcome for result in checks)
    return ", ".join(f"{outcomes[each]} {each.replace('-', ' ')}" for each in _ORDER if outcomes[each])

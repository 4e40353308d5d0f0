"""How an error becomes evidence: what could not be observed, and why, as a value."""

from __future__ import annotations

from diagnose.errors import ObservationError
from diagnose.evidence.observation import Failure


def failure_of(error: ObservationError, *, where: str = "") -> Failure:
    """Return the failure that the judge reads for this error; status and code come from the error's arguments."""
    facts = dict(error.args_by_name)
    code, status = facts.pop("code", None), facts.pop("status", None)
    return Failure(
        rule=error.rule,
        message=str(error),
        code=code if isinstance(code, int) else None,
        status=status if isinstance(status, int) else None,
        where=where or str(facts.pop("where", "")),
        args=facts,
    )

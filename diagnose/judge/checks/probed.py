"""What the checks of a server's promises need: answers to odd requests, and lists read in other ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diagnose.evidence.observation import Observation
from diagnose.evidence.probes import Beside, Probes
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_list, two_walks
from diagnose.judge.checks.registry import Need

_NOBODY = "nobody tried: `diagnose check` does"


def probed(case: Case) -> str | None:
    """Require that the server was tried out, and that its list was read."""
    return _NOBODY if case.bundle.probes is None else origin_list(case)


def _tried(name: str, what: str, look: Callable[[Probes], Any]) -> Need:
    """Return the need for one kind of probe; the observer's reason stands where it was not sent."""

    def need(case: Case) -> str | None:
        probes = case.bundle.probes
        if probes is None:
            return _NOBODY
        return None if look(probes) else probes.unmet.get(name, f"it was not tried whether {what}")

    need.__doc__ = f"Require that it was tried whether {what}."
    need.__name__ = name
    return need


invented_cursor = _tried("bogus_cursor", "an invented cursor is refused", lambda probes: answered(probes.bogus_cursor))
old_cursor = _tried("cursor_again", "a cursor outlives its walk", lambda probes: probes.cursor_again)
asked_beside = _tried("beside", "the list outlives other requests", lambda probes: _read_twice(probes.beside))
contradictions = _tried(
    "headers", "headers that contradict the body are refused", lambda probes: any(map(answered, probes.headers))
)
removed_methods = _tried(
    "removed", "methods that are no more are refused", lambda probes: any(map(answered, probes.removed))
)
modern_only = _tried(
    "initialize", "a server without the older era answers `initialize`", lambda probes: answered(probes.initialize)
)
versions = _tried("versions", "versions are accepted", lambda probes: probes.versions)
other_hints = _tried("hints", "other results carry caching hints", lambda probes: probes.hints)
without_credential = _tried(
    "anonymous", "the list comes without a credential", lambda probes: answered(probes.anonymous)
)
second_refused = _tried("second", "the second credential is taken", lambda probes: probes.second)


def _read_twice(beside: Beside | None) -> bool:
    first = beside.rounds[0] if beside is not None else None
    return first is not None and first.before.surface is not None and first.after.surface is not None


def answered(answer: Any) -> bool:
    """Tell whether a request was answered at all."""
    return answer is not None and (answer.why is None or answer.status in {401, 403})


def other_era(case: Case) -> str | None:
    """Require that the list was read in both eras, as one principal."""
    own = _own(case)
    both = own is not None and any(
        each.era != own.era and each.principal == own.principal for each in case.walks.others
    )
    return None if both else origin_list(case) or _unmet(case, "other_era", "the list was read in one era")


def second_principal(case: Case) -> str | None:
    """Require that the list was read as two principals, in one era."""
    missing = "the list was read as one principal; name another one with --second-auth"
    return None if others(case) else origin_list(case) or _unmet(case, "second_principal", missing)


def modern_hints(case: Case) -> str | None:
    """Require a whole list of the modern era, with what the server said about keeping it."""
    missing = origin_list(case)
    if missing is None and not modern_walks(case):
        return "the list is not of the modern era, which alone has caching hints"
    return missing


def modern_walks_twice(case: Case) -> str | None:
    """Require two walks of a modern list."""
    return two_walks(case) or modern_hints(case)


def modern_walks(case: Case) -> tuple[Observation, ...]:
    """Return the complete walks of the modern era whose hints are known."""
    every = (*case.walks.others, *case.walks.walks)
    return tuple(walk for walk in every if walk.era == "modern" and (walk.pages or walk.ttl_ms is not None))


def others(case: Case) -> tuple[Observation, ...]:
    """Return the walks of other principals, in the era of the newest walk."""
    own = _own(case)
    return tuple(each for each in case.walks.others if own and each.principal != own.principal and each.era == own.era)


def _own(case: Case) -> Observation | None:
    return case.walks.walks[-1] if case.walks.walks else None


def _unmet(case: Case, name: str, otherwise: str) -> str:
    probes = case.bundle.probes
    return otherwise if probes is None else probes.unmet.get(name, otherwise)

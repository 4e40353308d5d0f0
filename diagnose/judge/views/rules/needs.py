"""What the rules of views need, each with the words for a report that has to say it was not there."""

from __future__ import annotations

from diagnose.evidence.observation import LayerName
from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Need
from diagnose.judge.ladder import why_not


def _beside(layer: LayerName, what: str) -> Need:
    def need(case: Case) -> str | None:
        seen = case.observation(layer)
        if seen is None:
            return why_not(case.bundle, layer)
        if case.view(layer) is not None:
            return None
        if seen.surface is None:
            return seen.failure.message if seen.failure is not None else f"{what} was not read to its end"
        return f"there is no list of the server beside {what}"

    need.__doc__ = f"Require {what}, and a list before it."
    need.__name__ = layer
    return need


path = _beside("path", "the list through the path")
registry = _beside("registry", "the list that the client holds")
model = _beside("model", "the list that the model is offered")


def client_view(case: Case) -> str | None:
    """Require what the client holds or what its model is offered, and a list before it."""
    missing = registry(case)
    return None if missing is None or model(case) is None else missing


def policy(case: Case) -> str | None:
    """Require lists of allowed or denied tools, and a list of live ones."""
    entry = case.bundle.client
    if entry is None or not (entry.allow or entry.deny or entry.approve):
        return "no lists of allowed or denied tools were given"
    return None if live_names(case) else "no list of the server was read to its end"


def live_names(case: Case) -> tuple[str, ...]:
    """Return the names of the tools that the server has now, as far as anybody saw."""
    view = next((each for each in case.views if each.layer == "registry"), None)
    if case.listed is not None:
        return case.listed.names
    if view is not None:
        return view.whole.names
    return next((each.held.surface.names for each in reversed(case.standings) if each.held and each.held.surface), ())

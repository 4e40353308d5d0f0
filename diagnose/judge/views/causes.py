"""Why a client's view differs: the explanations in the order in which they are asked, each with the evidence it demands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Look, Need, Seen, also
from diagnose.judge.views.rules import needs
from diagnose.judge.views.view import View
from diagnose.judge.words import counted, told

Explanation: TypeAlias = Callable[[Case, View], Seen | None]

#: Layer by layer, in the order in which they are asked: the first that has its evidence is the one to give.
ORDER: dict[str, tuple[str, ...]] = {
    "registry": (
        "schema-rejects-all",
        "schema-rejects-one",
        "name-collision",
        "scope-leak",
        "auth-view-diff",
        "startup-race",
        "empty-poisoned",
        "client-cap",
        "page-truncated",
        "hosted-snapshot",
        "ttl-window",
        "client-discards-fresh",
        "client-registry-stale",
    ),
    "model": ("startup-race", "turn-boundary", "client-index-stale"),
}
_KNOWN: dict[tuple[str, str], Explanation] = {}
_NEEDS: dict[str, Need] = {"registry": needs.registry, "model": needs.model}


def explains(name: str, layer: str) -> Callable[[Explanation], Look]:
    """Declare an explanation of a view that differs; it is a way to see the check of that name."""

    def register(explanation: Explanation) -> Look:
        _KNOWN[layer, name] = explanation

        def look(case: Case) -> Iterable[Seen]:
            return _named(case, name, layer)

        look.__doc__ = explanation.__doc__
        return also(name, needs=(_NEEDS[layer],))(look)

    return register


def explaining(name: str, layer: str) -> Callable[[Explanation], Look]:
    """Return the look of a check that is nothing but such an explanation."""

    def register(explanation: Explanation) -> Look:
        _KNOWN[layer, name] = explanation

        def look(case: Case) -> Iterable[Seen]:
            return _named(case, name, layer)

        look.__doc__, look.__module__ = explanation.__doc__, explanation.__module__
        return look

    return register


def _named(case: Case, name: str, layer: str) -> Iterator[Seen]:
    view = case.view("registry" if layer == "registry" else "model")
    if view is None or not (view.differs or (view.beyond is not None and view.beyond.differs)):
        return
    for each in ORDER[layer]:
        seen = _KNOWN[layer, each](case, view)
        if seen is not None:
            if each == name:
                yield seen
            return


def facts(view: View) -> dict[str, Any]:
    """Return what sets a view apart, as arguments of a finding."""
    parts = {"missing": view.missing, "extra": view.extra, "altered": view.altered}
    return {name: list(names[:50]) for name, names in parts.items() if names}


def what(view: View) -> str:
    """Return the same in words: `lacks press_cider; still has old_press`."""
    parts = [(view.missing, "lacks"), (view.extra, "still has"), (view.altered, "has an older")]
    said = [f"{verb} {told(list(names))}" for names, verb in parts if names]
    return "; ".join(said) or "differs"


def evidence(view: View, *more: str) -> tuple[str, ...]:
    """Return what a comparison stands on: the two sides, and frames."""
    named = [f"{place}: {told(list(names))}" for place, names in _sides(view) if names]
    return (
        *view.frames,
        f"{view.side}: {counted(view.live.count, 'tool')}",
        f"{view.layer}: {counted(view.held.count, 'tool')}",
        *named,
        *more,
    )


def _sides(view: View) -> Iterator[tuple[str, Sequence[str]]]:
    yield f"only {view.side}", view.missing
    yield f"only {view.layer}", view.extra

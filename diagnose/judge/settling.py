"""What would settle an open verdict: steps in the order in which a triage asks, the server before the gateway and the client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from diagnose.evidence.observation import LayerName
from diagnose.judge.case import Case
from diagnose.judge.walks import surface_of

if TYPE_CHECKING:
    from diagnose.clients import Client
    from diagnose.judge.diagnosis import Comparison

_CLIENT: tuple[LayerName, ...] = ("registry", "model")


def settling(case: Case) -> Iterator[str]:
    """Yield the steps, as templates over the commands of `advice.commands`."""
    bundle = case.bundle
    if bundle.origin is None and bundle.target.endpoint and not bundle.live:
        yield "Ask the server itself, beside what is known already: {beside}"
    elif case.listed is None:
        yield "When the server lists again: {again}"
    elif _moves(case):
        yield "Look again when the server is quiet: {again}"
    if bundle.path is not None and surface_of(bundle.path) is None:
        yield "Ask through the gateway again once it answers: {path}"
    if any(map(_of_two_callers, case.comparisons)):
        yield "Read the server's list with the authorization that the client has: {authorized}"
    yield from _of_the_client(case)
    if case.listed is not None and bundle.baseline is None and bundle.only_server_and_past:
        yield "Keep a snapshot, so that the next look has a past to compare with: {save}"


def _moves(case: Case) -> bool:
    """Tell whether the server's own lists differ, so that only another look shows which one stays."""
    return case.walks.pattern not in {"none", "single", "steady"}


def _of_two_callers(pair: Comparison) -> bool:
    """Tell whether a client's list could not be held to the server's for being another caller's."""
    return pair.older in {"registry", "model"} and "authorization" in (pair.why or "")


def _of_the_client(case: Case) -> Iterator[str]:
    known = _known(case)
    name = _literal(known.name) if known is not None else "the client"
    views = [view for layer in _CLIENT if (view := case.view(layer)) is not None]
    looked = [seen for layer in _CLIENT if (seen := case.observation(layer)) is not None]
    if any(view.differs for view in views) and case.view("registry") is None:
        yield f"Save what {name} itself holds{_its_view(known)}: it tells whether the client is behind, or its model only: {{client}}"
    elif any(view.held.names_only for view in views):
        yield f"Names prove no definitions: save a request to the model of {name}, with its tools, and lay it beside this: {{model}}"
    elif looked and not any(surface_of(seen) is not None for seen in looked):
        yield f"What was seen of {name} shows no list: save what it holds{_its_view(known)}, and lay that beside this: {{client}}"
    elif not looked and not case.timelines and (case.listed is not None or not case.bundle.live):
        yield f"Lay what {name} holds{_its_view(known)} beside this: {{client}}"


def _known(case: Case) -> Client | None:
    from diagnose.judge.views.lenses import playbook_of

    seen = [standing.client.name.partition(" (")[0] for standing in case.standings]
    return playbook_of(case.bundle.client, seen[-1] if seen else None)


def _its_view(known: Client | None) -> str:
    """Return where it shows what it holds, in this client's own words; nothing where that is not known."""
    shown = next((each.what for each in known.views if each.kind != "log"), None) if known is not None else None
    return f" ({_literal(shown)})" if shown else ""


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")

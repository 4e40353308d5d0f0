"""Tools that somebody asks for by name: where they are, and whether a call of them worked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from diagnose.evidence.observation import LADDER
from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.walks import surface_of


def asked_for(case: Case) -> str | None:
    """Require that a tool was asked for."""
    return None if case.bundle.expected_tools else "no tool was asked for; --expect-tool names one"


@check(
    "expected-tool",
    family="views",
    layer="origin",
    severity="warning",
    summary="A tool that is asked for is in every layer that was observed.",
    why="A manifest alone proves neither that a client holds a tool, nor that a model is offered it, nor that it works.",
    remedy="Look at the first layer that lacks it; where even the server does, check the name, the build, and what this caller may see.",
    source="catalogue of causes, how a verdict is made",
    message="{tool}: {where}.",
    needs=(asked_for,),
)
def expected_tool(case: Case) -> Iterable[Seen]:
    """Tell of each tool that was asked for in which layers it is."""
    for tool in dict.fromkeys(case.bundle.expected_tools):
        places = dict(_places(case, tool))
        lacking = next((layer for layer in LADDER if places.get(layer) == "missing"), None)
        called = _called(case, tool)
        yield Seen(
            args={"tool": tool, **places, "call": called},
            words={"where": "; ".join([*(f"{layer} {word}" for layer, word in places.items()), f"call {called}"])},
            layer=lacking,
            severity=None if lacking is not None else "note",
        )


def _places(case: Case, tool: str) -> Iterator[tuple[str, str]]:
    for layer in ("manifest", "origin"):
        surface = surface_of(case.observation("manifest" if layer == "manifest" else "origin"))
        yield layer, "not observed" if surface is None else "has it" if tool in surface.by_name else "missing"
    view = case.view("path")
    yield "path", "not observed" if view is None else "has it" if tool in view.held.by_name else "missing"
    lists = [each.held.surface for each in case.standings if each.held is not None and each.held.surface is not None]
    yield (
        "wire",
        "not observed" if not lists else "has it" if any(tool in each.by_name for each in lists) else "missing",
    )
    for layer in ("registry", "model"):
        view = case.view("registry" if layer == "registry" else "model")
        hidden = view is not None and tool in view.policy.hidden and tool not in view.held.by_name
        word = "not observed" if view is None else "has it" if tool in view.held.by_name else "missing"
        yield layer, "hides it on purpose" if hidden else word


def _called(case: Case, tool: str) -> str:
    """Say whether a call of the tool was seen to work."""
    sessions = [session for line in case.timelines for session in line.sessions]
    outcomes = [call.outcome for session in sessions for call in session.calls if call.tool == tool]
    if any(tool in session.tallies for session in sessions) or "ok" in outcomes:
        return "worked"
    return "failed" if outcomes else "not seen"

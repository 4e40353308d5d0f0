"""Rules of form: what a client does to definitions and texts, which has nothing to do with age."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.views.rules.needs import client_view


@check(
    "schema-rewritten",
    family="views",
    layer="registry",
    severity="warning",
    summary="A client shows definitions as its lens explains.",
    why="Two clients show two definitions of one tool, and neither is old.",
    remedy="Nothing to do about age; compare by meaning.",
    source="catalogue of causes, schema-rewritten",
    message="The client rewrites {tool}: {how}.",
    needs=(client_view,),
)
def schema_rewritten(case: Case) -> Iterable[Seen]:
    """Look for definitions that only another client's habits explain."""
    for view in case.views:
        for name, how in view.rewritten.items():
            if name not in view.cut:
                yield Seen(args={"tool": name, "how": how}, evidence=(f"{view.layer}: {name}",))


@check(
    "description-truncated",
    family="views",
    layer="model",
    severity="warning",
    summary="Texts reach the model whole.",
    why="What stands behind the cut is not there for the model.",
    remedy="Put what matters first, and keep descriptions short.",
    source="catalogue of causes, description-truncated",
    message="The {layer} shows a shortened text of {tools}.",
    needs=(client_view,),
)
def description_truncated(case: Case) -> Iterable[Seen]:
    """Look for texts that are the beginning of the live ones."""
    for view in case.views:
        if view.cut:
            yield Seen(args={"tools": list(view.cut[:50]), "layer": view.layer}, evidence=(f"{view.layer}",))

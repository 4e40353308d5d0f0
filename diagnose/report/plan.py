"""The results of `plan`: the document `diagnose.plan/1`, with what became of each step, and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import harmless
from diagnose.report.changes import change_document, change_lines
from diagnose.report.document import json_document
from diagnose.report.layout import Page
from diagnose.store.plan import SCHEMA, step_document
from diagnose.surface import ABSENT
from diagnose.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.evidence.redact import Redactor
    from diagnose.freshness.plan import Outcome, StepCheck
    from diagnose.freshness.reliance import Obstacle
    from diagnose.jobs.plan import PlanLook
    from diagnose.report.layout import Ink

_INKS: dict[Outcome, Ink] = {"unchanged": "good", "compatible": "good", "re-plan": "bad", "gone": "bad"}


def plan_json(look: PlanLook, redactor: Redactor) -> str:
    """Return `diagnose.plan/1`; once the plan was checked, each step has its `outcome` and what is behind it."""
    checks = {check.pin.step: _check_document(check, redactor) for check in look.checks}
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "tool": {"name": "diagnose", "version": __version__},
        "at": look.at,
        "target": {"id": look.target.id, "transport": look.target.transport, "endpoint": look.target.endpoint},
        "catalogue": {
            "revision": look.surface.revision,
            "digest": look.surface.digest,
            "count": look.surface.count,
        },
        "steps": [_step(step_document(pin, redactor), checks.get(pin.step, {})) for pin in look.steps],
    }
    return json_document({**document, "exitCode": look.exit_code} if look.checks else document, redactor)


def plan_text(look: PlanLook, redactor: Redactor, *, width: int, colour: bool = False) -> str:
    """Return how many steps may go on in the first line, then a line a step with what stands in its way."""
    page = Page(width=width, colour=colour)
    lines = [*page.wrap(_answer(look), rest="  "), ""]
    for check in look.checks:
        outcome = page.ink(f"{check.outcome:<10}", _INKS[check.outcome])
        name = f"{check.pin.step}  {check.pin.tool.name}"
        running = "  running: it goes on with what it started with" if check.pin.state == "running" else ""
        lines += _beside(page, outcome, _plain(name, redactor) + running)
        lines += [line for words in _obstacles(check, redactor) for line in page.wrap(words, first="    ")]
        if check.change is not None:
            lines += [f"    {line}" for line in change_lines([check.change], redactor, width=width - 4, colour=colour)]
        elif check.outcome == "compatible":
            lines += page.wrap("The definition changed, in nothing that this step relies on.", first="    ")
    return "\n".join(lines)


def _step(step: dict[str, Any], check: dict[str, Any]) -> dict[str, Any]:
    definition = step.pop("definition")
    return {**step, **check, "definition": definition}


def _check_document(check: StepCheck, redactor: Redactor) -> dict[str, Any]:
    return {
        "outcome": check.outcome,
        "mayRun": check.may_run,
        "obstacles": [_obstacle_document(obstacle) for obstacle in check.obstacles],
        "change": None if check.change is None else change_document(check.change, redactor),
    }


def _obstacle_document(obstacle: Obstacle) -> dict[str, Any]:
    document: dict[str, Any] = {"kind": obstacle.kind, "what": obstacle.what}
    values = (("from", obstacle.was), ("to", obstacle.now))
    return {**document, **{key: value for key, value in values if value is not ABSENT}}


def _answer(look: PlanLook) -> str:
    total, free = len(look.checks), sum(check.may_run for check in look.checks)
    if free == total:
        return f"all {total} steps may go on as planned" if total != 1 else "the step may go on as planned"
    gone = sum(check.outcome == "gone" and not check.may_run for check in look.checks)
    tail = f", {gone} of them because the tool is gone" if gone else ""
    return f"{total - free} of {total} steps must be planned anew{tail}"


def _beside(page: Page, outcome: str, rest: str) -> Iterator[str]:
    # The outcome has a fixed width, whatever ink it is in.
    first, *more = page.wrap(rest, first=" " * 11)
    yield f"{outcome} {first[11:]}"
    yield from more


def _obstacles(check: StepCheck, redactor: Redactor) -> list[str]:
    """Return the obstacles in words; a change of the definition speaks for itself."""
    return [_words(obstacle, redactor) for obstacle in check.obstacles if obstacle.kind != "definition"]


def _words(obstacle: Obstacle, redactor: Redactor) -> str:
    what = _plain(obstacle.what, redactor)
    if obstacle.kind == "limit":
        now = "is no longer there" if obstacle.now is ABSENT else f"is {_plain(str(obstacle.now), redactor)} now"
        return f"The limit {what} was {obstacle.was} and {now}."
    return {
        "gone": f"There is no tool {what}; no other takes its place.",
        "ambiguous-name": f"Several tools have the name {what}.",
        "media-type": f"The definition no longer speaks of {what}.",
        "step": f"It is composed of the result of step {what}, which cannot go on.",
    }[obstacle.kind]


def _plain(text: str, redactor: Redactor) -> str:
    return harmless(redactor.text(text))

"""A plan: its steps pinned to the definitions of a live catalogue, and held against a later one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from diagnose.errors import UsageError
from diagnose.freshness.plan import PlanPin, StepCheck, check_plan, the_tool
from diagnose.freshness.reliance import RelianceKind, relying
from diagnose.store.plan import Plan

if TYPE_CHECKING:
    from diagnose.evidence.bundle import Target
    from diagnose.jobs.access import ConnectOptions, Surroundings
    from diagnose.jobs.target import TargetSpec
    from diagnose.surface import Surface

_RELIES_ON = re.compile(r"(?:(?P<step>.+):)?(?P<kind>[a-z-]+)=(?P<what>.+)", re.DOTALL)
_FORM = "[STEP:]KIND=VALUE, with KIND one of " + ", ".join(get_args(RelianceKind))


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRequest:
    """A step to be pinned: its name, its tool, and what it was said to rely on, by kind."""

    step: str
    tool: str
    relies_on: dict[RelianceKind, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanLook:
    """A plan beside the catalogue that it was pinned with (``checks`` is empty) or checked against."""

    target: Target
    at: str
    surface: Surface
    steps: tuple[PlanPin, ...]
    checks: tuple[StepCheck, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 if every step may run as it was planned, or runs already; else 1."""
        return 0 if all(check.may_run for check in self.checks) else 1


def step_requests(tools: Sequence[str], relies_on: Sequence[str]) -> tuple[StepRequest, ...]:
    """Return the steps of `--tool` and `--relies-on`; they are called 1, 2, … in the order of their tools.

    What a step relies on names it by its number or, where that is no other's too, by its tool; a single step need not be
    named. Raises `UsageError` for what is none of that.
    """
    if not tools:
        raise UsageError("a plan needs at least one step", advice="Name the tool of each step with --tool.")
    steps = tuple(StepRequest(step=str(number), tool=tool) for number, tool in enumerate(tools, start=1))
    for text in relies_on:
        match = _RELIES_ON.fullmatch(text)
        kind = next((each for each in get_args(RelianceKind) if match and each == match["kind"]), None)
        if match is None or kind is None:
            raise UsageError(f"--relies-on takes {_FORM}, not {text!r}")
        step = _named(steps, match["step"])
        what = match["what"] if kind != "step" else _named(steps, match["what"]).step
        if kind == "step" and what == step.step:
            raise UsageError(f"--relies-on: step {what} cannot rely on itself")
        step.relies_on.setdefault(kind, []).append(what)
    return steps


def pin_plan(steps: Sequence[StepRequest], spec: TargetSpec, options: ConnectOptions, around: Surroundings) -> PlanLook:
    """Read the live list and pin each step to the definition of its tool.

    Raises `UsageError` for a tool that is not there once, or a reliance that its definition says nothing of; and
    `ObservationError` where the list could not be read to its end.
    """
    from diagnose.jobs.steps import look_at_revision

    look = look_at_revision(spec, options, around)
    surface = look.observation.surface
    assert surface is not None
    pins = tuple(_pinned(step, surface) for step in steps)
    return PlanLook(target=look.target, at=look.at, surface=surface, steps=pins)


def check_plan_live(plan: Plan, spec: TargetSpec, options: ConnectOptions, around: Surroundings) -> PlanLook:
    """Read the live list and hold each step of a plan against it. Raises `ObservationError` as `pin_plan` does."""
    from diagnose.jobs.steps import look_at_revision

    look = look_at_revision(spec, options, around)
    surface = look.observation.surface
    assert surface is not None
    if plan.target is not None and plan.target != look.target.id:
        around.note(f"the plan was pinned with {plan.target}, and is held against {look.target.id}")
    return PlanLook(
        target=look.target, at=look.at, surface=surface, steps=plan.steps, checks=check_plan(plan.steps, surface)
    )


def _pinned(request: StepRequest, surface: Surface) -> PlanPin:
    said = request.relies_on
    relies_on = relying(
        the_tool(surface, request.tool).definition,
        arguments=said.get("argument", ()),
        media_types=said.get("media-type", ()),
        limits=said.get("limit", ()),
        steps=said.get("step", ()),
    )
    return PlanPin.of(surface, request.tool, step=request.step, relies_on=relies_on)


def _named(steps: Sequence[StepRequest], name: str | None) -> StepRequest:
    """Return the step of a number or of a tool; the only one where none is named."""
    found = [step for step in steps if name is None or step.step == name]
    found = found or [step for step in steps if step.tool == name]
    if len(found) == 1:
        return found[0]
    if name is None:
        raise UsageError("--relies-on must name the step, as there are several", advice=f"It takes {_FORM}.")
    how = "is the tool of several steps; say its number" if found else "is neither the number of a step nor its tool"
    raise UsageError(f"--relies-on: {name!r} {how}")

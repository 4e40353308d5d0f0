"""Plan pins: a step that waits for its turn knows which definition it was planned for, and is checked before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeAlias

from diagnose.errors import DiagnoseError, UsageError
from diagnose.freshness.reliance import Obstacle, Reliance, as_sent, broken
from diagnose.surface import Change, Surface, Tool, difference

#: `compatible`: something changed, and the step may run as it was planned. `re-plan`: it may not. `gone`: there is no
#: such tool. Nothing ever is put in the place of a tool, however similar its name.
Outcome: TypeAlias = Literal["unchanged", "compatible", "re-plan", "gone"]
StepState: TypeAlias = Literal["queued", "running"]

#: What a step may live with. A plan was made by the words of a tool: a change of routing asks for a new choice.
_HARMLESS = frozenset({"compatible", "cosmetic"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPin:
    """One step of a plan, tied to the definition that it was planned for.

    ``step`` is its name in the plan; ``revision`` is that of the catalogue which it was planned with (None where it had
    none). The definition in ``tool`` has a digest. A running step is tied to what it started with, whatever comes.
    """

    step: str
    tool: Tool
    revision: str | None
    relies_on: Reliance = field(default_factory=Reliance)
    state: StepState = "queued"

    @classmethod
    def of(cls, surface: Surface, name: str, *, step: str, relies_on: Reliance | None = None) -> PlanPin:
        """Pin a step to the definition that a tool has in a catalogue; see `relying` for the last argument.

        Raises:
            UsageError: the catalogue has no such tool or several, or its definition cannot be told from others.

        """
        return cls(
            step=step, tool=the_tool(surface, name), revision=surface.revision, relies_on=relies_on or Reliance()
        )

    @property
    def digest(self) -> str | None:
        """The digest of the definition that the step is tied to."""
        return self.tool.digest

    def check(self, surface: Surface) -> StepCheck:
        """Hold the step against a newer catalogue; what it makes of other steps' results is for `check_plan`."""
        found = surface.by_name.get(self.tool.name, ())
        if not found:
            return StepCheck(pin=self, outcome="gone", obstacles=(Obstacle(kind="gone", what=self.tool.name),))
        if len(found) > 1:
            return _re_plan(self, Obstacle(kind="ambiguous-name", what=self.tool.name))
        if found[0].digest is not None and found[0].digest == self.digest:
            return StepCheck(pin=self, outcome="unchanged")
        return self._changed(found[0])

    def start(self, surface: Surface) -> PlanPin:
        """Return the step as one that runs, tied to the definition that it starts with: the one in this catalogue.

        Raises:
            StepNotReadyError: the step is to be planned anew, or its tool is gone.

        """
        check = self.check(surface)
        if not check.may_run:
            raise StepNotReadyError(check)
        if self.state == "running":
            return self
        return replace(self, tool=the_tool(surface, self.tool.name), revision=surface.revision, state="running")

    def _changed(self, now: Tool) -> StepCheck:
        change = self._change(now)
        obstacles = [*broken(self.relies_on, now.definition)]
        if change is not None and change.impact not in _HARMLESS:
            obstacles.insert(0, Obstacle(kind="definition", what=now.name))
        outcome: Outcome = "re-plan" if obstacles else "compatible"
        return StepCheck(pin=self, outcome=outcome, change=change, obstacles=tuple(obstacles))

    def _change(self, now: Tool) -> Change | None:
        """Return what of the change concerns this step; None if nothing does."""
        arguments = self.relies_on.arguments
        if self.tool.redacted:
            # What was taken out may be what changed.
            changes = difference(Surface.recorded([self.tool.raw]), [now.raw])
        elif arguments is None:
            changes = difference([self.tool.raw], [now.raw])
        else:
            old, new = as_sent(self.tool.definition, now.definition, arguments)
            changes = difference([old], [new])
        return changes[0] if changes else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCheck:
    """What has become of a step. ``change`` is what concerns it of the change of its tool; ``obstacles`` are the reasons."""

    pin: PlanPin
    outcome: Outcome
    change: Change | None = None
    obstacles: tuple[Obstacle, ...] = ()

    @property
    def may_run(self) -> bool:
        """Whether the step goes on: as planned, or because it is running already, with what it started with."""
        return self.pin.state == "running" or self.outcome in {"unchanged", "compatible"}


class StepNotReadyError(DiagnoseError):
    """A step was to start that is to be planned anew (exit 1); ``check`` says why."""

    exit_code: ClassVar[int] = 1

    def __init__(self, check: StepCheck) -> None:
        super().__init__(
            f"step {check.pin.step} ({check.pin.tool.name}) cannot start: {check.outcome}",
            advice="Plan the step anew with the present definition of its tool.",
        )
        self.check = check


def check_plan(pins: Sequence[PlanPin], surface: Surface) -> tuple[StepCheck, ...]:
    """Hold every step of a plan against a newer catalogue.

    A step that is composed of the result of one that cannot go on is to be planned anew with it.
    """
    checks = {pin.step: pin.check(surface) for pin in pins}
    lost = [check.pin.step for check in checks.values() if not check.may_run]
    while lost:
        gone = lost.pop()
        for step, check in checks.items():
            if gone in check.pin.relies_on.steps:
                was_running = check.may_run
                outcome: Outcome = "gone" if check.outcome == "gone" else "re-plan"
                obstacles = (*check.obstacles, Obstacle(kind="step", what=gone))
                checks[step] = replace(check, outcome=outcome, obstacles=obstacles)
                if was_running and not checks[step].may_run:
                    lost.append(step)
    return tuple(checks.values())


def the_tool(surface: Surface, name: str) -> Tool:
    """Return the one tool of this name. Raises UsageError where a step cannot be pinned to it."""
    found = surface.by_name.get(name, ())
    if len(found) != 1:
        import difflib

        near = [] if found else difflib.get_close_matches(name, [known for known in surface.by_name if known], n=3)
        raise UsageError(
            f"the catalogue has {len(found)} tools named {name!r}; a step needs exactly one",
            advice=f"There is {' or '.join(near)}." if near else "",
        )
    if found[0].digest is None:
        why = found[0].defect.what if found[0].defect is not None else "only its name is known"
        raise UsageError(f"no step can be pinned to the tool {name}: {why}")
    return found[0]


def _re_plan(pin: PlanPin, obstacle: Obstacle) -> StepCheck:
    return StepCheck(pin=pin, outcome="re-plan", obstacles=(obstacle,))

"""A plan as a document, `diagnose.plan/1`: its steps, each with the definition that it was planned for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from diagnose.errors import InputError
from diagnose.freshness.plan import PlanPin
from diagnose.freshness.reliance import Reliance
from diagnose.store.body import without_credentials
from diagnose.surface import JsonError, Tool, parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnose.evidence.redact import Redactor

SCHEMA = "diagnose.plan/1"

T = TypeVar("T")

# The definitions stand deeper in the document than they did when their own depth was bounded.
_DEPTH = 136


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The steps of a plan. ``target`` is the id of the server that they were pinned with, None where it is not told."""

    steps: tuple[PlanPin, ...]
    target: str | None


def step_document(pin: PlanPin, redactor: Redactor) -> dict[str, Any]:
    """Return a step as it stands in the document. A definition that held a credential is marked, beside its digest."""
    relies_on = pin.relies_on
    return {
        "step": pin.step,
        "tool": pin.tool.name,
        "state": pin.state,
        "revision": pin.revision,
        "digest": pin.digest,
        "reliesOn": {
            "arguments": None if relies_on.arguments is None else list(relies_on.arguments),
            "mediaTypes": list(relies_on.media_types),
            # A list: a key with the name of a secret in it might be redacted.
            "limits": [{"path": path, "value": value} for path, value in relies_on.limits.items()],
            "steps": list(relies_on.steps),
        },
        "definition": pin.tool.raw if pin.tool.redacted else without_credentials(pin.tool.raw, redactor),
    }


def read_plan(data: bytes | str, source: str) -> Plan:
    """Return the plan in a document; ``source`` names it in what is said of it. What else stands there is passed over.

    Raises `InputError` where it is no plan, where a definition is not the one that its digest was made of, or where a
    step relies on one that is not in the plan.
    """
    try:
        value = parse_json(data, max_depth=_DEPTH).value
    except JsonError as error:
        raise InputError(f"{source} is no plan: {error}") from error
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise InputError(
            f"{source} is no plan: expected a document {SCHEMA}", advice="Make one with `diagnose plan pin`."
        )
    reader = _Reader(source)
    pins = tuple(reader.pin(step) for step in reader.items(value, "steps", dict))
    reader.hold_together(pins)
    target = value.get("target")
    told = target.get("id") if isinstance(target, dict) else None
    return Plan(steps=pins, target=told if isinstance(told, str) else None)


class _Reader:
    """Takes values out of a document that may hold anything."""

    def __init__(self, source: str) -> None:
        self._source = source

    def pin(self, step: Mapping[str, Any]) -> PlanPin:
        name, digest = self.one(step, "tool", str), self.one(step, "digest", str)
        state, revision = self.one(step, "state", str), step.get("revision")
        if state not in {"queued", "running"} or not isinstance(revision, str | None):
            raise self.wrong("a step's `state` or `revision` is not what it should be")
        return PlanPin(
            step=self.one(step, "step", str),
            tool=self._tool(self.one(step, "definition", dict), name, digest),
            revision=revision,
            relies_on=self._reliance(self.one(step, "reliesOn", dict)),
            state="running" if state == "running" else "queued",
        )

    def hold_together(self, pins: tuple[PlanPin, ...]) -> None:
        if not pins:
            raise self.wrong("it has no steps")
        names = [pin.step for pin in pins]
        if len(set(names)) < len(names):
            raise self.wrong("two steps have one name")
        for pin in pins:
            for other in pin.relies_on.steps:
                if other not in names or other == pin.step:
                    raise self.wrong(f"step {pin.step} relies on step {other}, which is none of the others")

    def _tool(self, raw: dict[str, Any], name: str, digest: str) -> Tool:
        tool = Tool.recorded(raw) or Tool.of(raw)
        if (tool.name, tool.digest) != (name, digest):
            raise self.wrong(f"the definition of {name} was altered: it is not the one that its digest was made of")
        return tool

    def _reliance(self, value: Mapping[str, Any]) -> Reliance:
        arguments = None if value.get("arguments") is None else tuple(self.items(value, "arguments", str))
        limits = {self.one(each, "path", str): self._number(each) for each in self.items(value, "limits", dict)}
        return Reliance(
            arguments=arguments,
            media_types=tuple(self.items(value, "mediaTypes", str)),
            limits=limits,
            steps=tuple(self.items(value, "steps", str)),
        )

    def _number(self, limit: Mapping[str, Any]) -> float:
        value = limit.get("value")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong("the `value` of a limit is no number")
        return value

    def one(self, value: Mapping[str, Any], key: str, kind: type[T]) -> T:
        found = value.get(key)
        if not isinstance(found, kind):
            raise self.wrong(f"`{key}` of a step is missing, or of the wrong type")
        return found

    def items(self, value: Mapping[str, Any], key: str, kind: type[T]) -> list[T]:
        found = self.one(value, key, list)
        if not all(isinstance(each, kind) for each in found):
            raise self.wrong(f"`{key}` holds something of the wrong type")
        return found

    def wrong(self, what: str) -> InputError:
        return InputError(
            f"{self._source} is no valid plan: {what}", advice="Pin the plan anew with `diagnose plan pin`."
        )

"""The table of what the bench measures: each is a question about a client, and one small function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from diagnose.clients.measured import Answer
from diagnose.judge.bench.trial import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One answer. ``says`` is what was seen, or why nothing was shown; ``evidence`` are frames (`declared:17`)."""

    name: str
    question: str
    answer: Answer
    says: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a measure found in its trial."""

    answer: Answer
    says: str
    evidence: tuple[str, ...] = ()


MeasureFunction: TypeAlias = Callable[[Trial], Found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One question, the trial that answers it, and how."""

    name: str
    question: str
    trial: str
    apply: MeasureFunction

    def measure(self, trial: Trial) -> Measurement:
        """Answer the question by its trial."""
        found = self._found(trial)
        return Measurement(
            name=self.name, question=self.question, answer=found.answer, says=found.says, evidence=found.evidence
        )

    def _found(self, trial: Trial) -> Found:
        if not trial.walks and self.name != "era":
            return not_shown("it asked for no list" if trial.sessions else "it did not connect")
        return self.apply(trial)


MEASURES: dict[str, Measure] = {}


def measure(name: str, question: str, *, trial: str | None = None) -> Callable[[MeasureFunction], MeasureFunction]:
    """Declare the function below as the measure of this name; its trial has the same name unless another is named."""

    def register(function: MeasureFunction) -> MeasureFunction:
        MEASURES[name] = Measure(name=name, question=question, trial=trial or name, apply=function)
        return function

    return register


def measured(trials: Iterable[Trial]) -> tuple[Measurement, ...]:
    """Return what each trial measures, in the order of the trials."""
    return tuple(each.measure(trial) for trial in trials for each in MEASURES.values() if each.trial == trial.name)


def yes(says: str, *evidence: str) -> Found:
    """Return that it does."""
    return Found(answer="yes", says=says, evidence=evidence)


def no(says: str, *evidence: str) -> Found:
    """Return that it does not."""
    return Found(answer="no", says=says, evidence=evidence)


def not_shown(why: str, *evidence: str) -> Found:
    """Return that the trial does not tell."""
    return Found(answer="not-shown", says=why, evidence=evidence)

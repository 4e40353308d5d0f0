"""How a check is declared, and how all of them are run over one case.

A check is one function over a `Case`. What `explain`, the report and later formats say about it stands in its
declaration; the function only says what it saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from itertools import chain, islice
from typing import Any, Literal, TypeAlias

from diagnose.evidence.observation import LayerName
from diagnose.judge.case import Case
from diagnose.judge.diagnosis import CheckResult, Confidence, Finding, Severity
from diagnose.judge.words import fill, sentence
from diagnose.record import record

#: The most findings of one check; a hostile list must not make the report as long as itself.
MAX_FINDINGS = 100

Need: TypeAlias = Callable[[Case], str | None]
"""What a check needs: returns None where the case has it, else why it has not, in a few words."""


@record
class Seen:
    """What a check saw once; what is None here is as the check declares it.

    ``args`` are the facts, as JSON values: the finding's fingerprint is made of them. ``words`` are phrases for the
    sentence that were made from them.
    """

    args: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    layer: LayerName | None = None
    severity: Severity | None = None
    confidence: Confidence = "proven"
    state: Literal["stale", "broken"] | None = None
    session: str | None = None
    says: str | None = None
    """Another template over arguments and words than the declared one."""
    literal: str | None = None
    """A sentence that is finished already, such as an observer's; no template."""
    remedy: str | None = None
    open: str | None = None
    """Why this leaves open whether the rule is kept, so that the check is not verified by it."""


Look: TypeAlias = Callable[[Case], Iterable[Seen]]


@record
class Eye:
    """One way to see a rule broken, and what it needs: an own session shows some, a recording others."""

    needs: tuple[Need, ...]
    look: Look


@record
class Check:
    """A check as declared. ``source`` is the rule that it holds the server to, ``more`` are further ways to see it."""

    name: str
    family: str
    layer: LayerName
    severity: Severity
    summary: str
    why: str
    remedy: str
    source: str
    message: str
    needs: tuple[Need, ...]
    look: Look
    more: tuple[Eye, ...] = ()

    @property
    def eyes(self) -> tuple[Eye, ...]:
        """Every way to see this rule broken; one whose needs are met is enough to verify it."""
        return (Eye(needs=self.needs, look=self.look), *self.more)

    def finding(self, seen: Seen) -> Finding:
        """Put what was seen into words."""
        message = seen.literal if seen.literal is not None else fill(seen.says or self.message, seen.args, seen.words)
        return Finding(
            rule=self.name,
            severity=seen.severity or self.severity,
            layer=seen.layer or self.layer,
            message=sentence(message),
            args=seen.args,
            evidence=tuple(dict.fromkeys(seen.evidence)),
            remedy=seen.remedy or self.remedy,
            confidence=seen.confidence,
            state=seen.state,
            session=seen.session,
        )


#: Every check by its name, in the order of declaration.
CHECKS: dict[str, Check] = {}
#: Ways to see rules broken whose checks are not declared yet.
_WAITING: dict[str, list[Eye]] = {}


def check(
    name: str,
    *,
    family: str,
    layer: LayerName,
    severity: Severity,
    summary: str,
    why: str,
    remedy: str,
    source: str,
    message: str = "",
    needs: tuple[Need, ...] = (),
) -> Callable[[Look], Look]:
    """Declare a check; the name is in kebab-case and is taken once. Its function may be called as before."""

    def register(look: Look) -> Look:
        if name in CHECKS:
            raise ValueError(f"two checks are named {name}")
        CHECKS[name] = Check(
            name=name,
            family=family,
            layer=layer,
            severity=severity,
            summary=summary,
            why=why,
            remedy=remedy,
            source=source,
            message=message,
            needs=needs,
            look=look,
            more=tuple(_WAITING.pop(name, ())),
        )
        return look

    return register


def also(name: str, *, needs: tuple[Need, ...]) -> Callable[[Look], Look]:
    """Declare another way to see a check's rule broken; its words are the check's unless what it saw says others.

    It may be declared before the check itself.
    """

    def register(look: Look) -> Look:
        eye = Eye(needs=needs, look=look)
        known = CHECKS.get(name)
        if known is None:
            _WAITING.setdefault(name, []).append(eye)
        else:
            CHECKS[name] = replace(known, more=(*known.more, eye))
        return look

    return register


@record
class Outcome:
    """What a run of checks brought; ``crashed`` names the checks that failed by a fault of ours."""

    findings: tuple[Finding, ...]
    results: tuple[CheckResult, ...]
    crashed: tuple[str, ...] = ()


def run(case: Case, checks: Iterable[Check]) -> Outcome:
    """Run checks over a case. A check that raises is contained, and reported as not verified."""
    findings: list[Finding] = []
    results: list[CheckResult] = []
    crashed: list[str] = []
    for each in checks:
        missing = [next((why for need in eye.needs if (why := need(case)) is not None), None) for eye in each.eyes]
        open_eyes = [eye for eye, why in zip(each.eyes, missing, strict=True) if why is None]
        if not open_eyes:
            results.append(CheckResult(rule=each.name, outcome="not-verified", why=missing[0]))
            continue
        try:
            found, result = _looked(each, open_eyes, case)
        except Exception as error:  # noqa: BLE001 - one faulty check must not hide what all the others saw
            crashed.append(each.name)
            why = f"a fault of diagnose itself: {type(error).__name__}: {error}"
            results.append(CheckResult(rule=each.name, outcome="not-verified", why=why))
            continue
        findings.extend(found)
        results.append(result)
    return Outcome(findings=tuple(findings), results=tuple(results), crashed=tuple(crashed))


def _looked(each: Check, eyes: Iterable[Eye], case: Case) -> tuple[list[Finding], CheckResult]:
    every = chain.from_iterable(eye.look(case) for eye in eyes)
    seen = (one for one in every if not case.is_our_doing(one.layer or each.layer, one.evidence))
    shown = list(islice(seen, MAX_FINDINGS))
    found = [each.finding(one) for one in shown]
    more = sum(1 for _ in seen)
    failed = any(finding.severity != "note" for finding in found)
    left_open = next((one.open for one in shown if one.open is not None), None)
    if left_open is not None and not failed:
        return found, CheckResult(rule=each.name, outcome="not-verified", why=left_open)
    why = f"{more} more of the same are not shown" if more else None
    return found, CheckResult(rule=each.name, outcome="failed" if failed else "passed", why=why)

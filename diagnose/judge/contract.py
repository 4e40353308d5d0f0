"""A server held to what it promises: a choice of checks, findings that are not to be shown, and what fails the run.

`diagnose` names one cause. Here every check counts for itself, and `--fail-on` alone decides between 0 and 1.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from diagnose.errors import UsageError
from diagnose.evidence.bundle import Bundle
from diagnose.judge.case import Case
from diagnose.judge.catalogue import CATALOGUE
from diagnose.judge.checks import ALL, CHECKS, Check
from diagnose.judge.checks.registry import Need, Outcome, run
from diagnose.judge.diagnosis import CheckResult, Diagnosis, FailOn, Finding
from diagnose.judge.judge import CREDENTIAL_REFUSED, OUR_FAULT, diagnose
from diagnose.judge.timeline.rules import needs as wire
from diagnose.judge.words import counted

#: What only a session of our own has.
_SHOWN_BY_US = {wire.own_stream, wire.watched_stream}
#: What comes of a change that is provoked.
_PROVOKED = {wire.signal, wire.two_lists, wire.heard_or_held, wire.change_seen, wire.notice}
#: Where the checks stand that look at a server itself, and at what crosses the wire.
_OF_SERVERS, _OF_THE_WIRE = "diagnose.judge.checks.", "diagnose.judge.timeline."


def _answers_for(check: Check) -> bool:
    """Tell whether a check is about a server: by its layer, or since a session of our own can show it."""
    if not check.look.__module__.startswith((_OF_SERVERS, _OF_THE_WIRE)):
        return False
    return check.layer in {"deployed", "manifest", "origin"} or any(_SHOWN_BY_US & set(eye.needs) for eye in check.eyes)


#: What a server answers for. The checks of later layers judge gateways and clients, the past is not in its hands.
CONTRACT: tuple[Check, ...] = tuple(filter(_answers_for, ALL))
NOTHING_SEEN = 3
_NAMES = {each.name for each in CONTRACT}
_FAMILIES = {each.family for each in CONTRACT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which checks are run, whose findings are kept back, and the least severity that fails."""

    checks: tuple[Check, ...] = CONTRACT
    ignored: tuple[Check, ...] = ()
    fail_on: FailOn = "error"

    @classmethod
    def of(cls, select: Iterable[str] = (), ignore: Iterable[str] = (), fail_on: FailOn = "error") -> Selection:
        """Choose by names of checks and of families; without ``select`` all are run. Raises `UsageError` for others."""
        wanted, unwanted = _known(select, "--select"), _known(ignore, "--ignore")
        chosen = [each for each in CONTRACT if not wanted or {each.name, each.family} & wanted]
        kept = tuple(each for each in chosen if not {each.name, each.family} & unwanted)
        ignored = tuple(each for each in chosen if {each.name, each.family} & unwanted)
        if not kept:
            raise UsageError("--select and --ignore leave no check to run")
        return cls(checks=kept, ignored=ignored, fail_on=fail_on)

    @property
    def needs(self) -> frozenset[Need]:
        """Everything that one of these checks, or of those kept back, needs."""
        return frozenset(need for each in (*self.checks, *self.ignored) for eye in each.eyes for need in eye.needs)


#: Every check, and an error fails.
WHOLE = Selection()


def _known(names: Iterable[str], option: str) -> set[str]:
    found = set(names)
    for name in sorted(found - _NAMES - _FAMILIES):
        if name in CHECKS:
            raise UsageError(
                f"{option} takes checks of a server, and {name} is none: it judges a client, a path or the past"
            )
        near = difflib.get_close_matches(name, sorted(_NAMES | _FAMILIES), n=3, cutoff=0.5)
        advice = f"Did you mean {' or '.join(near)}?" if near else "diagnose explain, without a name, lists them all."
        raise UsageError(
            f"{option} takes names of checks and of their families, and {name!r} is neither", advice=advice
        )
    return found


def hold_to_contract(bundle: Bundle, selection: Selection, at: str | None = None) -> Diagnosis:
    """Judge a bundle whose recordings, if there are any, are of sessions of our own."""
    diagnosis, case = diagnose(bundle, at, checks=selection.checks), Case.of(bundle)
    kept_back = run(case, selection.ignored) if selection.ignored else None
    results = tuple(_with_reason(result, case) for result in diagnosis.checks)
    diagnosis = replace(diagnosis, checks=results, fail_on=selection.fail_on, itemised=True)
    if kept_back is not None:
        diagnosis = _suppressed(diagnosis, selection.ignored, kept_back)
    return replace(diagnosis, exit_code=_exit_code(diagnosis, expecting=_expects_a_build(bundle)))


def _expects_a_build(bundle: Bundle) -> bool:
    wanted = bundle.deployed.expected if bundle.deployed is not None else None
    return wanted is not None and bool(wanted.version or wanted.build or wanted.at)


def _with_reason(result: CheckResult, case: Case) -> CheckResult:
    """Say what would have verified a check here: another trial of the server rather than a recording of some client."""
    if result.outcome != "not-verified" or result.rule not in CHECKS:
        return result
    tried = [eye for eye in CHECKS[result.rule].eyes if eye.look.__module__.startswith(_OF_SERVERS)]
    missing = [why for eye in tried[-1:] for need in eye.needs if (why := need(case)) is not None]
    unmet = case.bundle.probes.unmet if case.bundle.probes is not None else {}
    lacking = [need for eye in CHECKS[result.rule].eyes for need in eye.needs if need(case) is not None]
    if not tried and "provoked" in unmet and wire.recording(case) is None and _PROVOKED & set(lacking[:1]):
        missing = [unmet["provoked"]]
    return replace(result, why=missing[0]) if missing else result


def _suppressed(diagnosis: Diagnosis, ignored: Sequence[Check], outcome: Outcome) -> Diagnosis:
    """Tell how much is not shown, so that nobody takes a short report for a clean one."""
    found = Counter(finding.rule for finding in outcome.findings if finding.severity != "note")
    results = [
        CheckResult(rule=each.name, outcome="suppressed", why=f"{counted(found[each.name], 'finding')} not shown")
        for each in ignored
    ]
    many = f"{counted(found.total(), 'finding')} of {counted(len(ignored), 'check')}"
    limits = (*diagnosis.verdict.limits, f"{many} not shown, as --ignore asks.")
    return replace(
        diagnosis,
        checks=(*diagnosis.checks, *results),
        verdict=replace(diagnosis.verdict, limits=limits if found else diagnosis.verdict.limits),
    )


def _exit_code(diagnosis: Diagnosis, *, expecting: bool) -> int:
    """Return the code of the contract; never 0 where nothing was verified, or where the list could not be observed.

    ``expecting`` tells that a build was expected: where nothing could be held to that, it was not verified either.
    """
    if diagnosis.exit_code in {OUR_FAULT, CREDENTIAL_REFUSED}:
        return diagnosis.exit_code
    unobserved = [finding for finding in diagnosis.findings if _is_no_cause(finding)]
    if any(diagnosis.fails(finding) for finding in diagnosis.findings if finding not in unobserved):
        return 1
    verified = any(result.outcome in {"passed", "failed"} and CHECKS[result.rule].needs for result in diagnosis.checks)
    blind = any(finding.layer == "origin" for finding in unobserved)
    held = {result.rule for result in diagnosis.checks if result.outcome in {"passed", "failed"}}
    unheld = expecting and (
        "server-old-build" not in held or any(each.rule == "expected-build-unknown" for each in diagnosis.findings)
    )
    return NOTHING_SEEN if blind or not verified or unheld else 0


def _is_no_cause(finding: Finding) -> bool:
    """Tell whether a finding only says that something was not observed: `--fail-on` does not see it."""
    row = CATALOGUE.get(finding.rule)
    return finding.rule == "not-observed" or (row is not None and row.kind == "rule")

"""From recordings and a declared policy to a diagnosis of what a server says of its state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from diagnose.evidence.bundle import Bundle
from diagnose.evidence.recording import Recording, RecordingReader
from diagnose.judge.checks import of_state, of_subscriptions
from diagnose.judge.diagnosis import Diagnosis, Verdict
from diagnose.judge.judge import CREDENTIAL_REFUSED, OUR_FAULT, diagnose
from diagnose.judge.timeline import Reader, Timeline, read
from diagnose.judge.trust.declared import policy_flaws
from diagnose.judge.trust.deeds import Manifest
from diagnose.judge.trust.entries import entries
from diagnose.judge.trust.ledger import Ledger
from diagnose.judge.trust.siblings import untried
from diagnose.judge.trust.state import State
from diagnose.judge.words import counted
from diagnose.statesync import Declaration, FusionLock
from diagnose.surface import Surface

NOTHING_SEEN = 3
_NO_POLICY = "No policy was given: what the server's author declared is not known, and only what crossed could be held to itself."


def witnessed(
    recording: Recording,
    *,
    policy: Declaration | None = None,
    lock: FusionLock | Surface | None = None,
    key: bytes = b"",
) -> Timeline:
    """Read a recording into a timeline that keeps the state behind it.

    ``key`` is that of the digests of arguments and answers, up to 64 bytes; with none, whoever has a digest can try out
    what was answered.
    """
    ledger = Ledger(key)
    line = read(recording, witness=ledger)
    locked = {"agreed": lock} if isinstance(lock, Surface) else {"lock": lock}
    return replace(line, state=State(ledger=ledger, sessions=line.sessions, policy=policy, **locked))


def witnessed_lines(
    lines: Iterable[bytes], *, policy: Declaration | None, key: bytes = b"", source: str = ""
) -> Timeline:
    """Read a recording line by line, however long it is; as `witnessed` else. Raises `InputError` where it is none."""
    reading = RecordingReader(lines)
    ledger = Ledger(key)
    reader = Reader(reading.header, ledger)
    for event in reading.events():
        reader.feed(event)
    line = reader.timeline(notes=tuple(reading.notes), source=source)
    return replace(line, state=State(ledger=ledger, sessions=line.sessions, policy=policy))


def judge_state(
    bundle: Bundle, timelines: Sequence[Timeline], at: str | None = None, *, unfinished: bool = False
) -> Diagnosis:
    """Hold what was said of the state to what was seen of it. ``timelines`` are of `witnessed`.

    ``unfinished``: a trial came to an end before all of it was tried, so that nothing found is nothing proven.
    """
    diagnosis = diagnose(bundle, at, checks=(*of_state(), *of_subscriptions()), timelines=timelines)
    states = [line.state for line in timelines if line.state is not None]
    answers = sum(len(group) for state in states for group in state.reads)
    verified = [result for result in diagnosis.checks if result.outcome in {"passed", "failed"}]
    verdict = _verdict(diagnosis, states, answers=answers, verified=len(verified))
    if not any(state.speaks for state in states) and not _broken(diagnosis) and _read_manifests(timelines):
        # A server that shows a manifest says that much of itself.
        verdict = replace(_manifest_verdict(verdict, timelines, _warnings(diagnosis)), limits=verdict.limits)
    if unfinished and verdict.state == "in-sync":
        said = "The trial ended early: nothing that was tried until then broke what the server says of its state."
        verdict = replace(verdict, state="inconclusive", confidence="possible", summary=said)
    told = replace(diagnosis, verdict=verdict)
    return replace(told, exit_code=_exit_code(told))


def trust_in(timelines: Sequence[Timeline]) -> tuple[Mapping[str, Any], ...]:
    """Return the trust in each answer of recordings, oldest first, as a report has it."""
    return tuple(entry for line in timelines if line.state is not None for entry in entries(line, line.state))


def judge_manifest(bundle: Bundle, timelines: Sequence[Timeline], at: str | None = None) -> Diagnosis:
    """Hold the manifest, and the lock file where there is one, to what is listed, and the lists to their hints."""
    checks = [each for each in of_state() if each.family in {"state-manifest", "state-lock", "state-lists"}]
    diagnosis = diagnose(bundle, at, checks=checks, timelines=timelines)
    verdict = diagnosis.verdict
    if not _broken(diagnosis):
        verdict = _manifest_verdict(verdict, timelines, _warnings(diagnosis))
    told = replace(diagnosis, verdict=verdict)
    return replace(told, exit_code=_exit_code(told))


def _manifest_verdict(verdict: Verdict, timelines: Sequence[Timeline], doubts: int) -> Verdict:
    states = [line.state for line in timelines if line.state is not None]
    readings = _read_manifests(timelines)
    locked = any((state.lock or state.agreed) is not None and state.surfaces for state in states)
    if not readings and not locked:
        return replace(verdict, state="inconclusive", confidence="possible", summary="No manifest could be read.")
    callers = len({each.principal for each in readings})
    whose = f" of {counted(callers, 'caller')}" if callers > 1 else ""
    what = "The manifest and the lock file hold" if readings and locked else "The manifest holds"
    summary = f"{what if readings else 'The lock file holds'} what tools/list shows{whose}, and nothing else."
    if doubts:
        what = "manifest" if readings else "lock file"
        summary = f"No error was found in the {what}, and {counted(doubts, 'warning')}."
    return replace(verdict, state="in-sync", confidence="proven", summary=summary, candidates=(), next=())


def _read_manifests(timelines: Sequence[Timeline]) -> list[Manifest]:
    return [each for line in timelines if line.state is not None for each in line.state.ledger.manifests]


def _broken(diagnosis: Diagnosis) -> bool:
    return any(finding.severity == "error" for finding in diagnosis.findings)


def _warnings(diagnosis: Diagnosis) -> int:
    return sum(finding.severity == "warning" for finding in diagnosis.findings)


def _verdict(diagnosis: Diagnosis, states: Sequence[State], *, answers: int, verified: int) -> Verdict:
    """Return the verdict: that of the errors, else that all that could be verified holds."""
    verdict = diagnosis.verdict
    missing = (_NO_POLICY,) if not any(state.policy for state in states) else ()
    doubtful = (text for state in states for text in (*policy_flaws(state), *untried(state)))
    limits = (*missing, *doubtful, *verdict.limits)
    if _broken(diagnosis):
        return replace(verdict, limits=limits)
    speaks = any(state.speaks for state in states)
    if not verified or not speaks:
        said = "The server said nothing of its state: no directive, no invalidation, no stale URI."
        return Verdict(state="inconclusive", confidence="possible", summary=said, limits=limits)
    warned = _warnings(diagnosis)
    doubts = f", with {counted(warned, 'warning')}" if warned else ""
    summary = f"What the server says of its state held, in {counted(answers, 'answer')} that {'was' if answers == 1 else 'were'} read{doubts}."
    return Verdict(state="in-sync", summary=summary, limits=limits)


def _exit_code(diagnosis: Diagnosis) -> int:
    if diagnosis.exit_code in {OUR_FAULT, CREDENTIAL_REFUSED}:
        return diagnosis.exit_code
    if any(diagnosis.fails(finding) for finding in diagnosis.findings):
        return 1
    return NOTHING_SEEN if diagnosis.verdict.state == "inconclusive" else 0

"""The answer: the first layer that differs, why, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from diagnose.evidence.observation import LADDER
from diagnose.judge.advice import asked_in_vain, limits, named, next_steps, suspicions
from diagnose.judge.candidates import candidates
from diagnose.judge.case import Case
from diagnose.judge.catalogue import CATALOGUE
from diagnose.judge.diagnosis import Candidate, Comparison, Finding, State, Verdict
from diagnose.judge.words import counted, told

if TYPE_CHECKING:
    from diagnose.judge.timeline.standing import Standing
    from diagnose.judge.views.view import View


def decide(case: Case, findings: Sequence[Finding]) -> Verdict:
    """Return the verdict over settled findings (`causes.md`, rules 2 to 4)."""
    ranked = candidates(findings)
    if ranked:
        first = ranked[0]
        return Verdict(
            state=first.state,
            layer=first.layer,
            cause=first.cause,
            confidence=first.confidence,
            candidates=ranked[1:],
            summary=first.summary,
            next=next_steps(case, first.state, first.cause, findings),
            limits=(*_tied(ranked), *limits(case, first.cause)),
        )
    state, why = _without_cause(case, findings)
    return Verdict(
        state=state,
        confidence="proven" if state == "in-sync" else "possible",
        candidates=suspicions(case, findings) if state == "inconclusive" else (),
        summary=why,
        next=next_steps(case, state, None, findings),
        limits=limits(case, None),
    )


def _tied(ranked: Sequence[Candidate]) -> tuple[str, ...]:
    """Say so where another cause stands at the same layer, in the same state and just as sure as the one that is named."""
    first = ranked[0]
    rank = (first.layer, first.state, first.confidence)
    others = [each.cause for each in ranked[1:] if (each.layer, each.state, each.confidence) == rank]
    others = [cause for cause in dict.fromkeys(others) if cause != first.cause]
    if not others:
        return ()
    have = "has" if len(others) == 1 else "have"
    return (
        f"{told(others)} at {first.layer} {have} as much evidence as {first.cause}, and may be the cause beside it.",
    )


def _without_cause(case: Case, findings: Sequence[Finding]) -> tuple[State, str]:
    pairs = [pair for pair in case.comparisons if pair.counts]
    differing = [pair for pair in pairs if pair.relation == "different"]
    unknown = [pair for pair in pairs if pair.relation == "unknown"]
    if differing:
        return "inconclusive", f"{named(differing[0])} differ, and nothing shows why."
    if unknown:
        said = unknown[0].why or "what is known does not decide"
        how = "cannot be compared" if unknown[0].changes else "show no difference, which proves nothing"
        return "inconclusive", f"{named(unknown[0])} {how}: {said}."
    in_vain = asked_in_vain(case)
    if in_vain:
        return "inconclusive", _in_vain(case, in_vain[0], findings)
    unseen = [finding.message for finding in findings if finding.rule == "expected-build-unknown"]
    if unseen:
        return "inconclusive", unseen[0]
    if pairs:
        return "in-sync", " ".join([_agreement(case, pairs), *_aside(case)])
    return "inconclusive", _no_pair(case, findings)


def _no_pair(case: Case, findings: Sequence[Finding]) -> str:
    if case.listed is not None:
        none = "there was nothing to compare it with"
        why = none if case.bundle.baseline is None else "what there is to compare it with is not of its kind"
        return f"The list was read once, and {why}."
    return _one_list(case, findings) if case.timelines else _nothing(findings)


def _aside(case: Case) -> Iterator[str]:
    """Yield that the past differs, where that does not count and nothing but the server and its past was asked about."""
    pair = case.comparison("baseline", "origin")
    if pair is not None and pair.relation == "different" and case.bundle.only_server_and_past:
        yield f"{_past_name(case).capitalize()} differs, and does not count: {pair.why}."


def _past_name(case: Case) -> str:
    """Return what the past is called: a snapshot, or any other list that was named as the baseline."""
    source = case.bundle.baseline.source if case.bundle.baseline is not None else ""
    return "the snapshot" if source.startswith("snapshot:") else "the baseline"


def _in_vain(case: Case, layer: str, findings: Sequence[Finding]) -> str:
    """Say why a layer that was looked at showed nothing."""
    seen = [finding.message for finding in findings if finding.layer == layer and finding.severity != "note"]
    failed = case.observation("path" if layer == "path" else "registry" if layer == "registry" else "model")
    why = seen[0] if seen else failed.failure.message if failed is not None and failed.failure is not None else None
    return f"The {layer} was looked at and showed no list{f': {why}' if why else '.'}"


def _agreement(case: Case, pairs: Sequence[Comparison]) -> str:
    clients = [standing for standing in case.standings if standing.pairs and not standing.timeline.own]
    views = [view for view in case.views if view.counts]
    if views:
        return _views_agree(views, pairs)
    if clients:
        return _clients_agree(case, clients, pairs)
    tools = counted(case.listed.count, "tool") if case.listed is not None else "their tools"
    if any(pair.older == "manifest" and pair.why is not None for pair in pairs):
        tools = f"what both ought to hold; {tools} are live"
    names = [name for name in ("manifest", "baseline") if any(pair.older == name for pair in pairs)]
    if not names:
        walks = "Two complete walks" if len(pairs) == 1 else f"{len(pairs) + 1} complete walks"
        return f"{walks} of the list {_manner(pairs)} {tools}."
    words = {"manifest": "the manifest", "baseline": _past_name(case)}
    parties = (", ".join(words[name] for name in names) + " and the live list").capitalize()
    return f"{parties} {_manner(pairs)} {tools}."


def _manner(pairs: Sequence[Comparison]) -> str:
    equivalent = any(pair.relation == "equivalent" for pair in pairs)
    return "agree, in all that a caller or a model sees, on" if equivalent else "agree on"


def _views_agree(views: Sequence[View], pairs: Sequence[Comparison]) -> str:
    """Say that every layer that was observed shows the list that stands before it."""
    names = dict.fromkeys(name for view in views for name in (view.side, view.layer))
    parties = [_SHOWN.get(name, name) for name in sorted(names, key=_ladder_place)]
    said = f"{', '.join(parties[:-1])} and {parties[-1]}"
    tools = counted(views[0].live.count, "tool")
    return f"{said[0].upper()}{said[1:]} {_manner(pairs)} {tools}."


def _ladder_place(name: str) -> int:
    return next((place for place, layer in enumerate(LADDER) if layer == name), len(LADDER))


_SHOWN = {
    "manifest": "the manifest",
    "origin": "the server's list",
    "path": "the list through the path",
    "wire": "what the client was sent",
    "registry": "what the client holds",
    "model": "what the model is offered",
}


def _clients_agree(case: Case, clients: Sequence[Standing], pairs: Sequence[Comparison]) -> str:
    """Say that every client was sent, and last read, the list that is the newest."""
    named = told([standing.client.name for standing in clients])
    surfaces = [standing.held.surface for standing in clients if standing.held is not None]
    tools = next((counted(surface.count, "tool") for surface in surfaces if surface is not None), "its tools")
    against = "the list that the server has now" if case.listed is not None else "the newest list in the recording"
    holds = "last read" if len(clients) == 1 else "each last read"
    same = (
        "the same, in all that a caller or a model sees, as " if any(p.relation == "equivalent" for p in pairs) else ""
    )
    return f"{named} {holds} {same}{against} ({tools})."


def _one_list(case: Case, findings: Sequence[Finding]) -> str:
    """Say why a recording alone does not decide: it holds one list, or none."""
    lists = sum(walk.whole for line in case.timelines for session in line.sessions for walk in session.walks)
    if lists:
        return "The recording holds one list, and there is nothing to compare it with."
    noted = [finding for finding in findings if finding.rule == "list-error"]
    return noted[0].message if noted else "The recording holds no list that was read to its end."


def _nothing(findings: Sequence[Finding]) -> str:
    """Say why there was nothing to compare: by the first layer that could not be observed, the origin before others."""
    rules = [finding for finding in findings if finding.rule in CATALOGUE and CATALOGUE[finding.rule].kind == "rule"]
    rules.sort(key=lambda finding: finding.layer != "origin")
    if rules:
        return rules[0].message
    noted = [finding for finding in findings if finding.rule in {"list-error", "not-observed"}]
    return noted[0].message if noted else "Nothing was observed that could be compared."

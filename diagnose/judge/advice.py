"""What to do next, for this very target, and what the evidence does not reach."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnose.evidence.bundle import Target
from diagnose.evidence.observation import Build, LayerName
from diagnose.judge.candidates import candidate
from diagnose.judge.case import Case
from diagnose.judge.catalogue import CATALOGUE
from diagnose.judge.catalogue.kinds import steps_of
from diagnose.judge.diagnosis import Candidate, Comparison, Finding, State
from diagnose.judge.ladder import rows
from diagnose.judge.settling import settling
from diagnose.judge.walks import surface_of
from diagnose.judge.words import sentence

_OWN_SESSION = "Path, wire, registry and model were not observed: our own session shows what a new client gets, never what a stuck one holds."
_REVISION = "A revision is a freshness signal: it covers names, descriptions, input schemas and annotations, and no authorization, no prompts and no behaviour."
_NO_FRAMES = (
    "{missing} not observed: the wire shows what a client was sent, never what it kept or what its model was shown."
)
_SERVER_SIDE: tuple[LayerName, ...] = ("deployed", "manifest", "origin")
#: Causes for which a revision is all the evidence there is (rule 8).
_BY_REVISION = frozenset({"revision-mismatch"})


def commands(target: Target, client: str | None = None, expected: Build | None = None) -> dict[str, str]:
    """Return the target as a person types it, and the commands that look at it.

    `again`, `expecting` and `save` do the main job on it once more, with the same expectation, or also store what they
    see; `beside`, `path`, `client`, `model` and `authorized` lay something beside it.
    """
    if target.transport == "stdio":
        word, tail = "", f" -- {target.endpoint}"
    else:
        word, tail = " demo" if target.id == "demo" else f" {shlex.quote(target.endpoint)}", ""
    return {
        "target": (word + tail).strip(),
        "again": f"diagnose surface{word}{tail}",
        "expecting": f"diagnose surface{word}{_expectation(expected)}{tail}",
        "save": f"diagnose surface{word} --save{tail}",
        "beside": f"diagnose triage{word} --bundle FILE{tail}",
        "path": f"diagnose triage{word} --path URL{tail}",
        "client": f"diagnose triage{word} --client {shlex.quote(client or 'ID')} --registry FILE{tail}",
        "model": f"diagnose triage{word} --client {shlex.quote(client or 'ID')} --model FILE{tail}",
        "authorized": f"diagnose triage{word} --auth env:VAR --registry FILE{tail}",
    }


def _expectation(expected: Build | None) -> str:
    wanted = {} if expected is None else {"version": expected.version, "build": expected.build}
    return "".join(f" --expect-{name} {shlex.quote(value)}" for name, value in wanted.items() if value)


def next_steps(case: Case, state: State, cause: str | None, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return numbered steps for this target, in order."""
    client, deployed = case.bundle.client, case.bundle.deployed
    expected = deployed.expected if deployed is not None else None
    words = commands(case.bundle.target, client.id if client is not None else None, expected)
    if cause is not None:
        from diagnose.judge.for_client import client_steps

        row = CATALOGUE.get(cause)
        steps = _of_the_kind(cause, findings) or (row.next if row is not None else ()) or _remedies(cause, findings)
        if cause == "auth-blocked":
            steps = _for_the_credential(steps, findings)
        steps = (*steps, *map(_literal, client_steps(case, state, cause, findings)))
    else:
        steps = tuple(_in_sync(case) if state == "in-sync" else _open(case, findings))
    return tuple(dict.fromkeys(step.format_map(words) for step in steps))


def _of_the_kind(cause: str, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return the steps for the kind of this failure, where it has its own."""
    return next(filter(None, (steps_of(cause, seen.args) for seen in findings if seen.rule == cause)), ())


def _for_the_credential(steps: tuple[str, ...], findings: Sequence[Finding]) -> tuple[str, ...]:
    """Leave what fits: one step where no credential was sent, the other where one was; both where nobody knows."""
    sent = {finding.args.get("credentialSent") for finding in findings if finding.rule == "auth-blocked"}
    return steps[:1] if sent == {False} else steps[1:] if sent == {True} else steps


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _remedies(cause: str, findings: Sequence[Finding]) -> tuple[str, ...]:
    said = [finding.remedy for finding in findings if finding.rule == cause and finding.remedy]
    return tuple(_literal(remedy) for remedy in dict.fromkeys(said))


def _in_sync(case: Case) -> Iterator[str]:
    if _frames_alone(case):
        yield "If the client still shows other tools, the difference lies behind the wire: save what it holds, and lay that beside the recording with `triage --recording FILE --registry FILE`."
        return
    if case.bundle.baseline is None:
        yield "Keep this list as the reference for the next time: {save}"
    yield "If a client still shows other tools, have it reconnect, and compare its tools with the ones counted here."


def _open(case: Case, findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        if finding.rule == "expected-build-unknown":
            yield _literal(finding.remedy)
        row = CATALOGUE.get(finding.rule)
        if row is not None and row.kind == "rule":
            yield from steps_of(finding.rule, finding.args) or row.next
    if _frames_alone(case):
        yield f"Record again, from before the client connects until {case.bundle.wait:g} s after the change: what is missing here then has its frames."
        return
    yield from settling(case)


def _frames_alone(case: Case) -> bool:
    """Tell whether recordings are all there is, so that no server is known that could be asked."""
    bundle = case.bundle
    others = (bundle.origin, bundle.path, bundle.registry, bundle.model)
    return bool(case.timelines) and not bundle.live and all(seen is None for seen in others)


def limits(case: Case, cause: str | None) -> tuple[str, ...]:
    """Return what was not observed, and how far the evidence reaches."""
    bundle = case.bundle
    said = list(bundle.notes)
    said.extend(_missing(case))
    for seen in (bundle.deployed, bundle.manifest, bundle.origin):
        said.extend(seen.notes if seen is not None else ())
    if bundle.only_server_and_past and not case.timelines:
        said.append(_OWN_SESSION)
    said.extend(_aside(case))
    said.extend(_of_recordings(case))
    said.extend(_of_views(case))
    if cause in _BY_REVISION:
        said.append(_REVISION)
    return tuple(dict.fromkeys(map(sentence, said)))


def _missing(case: Case) -> Iterator[str]:
    """Yield what was not observed of the server's side and the past; where nobody was asked at all, in one sentence."""
    missed = [row for row in rows(case.bundle, case.timelines) if _missed(row)]
    server = [row for row in missed if row["layer"] in _SERVER_SIDE]
    if len(server) == len(_SERVER_SIDE) and len({row["why"] for row in server}) == 1:
        yield f"Deployed, manifest and origin were not observed: {server[0]['why']}"
        missed = [row for row in missed if row not in server]
    for row in missed:
        yield f"{row['layer'].capitalize()} was not observed: {row['why']}"


def _aside(case: Case) -> Iterator[str]:
    """Yield the pairs that differ and do not count, so that no verdict passes over a difference in silence."""
    aside = [pair for pair in case.comparisons if pair.relation == "different" and not pair.counts]
    walks = [pair for pair in aside if "#" in pair.older]
    if len(walks) > 1:
        yield f"{len(walks)} pairs of walks of the {walks[0].newer.partition('#')[0]} differ, which does not count"
    for pair in aside if len(walks) < 2 else [pair for pair in aside if pair not in walks]:
        yield f"{named(pair)} differ, which does not count{f': {pair.why}' if pair.why else ''}"


def _of_recordings(case: Case) -> Iterator[str]:
    """Yield how far recordings reach: what they leave out, and where they stop."""
    unseen = [layer for layer in ("registry", "model") if case.observation(layer) is None]
    if case.timelines and unseen:
        named = " and ".join(unseen).capitalize()
        yield _NO_FRAMES.format(missing=f"{named} {'were' if len(unseen) > 1 else 'was'}")
    for line in case.timelines:
        yield from line.notes
        if line.ended is None:
            yield f"the recording {line.name} has no end: it was cut, and what followed is not known"
        elif line.ended == "limit":
            yield f"the recording {line.name} reached its limit, and what followed is not known"


def _of_views(case: Case) -> Iterator[str]:
    """Yield what a view does not reach: layers beside it, and another session than the one it was made in."""
    for view in case.views:
        if view.layer != "path" and view.seen.session in {"new", None, "unknown"}:
            whose = "is of a new session" if view.seen.session == "new" else "does not say of which session it is"
            yield f"the view of the {view.layer} {whose}: it never shows what a running session holds"
    for layer in asked_in_vain(case):
        yield f"the {layer} was asked for and could not be had: what it shows is not known"
    bundle = case.bundle
    layers = {"path": bundle.path, "wire": bundle.wire or None, "registry": bundle.registry, "model": bundle.model}
    unseen = [name for name, seen in layers.items() if seen is None]
    if case.views and unseen and not case.timelines:
        named = f"{', '.join(unseen[:-1])} and {unseen[-1]}" if len(unseen) > 1 else unseen[0]
        yield f"{named.capitalize()} {'were' if len(unseen) > 1 else 'was'} not observed"


def asked_in_vain(case: Case) -> tuple[str, ...]:
    """Return the layers behind the server that somebody looked at and that showed no list."""
    bundle = case.bundle
    looked = {"path": bundle.path, "registry": bundle.registry, "model": bundle.model}
    return tuple(layer for layer, seen in looked.items() if seen is not None and surface_of(seen) is None)


def named(pair: Comparison) -> str:
    """Return a pair as the subject of a sentence: `The manifest and the origin`, `Walk 1 and walk 2 of the origin`."""
    (older, _, first), (newer, _, second) = pair.older.partition("#"), pair.newer.partition("#")
    if pair.older in {"registry", "model"}:
        return f"The list of the {pair.older} and that of the {pair.newer}"
    if pair.older.startswith("wire"):
        return f"The list that the client last read and the one of {pair.newer}"
    return f"Walk {first} and walk {second} of the {newer}" if first else f"The {older} and the {newer}"


def _missed(row: Mapping[str, Any]) -> bool:
    """Tell whether a row of the server's side or the past is missing; the client's side has a sentence of its own."""
    return not row["observed"] and row["layer"] in {*_SERVER_SIDE, "baseline"}


def suspicions(case: Case, findings: Sequence[Finding]) -> tuple[Candidate, ...]:
    """Return what an open verdict suspects, each with what would settle it; none of these could be the verdict.

    A note that is no more than possible is such a suspicion: the evidence points there and does not reach.
    """
    found = [
        candidate(finding)
        for finding in findings
        if finding.severity == "note" and finding.confidence == "possible" and finding.rule in CATALOGUE
    ]
    if case.walks.pattern == "open":
        order = tuple(f"walk {place}" for place in range(1, len(case.walks.walks) + 1))
        found.append(
            Candidate(
                cause="replica-skew",
                state="broken",
                layer="origin",
                confidence="possible",
                evidence=order,
                summary="No two walks agree: another walk that brings an earlier list again would show that instances differ, two equal ones that the list only changed.",
            )
        )
    return tuple(found)

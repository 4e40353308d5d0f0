"""Checks on the eras and versions of a server: what it names, what it takes, and how it refuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from diagnose.evidence.probes import Answered, VersionTried
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_list
from diagnose.judge.checks.probed import contradictions, modern_only, removed_methods, versions
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.diagnosis import Severity
from diagnose.wire.eras import HEADER_MISMATCH, UNSUPPORTED_VERSION, VERSIONS
from diagnose.wire.message import METHOD_NOT_FOUND

_FAMILY = "eras"
_DISCOVER = "MCP 2026-07-28, server/discover, DiscoverResult"
_HTTP = "MCP 2026-07-28, basic/transports/streamable-http"


@check(
    "discover-overclaims",
    family=_FAMILY,
    layer="origin",
    severity="error",
    summary="Every version that discovery names is accepted.",
    why="A client takes a version from there, and its next request is refused.",
    remedy="Name in supportedVersions only what is served at this very address.",
    source=f"{_DISCOVER}: supportedVersions are those the server supports, and a client should choose one of these",
    message="Discovery names {version}, and the server does not take it: {answer}.",
    needs=(versions,),
)
def discover_overclaims(case: Case) -> Iterable[Seen]:
    """Look for versions that are named and refused."""
    for tried in _tried(case):
        if tried.named and tried.accepted is False:
            yield _version(tried)


@check(
    "discover-incomplete",
    family=_FAMILY,
    layer="origin",
    severity="note",
    summary="Every version that is accepted is named by discovery.",
    why="A client that chooses from discovery never uses what is not named there, and may give up.",
    remedy="Name every version that is served in supportedVersions.",
    source=f"{_DISCOVER}: supportedVersions are those the server supports; nothing says that it must name all of them",
    message="The server takes versions that discovery does not name: {versions}.",
    needs=(versions,),
)
def discover_incomplete(case: Case) -> Iterable[Seen]:
    """Look for versions that are accepted and not named."""
    unnamed = [tried for tried in _tried(case) if tried.accepted and not tried.named]
    if unnamed:
        evidence = tuple(f"{tried.answer.method} with {tried.version}" for tried in unnamed)
        yield Seen(args={"versions": [tried.version for tried in unnamed]}, evidence=evidence)


def _tried(case: Case) -> tuple[VersionTried, ...]:
    return case.bundle.probes.versions if case.bundle.probes is not None else ()


def _version(tried: VersionTried) -> Seen:
    offered = tried.answer.result.get("protocolVersion") if tried.answer.result is not None else None
    said = f"it answers {tried.answer.method} with {offered}" if offered is not None else _said(tried.answer)
    return Seen(
        args={"version": tried.version, **_facts(tried.answer)},
        words={"answer": said},
        evidence=(f"{tried.answer.method} with {tried.version}",),
    )


@check(
    "header-mismatch-accepted",
    family=_FAMILY,
    layer="origin",
    severity="error",
    summary="Headers that contradict the body are refused, as HTTP 400 with JSON-RPC error -32020.",
    why="A proxy routes by the header and the server acts by the body: who may do the one can do the other.",
    remedy="Compare MCP-Protocol-Version, Mcp-Method and Mcp-Name with the body before anything else.",
    source=f"{_HTTP}, Server Validation: servers MUST reject them, with 400 and -32020",
    message="{what}, and the server answers {answer}.",
    needs=(contradictions, origin_list),
)
def header_mismatch_accepted(case: Case) -> Iterable[Seen]:
    """Look for contradictions that were accepted, or refused in other words; an unknown version may be refused as such."""
    for answer in case.bundle.probes.headers if case.bundle.probes is not None else ():
        right = answer.refused and answer.code in {HEADER_MISMATCH, UNSUPPORTED_VERSION} and answer.status == 400
        if not right and answer.why is None:
            yield _refusal(answer, "error")


@check(
    "removed-method-wrong",
    family=_FAMILY,
    layer="origin",
    severity="error",
    summary="A method that there is not is refused with JSON-RPC error -32601, over HTTP with status 404.",
    why="That answer is how a client tells a missing method from a broken server, and a modern server from an old one.",
    remedy="Answer unknown and removed methods with -32601, and HTTP 404 beside it.",
    source=f"{_HTTP}, Protocol Version Header: it MUST respond with 404 and -32601; changes since 2025-11-25: `ping` was removed",
    message="{method}, {what}, is answered with {answer}.",
    needs=(removed_methods,),
)
def removed_method_wrong(case: Case) -> Iterable[Seen]:
    """Look at how the methods that are no more are refused; that one is still served breaks no rule, and is told."""
    probes, http = case.bundle.probes, case.bundle.target.transport == "http"
    for answer in probes.removed if probes is not None else ():
        right = answer.refused and answer.code == METHOD_NOT_FOUND and (not http or answer.status == 404)
        if not right and answer.why is None:
            served = answer.result is not None and "removed" in answer.what
            yield _refusal(answer, "warning" if served else "error")


def _refusal(answer: Answered, severity: Severity) -> Seen:
    return Seen(
        args={"method": answer.method, "what": answer.what, **_facts(answer)},
        words={"answer": _said(answer)},
        evidence=(f"{answer.method}: {answer.what}",),
        severity=severity,
    )


@check(
    "initialize-unhelpful",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary="A server of the modern era alone names its versions to whoever asks `initialize`.",
    why="A client of the older era cannot ask on, and this message is all that its user gets to see.",
    remedy="Name the supported versions in the error's data and in its message.",
    source="MCP 2026-07-28, basic/versioning: a modern-only server should name its versions in any error to initialize",
    message="initialize is refused without a word on the versions that are supported: {answer}.",
    needs=(modern_only,),
)
def initialize_unhelpful(case: Case) -> Iterable[Seen]:
    """Look for a version in what the server says to the older handshake."""
    answer = case.bundle.probes.initialize if case.bundle.probes is not None else None
    if answer is not None and not _names_a_version(answer):
        yield Seen(args=_facts(answer), words={"answer": _said(answer)}, evidence=("initialize",))


def _names_a_version(answer: Answered) -> bool:
    supported = answer.data.get("supported") if isinstance(answer.data, dict) else None
    if isinstance(supported, list) and any(isinstance(version, str) for version in supported):
        return True
    text = f"{answer.message} {answer.data if isinstance(answer.data, str) else ''}"
    return any(version in text for version in VERSIONS)


def _facts(answer: Answered) -> dict[str, Any]:
    known = {"status": answer.status, "code": answer.code, "says": answer.message[:200] or None}
    return {name: value for name, value in known.items() if value is not None}


def _said(answer: Answered) -> str:
    status = f"HTTP {answer.status} and " if answer.status is not None else ""
    if answer.result is not None:
        return f"{status}a result"
    if answer.why is not None:
        return answer.why
    words = f" ({answer.message[:80]})" if answer.message else ""
    return f"{status}JSON-RPC error {answer.code}{words}"

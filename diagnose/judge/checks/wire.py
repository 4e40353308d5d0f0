"""Checks on the bytes themselves: whether what was sent is JSON, and answers what was asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from diagnose.evidence.observation import Anomaly, LayerName
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import beside, origin_asked
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.checks.shapes import failed
from diagnose.judge.diagnosis import Severity
from diagnose.judge.words import counted

_WHAT = {
    "junk-line": "text that is no message",
    "invalid-json": "a message that is no JSON",
    "joined-json": "two messages on one line",
    "invalid-utf8": "bytes that are no UTF-8",
    "non-finite-number": "a number that JSON does not have (NaN or infinite)",
    "lone-surrogate": "half a character (a lone surrogate)",
    "duplicate-key": "an object with one key twice",
    "bom": "a byte order mark",
    "crlf": "CR LF as line ends",
    "oversized-line": "a line longer than is read",
    "other-event": "a message in an event that is not of the type for messages",
}
#: What a strict reader refuses is an error; what some readers pass over, or read in their own way, is less.
_LESSER: dict[str, Severity] = {
    "duplicate-key": "warning",
    "bom": "warning",
    "oversized-line": "warning",
    "other-event": "warning",
    "crlf": "note",
}
_REMEDIES = {
    "other-event": "Send messages in events without a type, or of the type `message`; clients pass over others."
}
_FAMILY = "wire"


def origin_heard(case: Case) -> str | None:
    """Require that anything came from the origin, were it only what is no answer."""
    return None if case.anomalies("origin") else origin_asked(case)


_JSON = "RFC 8259; MCP 2026-07-28, basic/transports: messages are JSON-RPC in UTF-8"


@check(
    "wire-corrupt",
    family=_FAMILY,
    layer="origin",
    severity="error",
    summary="All that is sent are messages.",
    why="One client warns and goes on, a strict one drops the connection and shows no tools.",
    remedy="Write logs to stderr, and JSON with a strict encoder.",
    source=f"catalogue of causes, wire-corrupt; {_JSON}",
    message="The server sends {what}{times}: {first}",
    needs=(origin_heard,),
)
def wire_corrupt(case: Case) -> Iterable[Seen]:
    """Take up what the reader of the wire had to pass over."""
    yield from failed(case, "wire-corrupt")
    yield from told(case.anomalies("origin"), "origin")


@check(
    "endpoint-corrupt",
    family=_FAMILY,
    layer="manifest",
    severity="error",
    summary="What the endpoints beside MCP send is strict JSON.",
    why="A strict reader cannot read the manifest or the health of this server.",
    remedy="Write JSON with a strict encoder.",
    source="RFC 8259",
    message="The endpoint sends {what}{times}: {first}",
    needs=(beside,),
)
def endpoint_corrupt(case: Case) -> Iterable[Seen]:
    """Take up the same beside MCP; where the list itself has it, that is the finding to read."""
    same = {anomaly.kind for anomaly in case.anomalies("origin")}
    for layer in ("deployed", "manifest"):
        for seen in told([each for each in case.anomalies(layer) if each.kind not in same], layer):
            lesser = "warning" if layer == "deployed" and seen.severity is None else seen.severity
            yield replace(seen, severity=lesser)


def told(anomalies: Sequence[Anomaly], layer: LayerName) -> Iterator[Seen]:
    """Yield what a strict reader would refuse, each kind once, as severe as it is."""
    for kind, what in _WHAT.items():
        of_kind = [anomaly for anomaly in anomalies if anomaly.kind == kind]
        if of_kind:
            first = of_kind[0]
            times = f" ({counted(len(of_kind), 'time')})" if len(of_kind) > 1 else ""
            yield Seen(
                args={"kind": kind, "first": _where(first), "count": len(of_kind)},
                words={"what": what, "times": times},
                evidence=tuple(_where(anomaly) for anomaly in of_kind[:5]),
                layer=layer,
                severity=_LESSER.get(kind),
                remedy=_REMEDIES.get(kind),
            )


def _where(anomaly: Anomaly) -> str:
    return f"{anomaly.where}: {anomaly.detail[:80]}" if anomaly.detail else anomaly.where


@check(
    "wrong-id",
    family=_FAMILY,
    layer="origin",
    severity="error",
    summary="An answer carries the id of its request.",
    why="A client that waits for its own id waits in vain.",
    remedy="Answer with the id of the request, in its type.",
    source="JSON-RPC 2.0, section 5: the id must be that of the request",
    message="The server sends an answer that belongs to no request: {first}",
    needs=(origin_heard,),
)
def wrong_id(case: Case) -> Iterable[Seen]:
    """Take up answers that belong to no request."""
    strays = [anomaly for anomaly in case.anomalies("origin") if anomaly.kind == "wrong-id"]
    if strays:
        yield Seen(args={"first": _where(strays[0]), "count": len(strays)}, evidence=tuple(map(_where, strays[:5])))

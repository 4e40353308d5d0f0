"""Faults of the two eras side by side, and of how the modern one refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from diagnose.reference.contract import VERSION
from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Era, Passing, fault
from diagnose.reference.faults.retell import absent, retold

MODERN: tuple[Era, ...] = ("modern",)
METHOD_NOT_FOUND = -32601
#: Methods that the modern era no longer has (MCP 2026-07-28, changelog).
REMOVED = frozenset({"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
#: A version that no server knows.
FUTURE = "2099-01-01"


@fault("eras-differ", breaks="A client of the handshake era is shown a tool less; there is no manifest.")
def eras_differ(passing: Passing) -> Answer:
    """Keep the newest tool for modern clients."""
    if passing.ask.is_manifest:
        return absent()
    return passing.honest() if passing.ask.is_modern else retold(passing, lambda tools: tools[:-1])


@fault("discover-incomplete", breaks="Handshake versions are accepted that server/discover does not name.", eras=MODERN)
def discover_incomplete(passing: Passing) -> Answer:
    """Name the modern version alone."""
    return _discovering(passing, lambda versions: versions[:1])


@fault("discover-overclaims", breaks="server/discover names a version that is refused.", eras=MODERN)
def discover_overclaims(passing: Passing) -> Answer:
    """Name a version that is yet to come."""
    return _discovering(passing, lambda versions: [*versions, FUTURE])


@fault(
    "header-mismatch-accepted",
    breaks="A request is served though its headers say something else than its body.",
    eras=MODERN,
    transports=("http",),
)
def header_mismatch_accepted(passing: Passing) -> Answer:
    """Put the headers right before the server looks at them."""
    ask = passing.ask
    if not ask.is_modern:
        return passing.honest()
    meta = ask.params.get("_meta") or {}
    named = ask.params.get("name") or ask.params.get("uri")
    right = {
        "mcp-method": ask.method or "",
        "mcp-protocol-version": str(meta.get(VERSION, "")),
        **({"mcp-name": named} if isinstance(named, str) and named.isascii() else {}),
    }
    return passing.server.answer(replace(ask, headers=tuple({**dict(ask.headers), **right}.items())))


@fault("removed-method-wrong", breaks="A method that the modern era has removed is answered.", eras=MODERN)
def removed_method_wrong(passing: Passing) -> Answer:
    """Answer a ping, and what else is gone, with an empty result."""
    ask = passing.ask
    if not ask.is_modern or ask.method not in REMOVED:
        return passing.honest()
    return Answer.of({"jsonrpc": "2.0", "id": ask.message.get("id"), "result": {"resultType": "complete"}})


@fault(
    "initialize-unhelpful",
    breaks="A server of the modern era alone refuses initialize without naming its versions.",
    eras=MODERN,
)
def initialize_unhelpful(passing: Passing) -> Answer:
    """Know nothing of the handshake era; what is beside the MCP endpoint stays."""
    if passing.ask.message is None:
        return Answer(status=405, headers=(("allow", "POST"),)) if passing.outlet is not None else passing.honest()
    if passing.ask.is_modern or "id" not in passing.ask.message:
        return _discovering(passing, lambda versions: versions[:1])
    return Answer.refusal(passing.ask, METHOD_NOT_FOUND, "Method not found", status=404)


def _discovering(passing: Passing, change: Callable[[list[str]], list[str]]) -> Answer:
    answer = passing.honest()
    result = answer.result
    if passing.ask.method != "server/discover" or result is None:
        return answer
    return answer.with_result({**result, "supportedVersions": change(result["supportedVersions"])})

"""What to do about a failure of one kind, where the rule that it goes under would send a person elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: By rule and kind (or reason) of the failure: the remedy, and the next step.
_KINDS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("unreachable", "busy"): (
        "Wait as long as the server asks, and ask less often.",
        "The server is there and cannot answer now: wait, and look at what limits or overloads it.",
    ),
    ("unreachable", "encoding"): (
        "Send bodies in the content coding that their headers name, and in none that was not asked for.",
        "Look at the body and its Content-Encoding as they leave the server, and behind each proxy.",
    ),
    ("unreachable", "cut"): (
        "Look into the logs of the server and of each proxy for what ended the connection.",
        "Look into the logs of the server and of each proxy for what broke this answer off.",
    ),
    ("unreachable", "redirects"): (
        "Give the address that the redirects are meant to lead to, or correct them.",
        "Follow the redirects of {target} one by one, and correct the one that leads back.",
    ),
    ("timed-out", "stream-cut"): (
        "Look into the logs of the server and of each proxy for what ended the stream before its answer.",
        "The stream broke off, and no more time would help: look for a proxy or a limit that ends streams, and for a crash.",
    ),
    ("limit-exceeded", "too-deep"): (
        "Find the definition that is nested so deep, and refer to a shared part (`$ref`) in place of writing it out.",
        "Find the definition that is nested so deep: clients have such bounds too.",
    ),
}


def remedy_of(rule: str, args: Mapping[str, Any]) -> str | None:
    """Return the remedy for this kind of failure; None where that of the rule fits."""
    found = _found(rule, args)
    return found[0] if found is not None else None


def steps_of(rule: str, args: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the next steps for this kind of failure; none where those of the rule fit."""
    found = _found(rule, args)
    return found[1:] if found is not None else ()


def _found(rule: str, args: Mapping[str, Any]) -> tuple[str, str] | None:
    names = (args.get("kind"), args.get("reason"))
    return next((_KINDS[rule, name] for name in names if isinstance(name, str) and (rule, name) in _KINDS), None)

"""Answers that hold no result, told as the error that they are."""

from __future__ import annotations

from typing import Any, Final

from diagnose.errors import ObservationError
from diagnose.observe.channel import Answer
from diagnose.wire.eras import HEADER_MISMATCH
from diagnose.wire.message import RpcErrorBody

#: Statuses of somebody who cannot answer just now; the transport has tried more than once.
NOT_NOW: Final = frozenset({429, 502, 503, 504})
_OK: Final = range(200, 300)
_ELSEWHERE: Final = range(300, 400)


class RpcError(ObservationError):
    """The server answered a request with a JSON-RPC error."""

    def __init__(self, method: str, error: RpcErrorBody, status: int | None = None) -> None:
        super().__init__(
            f"The server refused {method} with {error}",
            rule="header-mismatch" if error.code == HEADER_MISMATCH else "list-error",
            method=method,
            code=error.code,
            status=status,
        )
        self.body = error
        self.code = error.code
        self.data = error.data
        self.status = status


def no_answer(answer: Answer, method: str, rule: str) -> ObservationError:
    """Return the error for an answer without a JSON-RPC message.

    ``rule`` is its name unless the answer itself has one: `unreachable` for a server that cannot answer now,
    `limit-exceeded` and `wire-corrupt` for JSON that cannot be read.
    """
    args: dict[str, Any] = {"method": method, "status": answer.status, "mediaType": answer.headers.media_type}
    status = "" if answer.status is None else f" with HTTP {answer.status}"
    if answer.status in NOT_NOW:
        wait = _wait(answer)
        said = f"The server answered {method}{status}{wait}."
        return ObservationError(said, rule="unreachable", kind="busy", **args)
    if answer.status in _ELSEWHERE:
        location = (answer.headers.get("location") or "nowhere").partition("?")[0][:200]
        return ObservationError(
            f"The server answered {method} with a redirect to {location}, which is not followed.",
            rule=rule,
            advice="Give the URL that the redirect leads to, if you trust it.",
            kind="redirect",
            **args,
        )
    problem = answer.payload.problem
    if problem is not None and problem.reason in {"too-large", "too-deep"}:
        return ObservationError(
            f"The answer to {method} cannot be read: {problem}.", rule="limit-exceeded", reason=problem.reason, **args
        )
    if answer.status in _OK and problem is not None and answer.body.strip():
        return ObservationError(f"The answer to {method} is no JSON: {problem}.", rule=_corrupt(rule), **args)
    if answer.status in _OK and answer.payload.messages:
        return ObservationError(f"The answer to {method} has another id.", rule=_corrupt(rule), kind="id", **args)
    return ObservationError(f"The server answered {method}{status} and {_shape(answer)}.", rule=rule, **args)


def _wait(answer: Answer) -> str:
    """Say how long the server asks to wait: seconds or a date (RFC 9110, 10.2.3)."""
    asked = (answer.headers.get("retry-after") or "").strip()[:40]
    if not asked:
        return ""
    return f" and asks to wait {asked} s" if asked.isdecimal() else f" and asks to wait until {asked}"


def _corrupt(rule: str) -> str:
    """Before the handshake is over, nothing says that the other side speaks MCP at all."""
    return rule if rule == "handshake-failed" else "wire-corrupt"


def _shape(answer: Answer) -> str:
    if not answer.body.strip():
        return "an empty body"
    if "html" in answer.headers.media_type or answer.body.lstrip()[:1] == b"<":
        return "an HTML page where JSON is due"
    if answer.payload.value is not None:
        return "JSON that is no JSON-RPC message"
    return f"a body of type {answer.headers.media_type or 'unknown'} that is no JSON-RPC message"

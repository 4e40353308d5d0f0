"""One request that is sent to see how it is answered: nothing that a server does with it is an error here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnose.errors import ObservationError
from diagnose.evidence.probes import Answered
from diagnose.observe.channel import Answer
from diagnose.observe.dialogue import Dialogue
from diagnose.transport.answer import Headers
from diagnose.wire.headers import modern_headers
from diagnose.wire.negotiation import modern_params


def ask_modern(
    dialogue: Dialogue,
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    version: str,
    what: str = "",
    headers: Mapping[str, str | None] | None = None,
) -> Answered:
    """Send a modern request. ``headers`` stand in the place of those that repeat the body; None leaves one out."""
    sent = modern_params(params, version)
    fields: dict[str, str | None] = {**modern_headers({"method": method, "params": sent}, version), **(headers or {})}
    kept = {name: value for name, value in fields.items() if value is not None}
    return ask(dialogue, method, sent, what=what, headers=kept)


def ask(
    dialogue: Dialogue,
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    what: str = "",
    headers: Mapping[str, str] | None = None,
) -> Answered:
    """Send a request as it is; without ``headers`` those of the dialogue go with it. Raises as `exchange`."""
    return exchange(dialogue, method, params, what=what, headers=headers)[0]


def exchange(
    dialogue: Dialogue,
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    what: str = "",
    headers: Mapping[str, str] | None = None,
) -> tuple[Answered, Headers]:
    """Send a request and return how it was answered, with the headers of the answer.

    Raises ObservationError only where the deadline is over.
    """
    try:
        answer = dialogue.ask(method, params, headers=headers)
    except ObservationError as error:
        dialogue.deadline.check(f"waiting for {method}")
        status = error.args_by_name.get("status")
        known = status if isinstance(status, int) else None
        return Answered(method=method, what=what, status=known, why=str(error)), Headers()
    return _answered(method, what, answer), answer.headers


def _answered(method: str, what: str, answer: Answer) -> Answered:
    message = answer.message
    if message is None:
        status = "" if answer.status is None else f"HTTP {answer.status} and "
        return Answered(method=method, what=what, status=answer.status, why=f"{status}no JSON-RPC answer")
    if message.kind == "error":
        error = message.error
        said = {"code": error.code, "message": error.message, "data": error.data}
        return Answered(method=method, what=what, status=answer.status, refused=True, **said)
    result = message.result
    if not isinstance(result, Mapping):
        return Answered(method=method, what=what, status=answer.status, why="a result that is no object")
    return Answered(method=method, what=what, status=answer.status, result=result)

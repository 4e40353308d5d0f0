"""Messages on their way from a recording back to a wire: what asked for them, what was left out, whose ids they carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from diagnose.reference.contract import VERSION
from diagnose.wire.subscription import SUBSCRIPTION_ID

Key: TypeAlias = tuple[Any, ...]

#: What tells two requests of one method apart, by method; other parameters are left out of a recording, or say nothing.
_TELLING = {"tools/call": "name", "prompts/get": "name"}
#: What stands for a value that the recording left out, by its JSON type.
_BLANKS: Mapping[str, Any] = {"number": 0, "boolean": False, "array": [], "object": {}, "null": None}
MARKS = ("$redacted", "$digest")


def key_of(message: Any, verb: str, session: str | None) -> Key:
    """Return what a request is recognised by: two with one key may get each other's answers."""
    if isinstance(message, list):
        return ("batch", session, *(key_of(entry, verb, None) for entry in message))
    method = method_of(message)
    if method is None:
        return ("answer" if isinstance(message, dict) else verb, session)
    detail = params_of(message).get(_TELLING.get(method, "cursor"))
    return (method, session, is_modern(message), detail if isinstance(detail, str) else None)


def is_modern(message: Any) -> bool:
    """Tell whether a message is of the modern era, which says so itself."""
    return method_of(message) == "server/discover" or VERSION in _dict(params_of(message).get("_meta"))


def method_of(message: Any) -> str | None:
    """Return the method of a message; None for an answer and for what is no message."""
    method = message.get("method") if isinstance(message, dict) else None
    return method if isinstance(method, str) else None


def params_of(message: Any) -> Mapping[str, Any]:
    """Return the parameters of a message; empty where there are none."""
    return _dict(message.get("params")) if isinstance(message, dict) else {}


def asks(message: Any) -> list[Mapping[str, Any]]:
    """Return the requests in a message or batch."""
    entries = message if isinstance(message, list) else [message]
    return [each for each in entries if method_of(each) is not None and "id" in each]


def token_of(message: Any) -> Any:
    """Return the progress token of a request; None where it wants no progress."""
    return _dict(params_of(message).get("_meta")).get("progressToken")


def subscription_of(message: Any) -> Any:
    """Return the subscription that a message says it belongs to."""
    return _dict(params_of(message).get("_meta")).get(SUBSCRIPTION_ID)


def filled(value: Any) -> Any:
    """Return a recorded value with something in the place of what was left out, and without the marks of redaction."""
    if isinstance(value, list):
        return [filled(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    left_out = value.get("$omitted")
    if isinstance(left_out, dict):
        return _BLANKS.get(str(left_out.get("type")), f"(left out of the recording: {left_out.get('bytes')} bytes)")
    return {
        name: [_item(each) for each in entry] if name == "content" and isinstance(entry, list) else filled(entry)
        for name, entry in value.items()
        if name not in MARKS
    }


def _item(item: Any) -> Any:
    """Return an item of a tool's result; one that was left out whole becomes a text, as it has to be something."""
    if isinstance(item, dict) and "$omitted" in item:
        return {"type": "text", "text": "(left out of the recording)"}
    return filled(item)


def readdressed(message: Any, then: Any, now: Any) -> Any:
    """Return a recorded message for whoever sent the request ``now`` as somebody sent ``then``: with its ids and its token."""
    ids = {repr(old["id"]): new["id"] for old, new in zip(asks(then), asks(now), strict=False)}
    old_token, new_token = token_of(then), token_of(now)
    entries = [
        _one(entry, ids, old_token, new_token) for entry in (message if isinstance(message, list) else [message])
    ]
    return entries if isinstance(message, list) else entries[0]


def _one(entry: Any, ids: Mapping[str, Any], old_token: Any, new_token: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    entry = filled(entry)
    if method_of(entry) is None:
        if repr(entry.get("id")) in ids:
            entry["id"] = ids[repr(entry["id"])]
        members = _dict(entry.get("result"))
    else:
        members = _dict(entry.get("params"))
        if "progressToken" in members and members["progressToken"] == old_token:
            members["progressToken"] = new_token
    meta = _dict(members.get("_meta"))
    if repr(meta.get(SUBSCRIPTION_ID)) in ids:
        meta[SUBSCRIPTION_ID] = ids[repr(meta[SUBSCRIPTION_ID])]
    return entry


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

"""What the faults of state have in common: one definition told otherwise, one answer told otherwise, and no stale URIs."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, TypeAlias

from diagnose.reference.contract import ToolDict
from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing, Telling, fault, telling
from diagnose.reference.faults.retell import Tools, retold
from diagnose.reference.outlet import Message
from diagnose.statesync import format_invalidation, is_manifest_uri, parse_stale_uri
from diagnose.statesync.uris import RESOURCE_UPDATED

Content: TypeAlias = list[dict[str, Any]]

#: Declares a fault that stands before a ledger.
state_fault = partial(fault, ledger=True)
state_telling = partial(telling, ledger=True)

READ, REFUND, ADJUST, CODES, STOCK = (
    "billing.get_invoice",
    "billing.refund",
    "stock.adjust",
    "reference.currencies",
    "stock.list",
)
UPDATED: Final = RESOURCE_UPDATED


def telling_of(passing: Passing, name: str, change: Callable[[ToolDict], ToolDict]) -> Answer:
    """Answer as a server would that has this tool in another form."""

    def told(tools: Tools) -> Tools:
        return [change(copy.deepcopy(tool)) if tool["name"] == name else tool for tool in tools]

    return retold(passing, told)


def described(passing: Passing, name: str, change: Callable[[str], str]) -> Answer:
    """Answer as a server would that describes this tool otherwise."""
    return telling_of(passing, name, lambda tool: {**tool, "description": change(tool["description"])})


def answered(passing: Passing, name: str, change: Callable[[Content], Content], *, failed: bool = False) -> Answer:
    """Answer a call of this tool with other content if it succeeded, or where ``failed`` is asked for, if it failed."""
    answer = passing.honest()
    result = answer.result
    if not calls(passing, name) or result is None or bool(result.get("isError")) is not failed:
        return answer
    return answer.with_result({**result, "content": change(result["content"])})


def calls(passing: Passing, name: str) -> bool:
    """Tell whether a request is a call of this tool."""
    return passing.ask.method == "tools/call" and passing.ask.params.get("name") == name


def tag(cause: str, *domains: str) -> dict[str, Any]:
    """Return an invalidation as a content item."""
    return {"type": "text", "text": format_invalidation(cause, domains)}


def text(said: str) -> dict[str, Any]:
    """Return a text as a content item."""
    return {"type": "text", "text": said}


def without_stale_uris(telling: Telling) -> Iterable[Message]:
    """Tell of resources alone, so that what a tag says is not said by a notification after all."""
    return () if stale_domain(telling.message) is not None else (telling.message,)


def stale_domain(message: Message) -> str | None:
    """Return the domain that a notification says is stale; None for any other message."""
    stale = parse_stale_uri(str(message["params"].get("uri"))) if message.get("method") == UPDATED else None
    return None if stale is None else stale.pattern


def manifest_changed(passing: Passing, change: Callable[[dict[str, Any]], Any]) -> Answer:
    """Answer a read of the manifest with another document; None is no text at all."""
    answer = passing.honest()
    uri = passing.ask.params.get("uri")
    if passing.ask.method != "resources/read" or not is_manifest_uri(str(uri)) or answer.result is None:
        return answer
    (content,) = answer.result["contents"]
    document = change(json.loads(content["text"]))
    told = {key: value for key, value in content.items() if key != "text"}
    if document is not None:
        told["text"] = json.dumps(document)
    return answer.with_result({**answer.result, "contents": [told]})


def hinted(answer: Answer, **hints: Any) -> Answer:
    """Return a list with other cache hints; one that is None is left out."""
    result = answer.result
    if result is None:
        return answer
    told = {**result, **hints}
    return answer.with_result({key: value for key, value in told.items() if key not in hints or value is not None})

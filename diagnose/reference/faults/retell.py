"""Telling another list than the server holds, consistently, so that a fault breaks only what it is named after."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from diagnose.reference.contract import MANIFEST, REVISION_FIELD, SERVER_INFO, ToolDict
from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing
from diagnose.surface import revision

Tools = list[ToolDict]

INVALID_PARAMS = -32602
PLAIN_TEXT = (("content-type", "text/plain"),)


def retold(passing: Passing, change: Callable[[Tools], Tools]) -> Answer:
    """Answer as an honest server would that holds `change(tools)`: one story in the list, the manifest, everywhere."""
    if passing.ask.is_list:
        return listed(passing, change(passing.tools()))
    if passing.ask.is_manifest:
        return Answer.of(change(passing.tools()))
    answer = passing.honest()
    result = answer.result
    return answer if result is None else answer.with_result(stamped(result, change(passing.tools())))


def listed(
    passing: Passing,
    tools: Tools,
    *,
    following: str | None = None,
    whole: Tools | None = None,
    issued: Container[str] = (),
) -> Answer:
    """Answer a list request with these tools as one page.

    `whole` is the list that the page is of, if it is longer; a cursor that is not among those `issued` is refused.
    """
    if passing.ask.cursor is not None and passing.ask.cursor not in issued:
        return Answer.refusal(passing.ask, INVALID_PARAMS, "nobody issued this cursor")
    answer = passing.server.answer(passing.ask.without_cursor())
    if answer.result is None:
        return answer
    result = {key: value for key, value in answer.result.items() if key != "nextCursor"} | {"tools": tools}
    if following is not None:
        result["nextCursor"] = following
    return answer.with_result(stamped(result, tools if whole is None else whole))


def stamped(result: Mapping[str, Any], tools: Tools) -> dict[str, Any]:
    """Return the result with the revision and count of these tools wherever it tells of a revision or a count."""
    told = {"revision": revision(tools), "count": len({tool["name"] for tool in tools if tool.get("name")})}
    return restamped(result, told)


def restamped(result: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result with this manifest wherever it tells of one."""
    stamped = dict(result)
    meta = stamped.get("_meta")
    if isinstance(meta, dict):
        meta = dict(meta)
        if MANIFEST in meta:
            meta[MANIFEST] = {**meta[MANIFEST], **told}
        if SERVER_INFO in meta:
            meta[SERVER_INFO] = _informed(meta[SERVER_INFO], told)
        stamped["_meta"] = meta
    if "serverInfo" in stamped:
        stamped["serverInfo"] = _informed(stamped["serverInfo"], told)
    return stamped


def _informed(info: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    return {**info, REVISION_FIELD: told["revision"]} if REVISION_FIELD in info else dict(info)


def absent() -> Answer:
    """Answer as a server without that path."""
    return Answer(status=404, headers=PLAIN_TEXT, body=b"Not Found")

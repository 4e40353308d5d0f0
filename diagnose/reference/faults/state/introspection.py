"""Faults of the manifest resource, and of what a lock file holds a server to; seen by `statesync manifest`."""

from __future__ import annotations

import copy
from typing import Any

from diagnose.reference.contract import ToolDict
from diagnose.reference.exchange import Answer, Transport
from diagnose.reference.faults.declare import Passing
from diagnose.reference.faults.retell import retold
from diagnose.reference.faults.state.parts import STOCK, manifest_changed, state_fault, telling_of

_OVER_HTTP: tuple[Transport, ...] = ("http",)
_HIDDEN = "payroll"


def _tools(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["capabilities"]["tools"]
    return found


@state_fault("manifest-leak:tool", breaks="The manifest names a group of tools that is in no list.")
def manifest_leak_tool(passing: Passing) -> Answer:
    """Forget one in the filter."""

    def change(document: dict[str, Any]) -> dict[str, Any]:
        tools = _tools(document)
        return {
            **document,
            "capabilities": {"presenters": {}, "tools": {**tools, _HIDDEN: copy.deepcopy(tools["stock"])}},
        }

    return manifest_changed(passing, change)


@state_fault("manifest-leak:enum", breaks="An action that was taken out of the manifest still stands in its schema.")
def manifest_leak_enum(passing: Passing) -> Answer:
    """Take out what destroys, and look at the actions alone."""

    def change(document: dict[str, Any]) -> dict[str, Any]:
        _tools(document)["billing"]["input_schema"]["properties"]["action"]["enum"].append("void")
        return document

    return manifest_changed(passing, change)


@state_fault("manifest-malformed:promise", breaks="The manifest is an empty object: its filter had not ended.")
def manifest_malformed_promise(passing: Passing) -> Answer:
    """Write down the promise of a document."""
    return manifest_changed(passing, lambda _: {})


@state_fault("manifest-malformed:no-text", breaks="The manifest has no text: its filter gave nothing back.")
def manifest_malformed_no_text(passing: Passing) -> Answer:
    """Give back nothing."""
    return manifest_changed(passing, lambda _: None)


@state_fault("manifest-malformed:keys", breaks="The manifest has lost its version and the effects of its actions.")
def manifest_malformed_keys(passing: Passing) -> Answer:
    """Write it by another form."""

    def change(document: dict[str, Any]) -> dict[str, Any]:
        for tool in _tools(document).values():
            for action in tool["actions"].values():
                del action["destructive"]
        return {key: value for key, value in document.items() if not key.endswith("VERSION")}

    return manifest_changed(passing, change)


@state_fault(
    "manifest-unfiltered",
    breaks="Two callers read the same manifest, though it is said to be filtered; seen with --second-auth.",
    transports=_OVER_HTTP,
)
def manifest_unfiltered(passing: Passing) -> Answer:
    """Show everybody what the first caller was shown."""
    return manifest_changed(passing, lambda document: passing.memory.first("manifest", document))


@state_fault("fusion-lock-differs:added", breaks="A tool is listed that is in no lock file; seen with --lock.")
def fusion_lock_added(passing: Passing) -> Answer:
    """Add one that nobody agreed on."""
    return retold(passing, lambda tools: [*tools, {**copy.deepcopy(tools[-1]), "name": f"{_HIDDEN}.run"}])


@state_fault("fusion-lock-differs:removed", breaks="A tool of the lock file is not listed; seen with --lock.")
def fusion_lock_removed(passing: Passing) -> Answer:
    """Take one out, of the manifest as well."""
    answer = retold(passing, lambda tools: [tool for tool in tools if tool["name"] != STOCK])
    if passing.ask.method != "resources/read":
        return answer

    def change(document: dict[str, Any]) -> dict[str, Any]:
        stock = _tools(document)["stock"]
        stock["actions"].pop("list", None)
        stock["input_schema"]["properties"]["action"]["enum"] = sorted(stock["actions"])
        return document

    return manifest_changed(passing, change)


@state_fault("fusion-lock-differs:effect", breaks="A tool that only reads by the lock file destroys; seen with --lock.")
def fusion_lock_effect(passing: Passing) -> Answer:
    """Turn the annotations round."""

    def change(tool: ToolDict) -> ToolDict:
        return {**tool, "annotations": {"readOnlyHint": False, "destructiveHint": True}}

    return telling_of(passing, STOCK, change)

"""The resources of the ledger: invoices by a template, a stamp in bytes, what went stale how often, and the manifest."""

from __future__ import annotations

import base64
import json
from typing import Any, Final

from diagnose.reference.contract import ToolDict
from diagnose.reference.ledger import INVOICE, Ledger
from diagnose.statesync import manifest_uri, parse_stale_uri
from diagnose.statesync.uris import STALE
from diagnose.wire.uri_template import variables

#: Level 1: what stands for `{id}` has its reserved characters percent-encoded.
INVOICE_TEMPLATE: Final = f"{INVOICE}{{id}}"
#: Level 2: a pattern stands in a stale URI as it is, and its `*` is a reserved character.
STALE_TEMPLATE: Final = f"{STALE}{{+domain}}"
STAMP: Final = "ledger://stamp"
_JSON: Final = "application/json"
_PAID: Final = base64.b64encode(b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,").decode()


def resources(ledger: Ledger) -> list[dict[str, Any]]:
    """Return the resources that stand by themselves."""
    everybody = {"audience": ["user", "assistant"], "priority": 0.5}
    invoices = [
        {"uri": f"{INVOICE}{name}", "name": name, "mimeType": _JSON, "annotations": everybody}
        for name in ledger.invoices
    ]
    stamp = {"uri": STAMP, "name": "stamp", "mimeType": "image/gif", "annotations": {"audience": ["user"]}}
    manifest = {
        "uri": manifest_uri(),
        "name": "mcpfusion:manifest",
        "description": "All tools and their actions, filtered by who asks.",
        "mimeType": _JSON,
    }
    return [*invoices, stamp, manifest]


def templates() -> list[dict[str, Any]]:
    """Return the templates of all others."""
    return [
        {"uriTemplate": INVOICE_TEMPLATE, "name": "invoice", "mimeType": _JSON, "annotations": {"audience": ["user"]}},
        {"uriTemplate": STALE_TEMPLATE, "name": "stale", "description": "How often a domain was made stale."},
    ]


def read(ledger: Ledger, uri: str, tools: list[ToolDict]) -> dict[str, Any] | None:
    """Return what stands at a URI; None if nothing does. ``tools`` are those that the caller is shown."""
    if uri == STAMP:
        return {"contents": [{"uri": uri, "mimeType": "image/gif", "blob": _PAID}]}
    said = _document(ledger, uri, tools)
    return None if said is None else {"contents": [{"uri": uri, "mimeType": _JSON, "text": json.dumps(said)}]}


def _document(ledger: Ledger, uri: str, tools: list[ToolDict]) -> Any:
    stale = parse_stale_uri(uri)
    if uri == manifest_uri():
        return manifest(tools)
    if stale is not None and stale.legal:
        return {"domain": stale.pattern, "times": ledger.stale.get(stale.pattern, 0)}
    values = variables(INVOICE_TEMPLATE, uri)
    return None if values is None else ledger.invoices.get(values["id"])


def manifest(tools: list[ToolDict]) -> dict[str, Any]:
    """Return the manifest of the tools that a caller is shown."""
    grouped: dict[str, Any] = {}
    for tool in tools:
        builder, _, action = tool["name"].partition(".")
        notes = tool["annotations"]
        known = grouped.setdefault(builder, _group(builder))
        known["actions"][action] = {
            "description": tool["description"],
            "destructive": notes.get("destructiveHint", False),
            "idempotent": False,
            "readOnly": notes.get("readOnlyHint", False),
            "required_fields": tool["inputSchema"].get("required", []),
        }
        known["input_schema"]["properties"]["action"]["enum"].append(action)
    return {
        "server": "ledger",
        "MCPFUSION_VERSION": "1.1.0",
        "architecture": "MVA (Model-View-Agent)",
        "capabilities": {"tools": grouped, "presenters": {}},
    }


def _group(builder: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"action": {"enum": []}}, "required": ["action"]}
    return {"description": f"The tools of {builder}.", "tags": [], "actions": {}, "input_schema": schema}

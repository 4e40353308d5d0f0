"""A small ledger with state behind it, that says of each answer how long it holds: what the state-sync server serves.

It knows nothing of any wire: a server hands it calls, and sends what it returns; `library` has its resources.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnose.reference.contract import ToolDict
from diagnose.statesync import Declaration, decorated_result, decorated_tool, stale_uri

_ID: dict[str, Any] = {
    "type": "object",
    "properties": {"id": {"type": "string", "description": "Invoice id, such as inv_7."}},
    "required": ["id"],
}
_ADJUST: dict[str, Any] = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "by": {"type": "integer"}},
    "required": ["sku", "by"],
}
_NONE: dict[str, Any] = {"type": "object", "properties": {}}
_READS = {"readOnlyHint": True}
_CHANGES = {"readOnlyHint": False, "destructiveHint": True}

#: Name, description, input schema, annotations.
_TOOLS = (
    ("reference.currencies", "The currencies that are kept.", _NONE, _READS),
    ("billing.get_invoice", "Read one invoice.", _ID, _READS),
    ("billing.refund", "Refund one invoice.", _ID, _CHANGES),
    ("dashboard.invoices", "How many invoices are open, and the sum of them.", _NONE, _READS),
    ("stock.list", "All articles with their count.", _NONE, _READS),
    ("stock.adjust", "Change the count of an article.", _ADJUST, _CHANGES),
)
INVOICE = "ledger://invoice/"


def declaration() -> Declaration:
    """Return what the author of the ledger declares."""
    policy = Declaration(separator=".")
    policy.query("reference.*").cached()
    policy.query("stock.list").stale()
    policy.mutation("billing.refund").invalidates("billing.*", "dashboard.invoices")
    policy.mutation("stock.adjust").invalidates("stock.*")
    return policy


class RefusedError(Exception):
    """A tool refuses a call; the text says why."""


@dataclass(slots=True)
class Ledger:
    """The books. Whatever changes them says so."""

    invoices: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {
            "inv_7": {"id": "inv_7", "amount": 120, "status": "paid"},
            "inv_8": {"id": "inv_8", "amount": 80, "status": "paid"},
        }
    )
    stock: dict[str, int] = field(default_factory=lambda: {"bolt": 40, "nut": 25})
    policy: Declaration = field(default_factory=declaration)
    stale: dict[str, int] = field(default_factory=dict)
    """How often each domain was made stale."""

    def tools(self) -> list[ToolDict]:
        """Return the definitions, each with its directive."""
        engine = self.policy.engine()
        plain: list[ToolDict] = [
            {"name": name, "description": text, "inputSchema": copy.deepcopy(schema), "annotations": dict(notes)}
            for name, text, schema, notes in _TOOLS
        ]
        return [dict(decorated_tool(tool, engine.resolve(tool["name"]))) for tool in plain]

    def call(self, name: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return the result of a call, tagged, and the URIs of what it made stale: resources, then domains."""
        try:
            said, resources = self._act(name, arguments)
        except RefusedError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}, ()
        result = {"content": [{"type": "text", "text": json.dumps(said)}]}
        resolution = self.policy.engine().resolve(name)
        domains = resolution.invalidates if resolution is not None else ()
        for domain in domains:
            self.stale[domain] = self.stale.get(domain, 0) + 1
        return dict(decorated_result(result, name, resolution)), (*map(stale_uri, domains), *resources)

    def _act(self, name: str, arguments: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
        match name:
            case "reference.currencies":
                return ["CHF", "EUR", "NOK"], ()
            case "billing.get_invoice":
                return self._invoice(arguments), ()
            case "billing.refund":
                invoice = self._invoice(arguments)
                if invoice["status"] != "paid":
                    raise RefusedError(f"{invoice['id']} is {invoice['status']}, and nothing was changed.")
                invoice["status"] = "refunded"
                return {"id": invoice["id"], "status": "refunded"}, (f"{INVOICE}{invoice['id']}",)
            case "dashboard.invoices":
                amounts = [each["amount"] for each in self.invoices.values() if each["status"] == "paid"]
                return {"open": len(amounts), "sum": sum(amounts)}, ()
            case "stock.list":
                return [{"sku": sku, "count": count} for sku, count in self.stock.items()], ()
            case _:
                return self._adjust(arguments), ()

    def _invoice(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        found = self.invoices.get(str(arguments.get("id")))
        if found is None:
            raise RefusedError("There is no such invoice.")
        return found

    def _adjust(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        sku, by = str(arguments.get("sku")), arguments.get("by")
        if sku not in self.stock or isinstance(by, bool) or not isinstance(by, int):
            raise RefusedError("There is no such article, or the difference is no whole number.")
        self.stock[sku] += by
        return {"sku": sku, "count": self.stock[sku]}

"""A ledger over stdio, by hand: the older era, honest or broken in one named way. Run as a program, with the fault's name.

The faults are what servers of the scheme were seen to do on the wire.
"""

from __future__ import annotations

import json
import sys

from diagnose.reference import library
from diagnose.reference.ledger import Ledger
from diagnose.statesync import format_invalidation

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
LEDGER = Ledger()
SUBSCRIBED: set[str] = set()
LISTED: list[int] = []


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tools():
    LISTED.append(1)
    found = LEDGER.tools()
    by_name = {tool["name"]: tool for tool in found}
    refund, currencies = by_name["billing.refund"], by_name["reference.currencies"]
    if FAULT == "immutable-mutation":
        refund["description"] += " [Cache-Control: immutable]"
    if FAULT == "directive-differs":
        currencies["description"] = currencies["description"].replace("immutable", "no-store")
    if FAULT == "directive-malformed":
        currencies["description"] = "[Cache-Control: max-age=60] " + currencies["description"]
    if FAULT == "directive-unstable" and len(LISTED) > 1:
        currencies["description"] = currencies["description"].replace("immutable", "no-store")
    return found


def tag(result, text):
    result["content"].insert(0, {"type": "text", "text": text})


def call(name, arguments):
    before = json.dumps([LEDGER.invoices, LEDGER.stock])
    result, uris = LEDGER.call(name, arguments)
    changed = json.dumps([LEDGER.invoices, LEDGER.stock]) != before
    if FAULT == "invalidation-missing" and changed:
        result["content"].pop(0)
    if FAULT == "invalidation-misplaced" and changed:
        tag(result, result["content"][0]["text"])
    if FAULT == "invalidation-malformed" and changed:
        result["content"][0]["text"] = format_invalidation("payroll.run", ["billing.*"])
    if FAULT == "invalidation-reaches-nothing" and changed:
        result["content"][0]["text"] = format_invalidation(
            name, [name.partition(".")[0] + ".*", "dashboard.*", "payroll.run"]
        )
    if FAULT == "answer-changed-unannounced" and changed:
        result["content"][0]["text"] = format_invalidation(name, ["reference.*"])
    if FAULT == "failed-call-changed-state" and changed:
        result, uris = {"content": [{"type": "text", "text": "printer offline"}], "isError": True}, ()
    if FAULT == "invalidation-on-error" and result.get("isError"):
        tag(result, format_invalidation(name, ["billing.*"]))
    if FAULT == "invalidation-forged" and name == "reference.currencies":
        tag(result, format_invalidation("billing.refund", ["**"]))
    return result, uris


def answer(method, params):
    if method == "initialize":
        capabilities = {"tools": {}, "resources": {"subscribe": True}}
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "serverInfo": {"name": "ledger", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": tools()}
    if method == "resources/list":
        return {"resources": library.resources(LEDGER)}
    if method == "resources/templates/list":
        return {"resourceTemplates": library.templates()}
    if method == "resources/read":
        return library.read(LEDGER, params["uri"], LEDGER.tools())
    if method == "resources/subscribe":
        known = FAULT == "subscription-to-nothing" or library.read(LEDGER, params["uri"], []) is not None
        SUBSCRIBED.add(params["uri"])
        return {} if known else None
    return None


def updates(uris):
    for uri in uris:
        if FAULT == "update-malformed":
            send({"method": "notifications/resources/updated", "params": uri})
        elif FAULT == "update-of-nothing":
            send({"method": "notifications/resources/updated", "params": {"uri": uri.replace("ledger:", "nowhere:")}})
        elif uri in SUBSCRIBED:
            send({"method": "notifications/resources/updated", "params": {"uri": uri}})


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    params = message.get("params") or {}
    if message["method"] == "tools/call":
        result, uris = call(params["name"], params.get("arguments") or {})
        updates(uris)
    else:
        result = answer(message["method"], params)
    if result is None:
        send({"id": message["id"], "error": {"code": -32602, "message": "no"}})
    else:
        send({"id": message["id"], "result": result})

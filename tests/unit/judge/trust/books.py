"""Sessions of a small ledger, and what is found in them: the rules of state sync are tried on these."""

from __future__ import annotations

import json
from typing import Any

from unit.judge.timeline.play import MODERN, STARTED, Play

from diagnose.evidence.bundle import Bundle, Target
from diagnose.judge.diagnosis import Diagnosis
from diagnose.judge.trust.judge import judge_state, witnessed
from diagnose.statesync import Declaration, format_invalidation

Body = dict[str, Any]
READS, CHANGES = {"readOnlyHint": True}, {"readOnlyHint": False, "destructiveHint": True}


def tool(name: str, directive: str = "", **annotations: Any) -> Body:
    text = f"Of {name}." + (f" [Cache-Control: {directive}]" if directive else "")
    return {"name": name, "description": text, "inputSchema": {"type": "object"}, "annotations": annotations}


GET, REFUND = tool("billing.get", **READS), tool("billing.refund", **CHANGES)
FIXED = tool("reference.codes", "immutable", **READS)


class Books(Play):
    """A play in which tools are read and called with their answers."""

    def reads(self, name: str, text: str, *items: str, **arguments: Any) -> Books:
        return self.does(name, *items, text, **arguments)

    def does(self, name: str, *texts: str, failed: bool = False, **arguments: Any) -> Books:
        self.asks("tools/call", {"name": name, "arguments": arguments})
        content = [{"type": "text", "text": text} for text in texts]
        self.result(content=content, **({"isError": True} if failed else {}))
        return self

    def opened(self, *tools: Body, **capabilities: Any) -> Books:
        self.handshake(list_changed=None).lists(*tools)
        return self

    def stale(self, uri: str) -> Books:
        self.write("server", message={"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": uri}})
        return self


UPDATED = "notifications/resources/updated"
TAG = format_invalidation("billing.refund", ["billing.*"])


def judged(play: Play, policy: Declaration | None = None) -> Diagnosis:
    target = Target(id="x", transport="stdio", endpoint="x")
    return judge_state(Bundle(created_at=STARTED, target=target), [witnessed(play.recording, policy=policy)])


def found(play: Play, policy: Declaration | None = None) -> set[str]:
    diagnosis = judged(play, policy)
    assert all("fault of diagnose" not in (check.why or "") for check in diagnosis.checks)
    return {finding.rule for finding in diagnosis.findings}


def books(*tools: Body) -> Books:
    return Books().opened(*(tools or (GET, REFUND, FIXED)))


def changed(play: Books, *before: str) -> Books:
    """Read, refund with these items, and read something else."""
    return play.reads("billing.get", "paid").does("billing.refund", *before, "done").reads("billing.get", "refunded")


def announced(domain: str) -> Play:
    play = books().asks("tools/call", {"name": "billing.refund", "arguments": {}})
    play.write("server", message={"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": f"vurb://stale/{domain}"}})
    return play.result(content=[{"type": "text", "text": TAG}])


def subscribed(play: Play) -> Books:
    assert isinstance(play, Books)
    play.asks("resources/subscribe", {"uri": "invoice://7"}).result()
    return play


def resource(play: Books, text: str) -> Books:
    play.asks("resources/read", {"uri": "invoice://7"}).result(contents=[{"uri": "invoice://7", "text": text}])
    return play


def with_resources(play: Play, uri: str) -> Play:
    play.asks("resources/list").result(resources=[{"uri": uri, "name": "invoice"}])
    return play.asks("resources/templates/list").result(resourceTemplates=[])


def modern(**hints: Any) -> Play:
    return Books("http", version=MODERN).handshake(list_changed=None).lists(GET, REFUND, **hints)


def manifest(*actions: str) -> Play:
    body = {"description": "", "destructive": False, "idempotent": False, "readOnly": True, "required_fields": []}
    schema = {"type": "object", "properties": {"action": {"enum": list(actions)}}}
    tools = {"billing": {"tags": [], "actions": dict.fromkeys(actions, body), "input_schema": schema}}
    return read_manifest(
        {
            "server": "x",
            "vurb_version": "1.1.0",
            "architecture": "MVA (Model-View-Agent)",
            "capabilities": {"tools": tools, "presenters": {}},
        }
    )


def read_manifest(body: Body) -> Play:
    uri = "vurb://manifest.json"
    contents = [{"uri": uri, "text": json.dumps(body)}]
    return books().asks("resources/read", {"uri": uri}).result(contents=contents)


def declared() -> Declaration:
    policy = Declaration(separator=".")
    policy.query("billing.get").cached()
    policy.mutation("billing.refund").invalidates("billing.*")
    return policy

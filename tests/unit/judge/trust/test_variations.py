"""The same sessions under other names, other separators, another transport, with payloads left out: judged alike."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeAlias

import pytest

from diagnose.evidence.recording import Recording
from diagnose.judge.trust.judge import witnessed
from diagnose.statesync import parse_invalidation, read_policies
from diagnose.wire.subscription import SUBSCRIPTION_ID

from .test_recordings import EXPECTED, NAMES, SESSIONS, judged

Lines: TypeAlias = list[dict[str, Any]]
Found: TypeAlias = set[tuple[str, str]]
#: Takes the lines and the policy of a session; returns both, and how what a finding is about is called then.
Variation: TypeAlias = Callable[[Lines, str], tuple[Lines, str, Callable[[str], str]]]

#: Words that tell nothing of what a tool does.
RENAMED = {
    "billing": "faktura",
    "stock": "depot",
    "reference": "atlas",
    "dashboard": "panel",
    "payroll": "wages",
    "mail": "postbox",
    "notes": "jottings",
    "refund": "wipe",
    "get_invoice": "peek_sheet",
    "adjust": "turn",
    "currencies": "coins",
    "invoice": "sheet",
}


def _same(text: str) -> str:
    return text


def renamed(lines: Lines, policy: str) -> Any:
    def told(text: str) -> str:
        for old, new in RENAMED.items():
            text = text.replace(old, new)
        return text

    return json.loads(told(json.dumps(lines))), told(policy), told


def joined_by(separator: str) -> Variation:
    """Join namespace and action of listed tools by something else; causes and domains stay dotted."""

    def varied(lines: Lines, policy: str) -> Any:
        old = "_" if 'separator = "_"' in policy else "."
        names = {tool["name"] for message in _messages(lines) for tool in _tools(message) if old in tool["name"]}

        def told(name: str) -> str:
            return name.replace(old, separator, 1) if name in names else name

        for message in _messages(lines):
            if message.get("method") == "tools/call":
                message["params"]["name"] = told(message["params"]["name"])
            for tool in _tools(message):
                tool["name"] = told(tool["name"])
        return lines, re.sub(r'separator = ".*"', f'separator = "{separator}"', policy), told

    return varied


def of_scheme(scheme: str) -> Variation:
    def varied(lines: Lines, policy: str) -> Any:
        def told(text: str) -> str:
            return text.replace("mcpfusion://", f"{scheme}://").replace("MCPFUSION_VERSION", f"{scheme}_version")

        return json.loads(told(json.dumps(lines))), policy, told

    return varied


def with_other_ids(lines: Lines, policy: str) -> Any:
    for line in lines[1:]:
        message = line.get("message")
        if isinstance(message, dict) and "id" in message and (line["from"] == "client") == ("method" in message):
            message["id"] = f"q-{message['id']}"
    for message in _messages(lines):
        for holder in (message.get("params"), message.get("result")):
            meta = holder.get("_meta") if isinstance(holder, dict) else None
            if isinstance(meta, dict) and SUBSCRIPTION_ID in meta:
                meta[SUBSCRIPTION_ID] = f"q-{meta[SUBSCRIPTION_ID]}"
    return lines, policy, lambda about: "q-watch-1" if about == "watch-1" else about


def with_the_tools_the_other_way_round(lines: Lines, policy: str) -> Any:
    for message in _messages(lines):
        _tools(message).reverse()
    return lines, policy, _same


def over_http(lines: Lines, policy: str) -> Any:
    """Let each request be an exchange of its own, and what the server says unasked come on a GET stream."""
    told: Lines = [{**lines[0], "transport": "http"}]
    channels: dict[Any, str] = {}
    headers = {"content-type": "application/json", "mcp-session-id": "fp:s1"}
    for number, line in enumerate(lines[1:]):
        message, t = line.get("message"), line["t"]
        if not isinstance(message, dict):
            continue
        own, asks = f"http:{number}", "id" in message and "method" in message
        if line["from"] == "client":
            told.append({"t": t, "from": "client", "kind": "request", "channel": own, "method": "POST", "path": "/mcp"})
            told[-1]["headers"] = {} if message.get("method") == "initialize" else headers
            told.append({**line, "channel": own})
            if asks:
                channels[message["id"]] = own
                continue
            told.append({"t": t, "from": "server", "kind": "response", "channel": own, "status": 202, "headers": {}})
            if message.get("method") == "notifications/initialized":
                get = {"t": t, "channel": "get"}
                told.append({**get, "from": "client", "kind": "request", "method": "GET", "path": "/mcp"})
                told[-1]["headers"] = headers
                told.append({**get, "from": "server", "kind": "response", "status": 200, "headers": {}})
                told.append({**get, "from": "tap", "kind": "stream-open", "purpose": "get"})
        elif "method" not in message:
            own = channels[message["id"]]
            told.append(
                {"t": t, "from": "server", "kind": "response", "channel": own, "status": 200, "headers": headers}
            )
            told.append({**line, "channel": own})
        else:
            told.append({**line, "channel": "get"})
    return told, policy, _same


def on_pipes(lines: Lines, policy: str) -> Any:
    """Let a modern session go over stdio; there is one caller then."""
    kept = [line for line in lines[1:] if line.get("kind", "message") == "message"]
    told = [{key: line[key] for key in line.keys() - {"channel", "headers", "principal"}} for line in kept]
    return [{**lines[0], "transport": "stdio"}, *told], policy, _same


def without_payloads(lines: Lines, policy: str) -> Any:
    """Leave out what a recorder leaves out unless it is told to keep it; tags stay."""
    for message in _messages(lines):
        if message.get("method") == "tools/call":
            arguments = message["params"].get("arguments") or {}
            message["params"]["arguments"] = {name: _omitted(value) for name, value in arguments.items()}
        result = message.get("result")
        content = result.get("content") if isinstance(result, dict) else None
        for item in content if isinstance(content, list) else ():
            text = item.get("text")
            if isinstance(text, str) and parse_invalidation(text, lenient=True) is None:
                item["text"] = _omitted(text)
    return lines, policy, _same


def _omitted(value: Any) -> dict[str, Any]:
    text = json.dumps(value)
    return {"$omitted": {"bytes": len(text), "mac": sha256(text.encode()).hexdigest()[:16], "type": "string"}}


def fifty_times_slower(lines: Lines, policy: str) -> Any:
    for line in lines[1:]:
        line["t"] *= 50
    return lines, policy, _same


def twice_in_one_file(lines: Lines, policy: str) -> Any:
    """Let a second process play the same again."""
    later = lines[-1]["t"] + 1
    return [*lines, *({**copy.deepcopy(line), "t": line["t"] + later} for line in lines[1:])], policy, _same


def _messages(lines: Lines) -> Lines:
    return [line["message"] for line in lines if isinstance(line.get("message"), dict)]


def _tools(message: dict[str, Any]) -> list[dict[str, Any]]:
    result = message.get("result")
    tools = result.get("tools") if isinstance(result, dict) else None
    return tools if isinstance(tools, list) else []


VARIATIONS: dict[str, Variation] = {
    "renamed": renamed,
    **{f"joined by {separator}": joined_by(separator) for separator in ("_", "-", "__", "/", ".")},
    **{f"of {scheme}": of_scheme(scheme) for scheme in ("vurb", "fusion")},
    **{
        variation.__name__.replace("_", " "): variation
        for variation in (
            *(with_other_ids, with_the_tools_the_other_way_round, over_http, on_pipes),
            *(without_payloads, fifty_times_slower, twice_in_one_file),
        )
    },
}
#: What cannot be known any more.
LOST: dict[tuple[str, str], Found] = {
    # Over stdio there is one caller.
    ("on pipes", "09-manifest-unfiltered"): {("manifest-unfiltered", "mcpfusion://manifest.json")},
    # Which action it was is an argument, and that it failed stands in the text.
    ("without payloads", "04-grouped-ignores-hints"): {
        ("answer-changed-unannounced", "billing"),
        ("invalidation-forged", "stock"),
        ("invalidation-missing", "billing"),
    },
    ("without payloads", "05-failed-mutations"): {("invalidation-on-error", "billing.void")},
}


OVER_HTTP = {"08-listen-inert-list-hints", "09-manifest-unfiltered"}
#: The variations that only a session over the one transport can have.
OF_PIPES, OF_HTTP = {"over http", "twice in one file"}, {"on pipes"}
PLAYED = [
    (kind, name) for kind in VARIATIONS for name in NAMES if kind not in (OF_PIPES if name in OVER_HTTP else OF_HTTP)
]


@pytest.mark.parametrize("policy", [False, True], ids=["recording", "policy"])
@pytest.mark.parametrize(("kind", "name"), PLAYED)
def test_a_variation_is_judged_alike(kind: str, name: str, policy: bool) -> None:
    lines = [json.loads(line) for line in (SESSIONS / f"{name}.jsonl").read_bytes().splitlines()]
    file = SESSIONS / f"{name}.toml"
    declared = file.read_text() if file.exists() else ""
    varied = VARIATIONS[kind](lines, declared)
    changed, written, told = varied
    recording = Recording.of_lines([json.dumps(line).encode() for line in changed])
    known = read_policies(written) if policy and declared else None
    diagnosis = judged(witnessed(recording, policy=known))
    found = {(finding.rule, _about(finding.args)) for finding in diagnosis.findings}
    wanted = {(rule.lstrip("+"), told(about)) for rule, about, _ in EXPECTED[name] if policy or rule[0] != "+"}
    assert found == wanted - LOST.get((kind, name), set())


def _about(args: Any) -> str:
    return str(args.get("tool") or args.get("uri") or args.get("subscription") or "")

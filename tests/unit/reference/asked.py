"""A small judge of answers to odd requests, of caching hints and of definitions; it shares nothing with the program."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from diagnose.reference.contract import MANIFEST, REVISION_FIELD, SERVER_INFO

from .conftest import HANDSHAKE, LEGACY, META, MODERN, Client

MONTH = 30 * 86_400_000
ELSEWHERE = ("prompts/list", "resources/list", "resources/templates/list")
OLD_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
INVISIBLE = re.compile("[\u200b-\u200f\U000e0000-\U000e007f]")


def ask_around(client: Client) -> set[str]:
    """Ask what no ordinary client asks, and return the names of what is wrong."""
    handshake = client.handshake()
    first, second = client.pages(), client.pages()
    wrong = _places(handshake) | _walks(client, first, second) | _definitions(first)
    if client.era == "legacy":
        hinted = any({"ttlMs", "cacheScope"} & page.keys() for page in first)
        return wrong | ({"cache-hints-legacy"} if hinted else set())
    wrong |= _hints(first)
    for result in (handshake, *(client.rpc(method)["result"] for method in ELSEWHERE)):
        if not {"ttlMs", "cacheScope"} <= result.keys():
            wrong.add("cache-hints-missing-elsewhere")
    return wrong | _versions(client, handshake) | _refusals(client)


def _places(handshake: dict[str, Any]) -> set[str]:
    info = handshake.get("serverInfo") or handshake["_meta"][SERVER_INFO]
    same = info[REVISION_FIELD] == handshake["_meta"][MANIFEST]["revision"]
    return set() if same else {"revision-places-differ"}


def _walks(client: Client, first: list[dict[str, Any]], second: list[dict[str, Any]]) -> set[str]:
    wrong: set[str] = set()
    refused = client.rpc("tools/list", {"cursor": "nobody-issued-this"})
    if refused.get("error", {}).get("code") != -32602:
        wrong.add("cursor-unchecked")
    if any(not page["tools"] for page in first[:-1]):
        wrong.add("page-sizes")
    if [page.get("nextCursor") for page in first] != [page.get("nextCursor") for page in second]:
        wrong.add("cursor-unstable")
    if [page["tools"] for page in first] != [page["tools"] for page in second]:
        third = client.pages()
        varies = [page["tools"] for page in third] != [page["tools"] for page in second]
        wrong.add("ttl-on-varying-list" if varies else "ttl-misuse")
    if any("meridian/tunnelHealth" in page["_meta"] for page in first):
        wrong.add("tunnel-degraded")
    return wrong


def _hints(pages: list[dict[str, Any]]) -> set[str]:
    wrong: set[str] = set()
    scopes = {page.get("cacheScope") for page in pages}
    if not scopes <= {"public", "private"}:
        wrong.add("cache-scope-invalid")
    elif len(scopes) > 1:
        wrong.add("page-scope-differs")
    elif scopes == {"private"}:
        wrong.add("private")
    for page in pages:
        ttl = page.get("ttlMs")
        if type(ttl) is not int or ttl < 0:
            wrong.add("ttl-misuse")
        elif 0 < ttl < 1000:
            wrong.add("ttl-unit")
        elif ttl > MONTH:
            wrong.add("ttl-too-long")
    return wrong


def _versions(client: Client, handshake: dict[str, Any]) -> set[str]:
    named, wrong = handshake["supportedVersions"], set()
    for version in dict.fromkeys([*named, *OLD_VERSIONS]):
        got = replace(client, era="legacy").rpc("initialize", {**HANDSHAKE, "protocolVersion": version})
        taken = version == MODERN or got.get("result", {}).get("protocolVersion") == version
        if version in named and not taken and "result" in got:
            wrong.add("discover-overclaims")
        if version not in named and taken:
            wrong.add("discover-incomplete")
        if "error" in got and LEGACY not in str(got["error"]) and MODERN not in str(got["error"]):
            wrong.add("initialize-unhelpful")
    return wrong


def _refusals(client: Client) -> set[str]:
    wrong: set[str] = set()
    good = {"mcp-protocol-version": MODERN, "mcp-method": "tools/list"}
    for other in ({"mcp-method": "prompts/list"}, {"mcp-protocol-version": "1900-01-01"}):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
        headers = {"accept": "application/json, text/event-stream", **good, **other}
        got = client.http("POST", "/mcp", message, headers)
        if (got.status, got.json.get("error", {}).get("code")) != (400, -32020):
            wrong.add("header-mismatch-accepted")
    for method in ("ping", "resources/subscribe", "nobody/has-this"):
        got = client.post(method)
        if (got.status, got.json.get("error", {}).get("code")) != (404, -32601):
            wrong.add("removed-method-wrong")
    return wrong


def _definitions(pages: list[dict[str, Any]]) -> set[str]:
    tools = [tool for page in pages for tool in page["tools"]]
    names = [tool["name"] for tool in tools]
    wrong = {"name-unusual" for name in names if not re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name)}
    if len({name.lower() for name in names}) < len(set(names)):
        wrong.add("name-case-twins")
    if sum(len(str(tool)) for tool in tools) > 1_000_000:
        wrong.add("list-too-large")
    for tool in tools:
        wrong |= _definition(tool)
    return wrong


def _definition(tool: dict[str, Any]) -> set[str]:
    wrong: set[str] = set()
    if len(str(tool)) > 100_000:
        wrong.add("definition-too-large")
    if INVISIBLE.search(tool["description"]):
        wrong.add("invisible-characters")
    for schema in tool["inputSchema"].get("properties", {}).values():
        if isinstance(schema.get("minimum", 0), str):
            wrong.add("schema-invalid")
        if schema.get("maximum", 0) > 2**53:
            wrong.add("number-precision")
        if " " in schema.get("x-mcp-header", ""):
            wrong.add("header-annotation-invalid")
    return wrong

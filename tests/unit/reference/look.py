"""A small judge of its own: one round against a server, and the names of what is wrong with it.

It shares nothing with the judge of the program, so that a fault is held to its name by two judges that cannot agree by
mistake.
"""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass, field, replace
from typing import Any

from diagnose.reference.contract import MANIFEST, REVISION_FIELD, SERVER_INFO
from diagnose.surface import revision
from diagnose.version import __version__

from .conftest import Client

MANY = 1000
CUT = (http.client.RemoteDisconnected, ConnectionResetError)


@dataclass
class Look:
    wrong: set[str] = field(default_factory=set)
    tools: list[dict[str, Any]] = field(default_factory=list)


def look(client: Client) -> Look:
    """Ask everything once, in the order in which the program asks it."""
    seen = Look()
    try:
        health = client.http("GET", "/health").json
    except CUT:
        return Look({"unreachable"})
    version = client.http("GET", "/version").json
    manifest = _manifest(client, seen)
    try:
        handshake = client.handshake()
        walks = [_walk(client, seen) for _ in range(1 if manifest is not None else 3)]
        other, again = _other_session(client, seen) if manifest is None else (None, None)
    except (TimeoutError, KeyError, json.JSONDecodeError):
        return Look(seen.wrong | {_silent(client)})
    _compare_builds(seen, health, version, client.http("GET", "/health").json, handshake)
    _compare_lists(seen, manifest, handshake, walks)
    if not seen.wrong and other is not None and again is not None and other.tools != again.tools:
        seen.wrong.add("server-frozen-snapshot")
    return seen


def _other_session(client: Client, seen: Look) -> tuple[Walk | None, Walk | None]:
    """Return what a new session is served, and what the old one is served at the same time."""
    other = replace(client, session=None)
    other.handshake()
    return _walk(other, seen), _walk(client, seen)


def _silent(client: Client) -> str:
    """Tell why there was no handshake."""
    try:
        got = client.post("initialize" if client.era == "legacy" else "server/discover", {})
    except TimeoutError:
        return "timed-out"
    return "auth-blocked" if got.status == 401 else "handshake-failed"


def _manifest(client: Client, seen: Look) -> list[dict[str, Any]] | None:
    got = client.http("GET", "/tools")
    if got.status == 404:
        return None
    if not got.headers["content-type"].startswith("application/json"):
        seen.wrong.add("manifest-gated")
        return None
    return got.json


@dataclass
class Walk:
    tools: list[dict[str, Any]] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)


def _walk(client: Client, seen: Look) -> Walk | None:
    walk, params, cursors = Walk(), {}, []
    while True:
        message = client.rpc("tools/list", params)
        if "error" in message:
            seen.wrong.add("cursor-rejected" if params else "list-error")
            return None
        result = message["result"]
        walk.tools += result["tools"]
        walk.told.append(result["_meta"][MANIFEST])
        if "nextCursor" not in result:
            return walk
        cursor = result["nextCursor"]
        if cursor in cursors:
            seen.wrong.add("cursor-loop" if cursor else "cursor-empty-string")
            return None
        if len(walk.tools) > MANY:
            seen.wrong.add("limit-exceeded")
            return None
        cursors.append(cursor)
        params = {"cursor": cursor}


def _compare_builds(seen: Look, *told: dict[str, Any]) -> None:
    *plain, handshake = told
    info = handshake.get("serverInfo") or handshake["_meta"][SERVER_INFO]
    versions = {item["version"] for item in (*plain, info)}
    builds = {item["git_sha"] for item in plain}
    if len(versions) > 1 or len(builds) > 1:
        seen.wrong.add("mixed-builds")
    elif versions != {__version__}:
        seen.wrong.add("server-old-build")
    assert info[REVISION_FIELD] == handshake["_meta"][MANIFEST]["revision"]


def _compare_lists(seen: Look, manifest: Any, handshake: dict[str, Any], walks: list[Walk | None]) -> None:
    done = [walk for walk in walks if walk is not None]
    if not done:
        return
    first = done[0]
    seen.tools = first.tools
    if any(len({told["revision"] for told in walk.told}) > 1 for walk in done):
        seen.wrong.add("page-mixed-snapshot")
        return
    names = [[tool["name"] for tool in walk.tools] for walk in done]
    if any(set(other) != set(names[0]) for other in names):
        seen.wrong.add("replica-skew")
    elif names.count(names[0]) != len(names):
        seen.wrong.add("order-unstable")
    for walk in done:
        _check_story(seen, walk)
    if manifest is not None and manifest != first.tools:
        seen.wrong.add("manifest-disagrees")
    if "wire-corrupt" not in seen.wrong and handshake["_meta"][MANIFEST]["revision"] != revision(first.tools):
        seen.wrong.add("handshake tells another list")


def _check_story(seen: Look, walk: Walk) -> None:
    told = walk.told[-1]
    if "\\ud83c" in json.dumps(walk.tools):
        seen.wrong.add("wire-corrupt")
    elif told["revision"] != revision(walk.tools):
        seen.wrong.add("revision-mismatch")
    names = {tool["name"] for tool in walk.tools}
    if told["count"] != len(names):
        seen.wrong.add("count-mismatch")
    if len(names) < len(walk.tools):
        seen.wrong.add("name-collision")
    if any(tool["inputSchema"].get("type") != "object" for tool in walk.tools):
        seen.wrong.add("invalid-definition")

"""A bare server over pipes of whatever revision is asked for, that writes down what it is sent, and asks for much.

`notetaker.py REVISION FILE`. It lists two pages, asks for a ping and for what we do not offer before it answers, and
never answers a call.
"""

import json
import sys
from pathlib import Path

revision, notes = sys.argv[1:]
modern = revision >= "2026"
INFO = {"name": "notetaker", "version": "1"}
HINTS = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if modern else {}


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def page(params):
    if params.get("cursor") == "two":
        return {"tools": [{"name": "prune_tree", "inputSchema": {"type": "object"}}]}
    return {"tools": [{"name": "pick_apples", "inputSchema": {"type": "object"}}], "nextCursor": "two"}


def answer(message):
    method, params = message["method"], message.get("params") or {}
    if method == "server/discover" and modern:
        named = {"io.modelcontextprotocol/serverInfo": INFO}
        return {**HINTS, "supportedVersions": [revision], "capabilities": {"tools": {}}, "_meta": named}
    if method == "initialize" and not modern:
        return {"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": INFO}
    if method == "tools/list":
        if not modern:
            say({"id": "p", "method": "ping"})
            say({"id": 7, "method": "roots/list"})
        return {**HINTS, **page(params)}
    return None


with Path(notes).open("a", encoding="utf-8") as book:
    for line in sys.stdin:
        book.write(line)
        book.flush()
        asked = json.loads(line)
        if "method" in asked and "id" in asked and asked["method"] != "tools/call":
            result = answer(asked)
            known = (
                {"result": result} if result is not None else {"error": {"code": -32601, "message": "no such thing"}}
            )
            say({"id": asked["id"], **known})

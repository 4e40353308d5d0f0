"""A server that answers as a Meridian does, from its wire facts: routes, places of the revision, filters and traps."""

import hashlib
import json
from contextlib import contextmanager

from support.mcp_http import Asked, Endpoint, Said, answering

NATIVE = [
    {
        "name": name,
        "description": f"[SUPPORT] {text}",
        "inputSchema": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "wait": {"type": "number", "default": 600.0}},
        },
        "title": name.title(),
        "annotations": {"title": name.title(), "readOnlyHint": True},
        "category": "session",
        "role_relevance": "both",
    }
    for name, text in (
        ("get_widget", "Return one widget."),
        ("list_widgets", "List them → all."),
        ("start_session", "Begin."),
    )
]
GITHUB = [
    {"name": "read_file", "description": "Read.", "inputSchema": {"type": "object"}, "title": "Read", "annotations": {}}
]
TUNNEL = [{"name": "filesystem__read_file", "inputSchema": {"type": "object"}}]
PAGE = Said(body=b"<!DOCTYPE html><title>Password</title>", kind="text/html")


def revision(tools):
    """The server's own hash, written from its rule and not from ours."""
    kept = [
        {
            key: tool.get(key) or empty
            for key, empty in (("name", ""), ("description", ""), ("inputSchema", {}), ("annotations", {}))
        }
        for tool in tools
    ]
    text = json.dumps(
        sorted(kept, key=lambda tool: tool["name"]), ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    return hashlib.sha256(text.encode()).hexdigest()


class Meridian(Endpoint):
    """Generation `B` by default; `token` is what /mcp demands, `extra` what a tenant sees on top."""

    def __init__(
        self,
        *,
        token="sk_meridian_abc",
        generation="B",
        extra=(),
        sha="0a1b2c3d4e5f",
        gated=False,
        listed=None,
        meta=None,
    ):
        super().__init__({})
        self.token, self.generation, self.extra, self.sha, self.gated = token, generation, list(extra), sha, gated
        self.listed, self.meta = listed, meta or {}

    def answer(self, asked: Asked) -> Said:
        self.asked.append(asked)
        if asked.path == "/health":
            return self.json({"status": "ok", "service": "meridian", "git_sha": self.sha, "version": "0.1.9"})
        if asked.path == "/health/deep" and not self.gated:
            return self.json(
                {"ok": True, "db": True, "hosted_mode": False, "version": "0.1.7", "pending_provisions": 0}
            )
        if asked.path == "/tools" and not self.gated:
            return self.json(NATIVE)
        if self.gated and asked.path not in {"/health", "/mcp", "/mcp/sse"}:
            return PAGE
        if asked.verb == "POST" and asked.path == "/mcp/sse":
            return self.rpc(asked, NATIVE)
        if asked.verb == "POST" and asked.path == "/mcp":
            if asked.headers.get("authorization") != f"Bearer {self.token}":
                return Said(
                    status=401,
                    body=b'{"detail": "invalid API token"}',
                    headers={"WWW-Authenticate": 'Bearer realm="MCP", error="invalid_token"'},
                )
            return self.rpc(asked, self.listed if self.listed is not None else NATIVE + self.extra)
        return Said(status=404, body=b"<!DOCTYPE html><title>404</title>", kind="text/html")

    def rpc(self, asked, tools):
        method = asked.method
        if method == "initialize":
            info = {"name": "meridian", "version": "0.1.9"}
            capabilities = {"tools": {}, "prompts": {}}
            if self.generation != "A":
                info["toolManifestRevision"] = revision(NATIVE)
                capabilities["tools"] = {"listChanged": True}
            value = {"protocolVersion": "2025-03-26", "serverInfo": info, "capabilities": capabilities}
            return self.result(asked, value, **{"Mcp-Session-Id": "request-id-1"})
        if method == "tools/list":
            value = {"tools": tools}
            if self.generation != "A":
                manifest = {"revision": revision(tools), "count": len({tool["name"] for tool in tools})}
                value["_meta"] = {"meridian/toolManifest": manifest, **self.meta}
            return self.result(asked, value)
        if method in {"ping", "notifications/initialized"}:
            return self.result(asked, {})
        return self.json(
            {"jsonrpc": "2.0", "id": asked.id, "error": {"code": -32601, "message": f"method not found: {method}"}}
        )

    def result(self, asked, value, **headers):
        return self.json({"jsonrpc": "2.0", "id": asked.id, "result": value}, **headers)

    @staticmethod
    def json(value, **headers):
        return Said(body=json.dumps(value, ensure_ascii=False).encode(), headers=headers)


@contextmanager
def meridian(**how):
    """Serve one on loopback; yields the URL of its /mcp and the endpoint."""
    endpoint = Meridian(**how)
    with answering(endpoint) as url:
        yield url, endpoint

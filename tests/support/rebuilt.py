"""Servers that speak state sync as MCP Fusion 5.0.7 was seen to on the wire, mistakes and all, on the Python SDK.

Built from what is known of the wire, for the package itself is on no registry. `Rebuilt` has one switch for each mistake.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp import types
from mcp.server.lowlevel import Server

from diagnose.reference.serve_http import listen

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
MANIFEST = "mcpfusion://manifest.json"
LISTS = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}
LISTS["resources/templates/list"] = "resourceTemplates"


class ThrowError(Exception):
    """A handler throws, after whatever it has done so far."""


@dataclass(frozen=True)
class Action:
    name: str
    run: Callable[[dict[str, Any], dict[str, Any]], Any]
    reads: bool = True
    cached: bool = False
    invalidates: tuple[str, ...] = ()
    required: tuple[str, ...] = ()


@dataclass
class Rebuilt:
    """A server over an account of invoices. Hints are those of a namespace's first tool, as the original merges them."""

    groups: dict[str, list[Action]]
    separator: str = "_"
    default: str | None = None
    merged: bool = True
    scope: str = "private"
    listens: bool = False
    takes_all: bool = False
    manifest: Callable[[str, dict[str, Any]], Any] | None = None
    hidden: frozenset[str] = frozenset()
    state: dict[str, Any] = field(default_factory=lambda: {"inv_7": "paid", "inv_8": "paid", "mail": "Hello."})

    def hints(self, group: str, action: Action) -> Action:
        return self.groups[group][0] if self.merged else action

    def directive(self, group: str, action: Action) -> str | None:
        """Match the name of the wire by dotted policies, so that another separator never does."""
        known = self.hints(group, action) if self.separator == "." else None
        return "immutable" if known is not None and known.cached else self.default

    def tools(self) -> list[dict[str, Any]]:
        return [self._tool(group, action) for group, action in self._all() if group not in self.hidden]

    def _all(self) -> Iterator[tuple[str, Action]]:
        for group, actions in self.groups.items():
            for action in actions:
                yield group, action

    def _tool(self, group: str, action: Action) -> dict[str, Any]:
        mark = "[READ-ONLY]" if action.reads else "[DESTRUCTIVE]"
        directive = self.directive(group, action)
        text = f"{action.name} of {group} {mark}" + (f" [Cache-Control: {directive}]" if directive else "")
        properties = {name: {"type": "string"} for name in action.required}
        return {
            "name": f"{group}{self.separator}{action.name}",
            "description": text,
            "inputSchema": {"type": "object", "properties": properties, "required": list(action.required)},
            "annotations": {"readOnlyHint": action.reads, "destructiveHint": not action.reads},
        }

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        for group, action in self._all():
            if name == f"{group}{self.separator}{action.name}":
                return self._answer(group, action, arguments)
        return {"content": [{"type": "text", "text": '<tool_error code="UNKNOWN_TOOL" />'}], "isError": True}

    def _answer(self, group: str, action: Action, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            said = action.run(self.state, arguments)
        except ThrowError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
        content = [{"type": "text", "text": said if isinstance(said, str) else json.dumps(said)}]
        domains = self.hints(group, action).invalidates
        if domains:
            tag = f'<cache_invalidation cause="{group}.{action.name}" domains="{", ".join(domains)}" />'
            content.insert(0, {"type": "text", "text": tag})
        return {"content": content}

    def document(self) -> dict[str, Any]:
        """Return the manifest of all groups, whatever the list hides."""
        tools = {group: _group(actions) for group, actions in self.groups.items()}
        return {
            "server": "ledger",
            "MCPFUSION_VERSION": "1.1.0",
            "architecture": "MVA (Model-View-Agent)",
            "capabilities": {"tools": tools, "presenters": {}},
        }

    def server(self) -> Server[Any]:
        """Return the server on the SDK."""

        async def tools(_ctx: Any, _params: Any) -> dict[str, Any]:
            return self._list("tools/list", self.tools())

        async def call(_ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
            return types.CallToolResult.model_validate(self.call(params.name, dict(params.arguments or {})))

        async def read(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
            if self.manifest is None or str(params.uri) != MANIFEST:
                return types.ReadResourceResult(contents=[])
            caller = ctx.request.headers.get("authorization", "")
            text = json.dumps(self.manifest(caller, self.document()))
            contents = [{"uri": str(params.uri), "mimeType": "application/json", "text": text}]
            return types.ReadResourceResult.model_validate({"contents": contents})

        async def heard(ctx: Any, _params: Any) -> dict[str, Any]:
            meta = {SUBSCRIPTION: ctx.request_id}
            notice = types.SubscriptionsAcknowledgedNotification(
                params=types.SubscriptionsAcknowledgedNotificationParams.model_validate(
                    {"notifications": {}, "_meta": meta}
                )
            )
            await ctx.session.send_notification(notice, related_request_id=ctx.request_id)
            return {"resultType": "complete", "_meta": meta}

        server: Server[Any] = _Undeclared("ledger", on_call_tool=call, on_read_resource=read)
        server.add_request_handler("tools/list", types.PaginatedRequestParams, tools)
        for method in list(LISTS)[1:]:
            server.add_request_handler(method, types.PaginatedRequestParams, self._lister(method))
        if self.takes_all:
            server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, _taken)
        if self.listens:
            server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, heard)
        return server

    def _lister(self, method: str) -> Any:
        async def answer(_ctx: Any, _params: Any) -> dict[str, Any]:
            return self._list(method, self._resources() if method == "resources/list" else [])

        return answer

    def _resources(self) -> list[dict[str, Any]]:
        if self.manifest is None:
            return []
        said = "RBAC-filtered per session context."
        return [{"uri": MANIFEST, "name": "mcpfusion:manifest", "description": said, "mimeType": "application/json"}]

    def _list(self, method: str, entries: list[Any]) -> dict[str, Any]:
        # The option for the scope is heeded by one list of four.
        scope = self.scope if method == "tools/list" else "private"
        return {"resultType": "complete", LISTS[method]: entries, "ttlMs": 60_000, "cacheScope": scope}


async def _taken(_ctx: Any, _params: Any) -> types.EmptyResult:
    """Take a subscription to whatever it is."""
    return types.EmptyResult()


class _Undeclared(Server[Any]):
    """Declares that it has tools and resources, and promises to tell of nothing."""

    def get_capabilities(self, *_args: Any, **_options: Any) -> types.ServerCapabilities:
        return types.ServerCapabilities(tools=types.ToolsCapability(), resources=types.ResourcesCapability())


def _group(actions: list[Action]) -> dict[str, Any]:
    known = {
        action.name: {
            "destructive": not action.reads,
            "idempotent": False,
            "readOnly": action.reads,
            "required_fields": list(action.required),
        }
        for action in actions
    }
    schema = {"type": "object", "properties": {"action": {"type": "string", "enum": [each.name for each in actions]}}}
    return {"tags": [], "actions": known, "input_schema": schema}


@contextmanager
def served(rebuilt: Rebuilt) -> Iterator[str]:
    """Serve over HTTP in a thread for the length of the block; gives the URL."""
    listener = listen("127.0.0.1", 0)
    app = rebuilt.server().streamable_http_app(streamable_http_path="/mcp", json_response=True, host="127.0.0.1")
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join(10)

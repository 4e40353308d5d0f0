"""The reference server with state behind it: a ledger that says of each answer how long it holds, in both eras."""

from __future__ import annotations

from typing import Any

from mcp import types
from mcp.server.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError

from diagnose.reference.held import HeldSurface
from diagnose.reference.ledger import Ledger
from diagnose.reference.options import ServeOptions
from diagnose.reference.server import Context, ReferenceServer


class LedgerServer(ReferenceServer):
    """One ledger. An update goes to who subscribed to it; one who does not take it in loses it, and delays nobody."""

    def __init__(self, options: ServeOptions) -> None:
        super().__init__(options)
        self.name = "ledger"
        self.ledger = Ledger()
        self.surface = HeldSurface(tools=self.ledger.tools(), page_size=options.page_size)
        self.add_request_handler("resources/list", types.PaginatedRequestParams, self._resources)
        self.add_request_handler("resources/templates/list", types.PaginatedRequestParams, self._templates)
        self.add_request_handler("resources/read", types.ReadResourceRequestParams, self._read)
        self.add_request_handler("resources/subscribe", types.SubscribeRequestParams, self._subscribe)

    def get_capabilities(self, *args: Any, **options: Any) -> types.ServerCapabilities:
        """Return the capabilities, with the promise to tell of updates."""
        declared = super().get_capabilities(*args, **options)
        declared.resources = types.ResourcesCapability(subscribe=True)
        return declared

    async def _listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        asked = params.notifications
        wanted = asked.resource_subscriptions or []
        granted = types.SubscriptionFilter(
            tools_list_changed=asked.tools_list_changed,
            resource_subscriptions=[uri for uri in wanted if self.ledger.read(str(uri), []) is not None] or None,
        )
        return await self._listeners(ctx, params.model_copy(update={"notifications": granted}))

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if all(tool["name"] != params.name for tool in self.shown_to(ctx.request).tools):
            raise MCPError(types.INVALID_PARAMS, f"there is no tool named {params.name!r}")
        result, updated = self.ledger.call(params.name, params.arguments or {})
        for uri in updated:
            await self._bus.publish(ResourceUpdated(uri=uri))
            await self._sessions.tell_updated(uri)
        return types.CallToolResult.model_validate(result)

    async def _resources(self, _ctx: Context, _params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {"resultType": "complete", "resources": self.ledger.resources()}

    async def _templates(self, _ctx: Context, _params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {"resultType": "complete", "resourceTemplates": self.ledger.templates()}

    async def _read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        found = self.ledger.read(str(params.uri), self.shown_to(ctx.request).tools)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, f"there is nothing at {params.uri}")
        return types.ReadResourceResult.model_validate(found)

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        if self.ledger.read(str(params.uri), []) is None:
            raise MCPError(types.INVALID_PARAMS, f"there is nothing at {params.uri}")
        self._sessions.subscribe(ctx, str(params.uri))
        return types.EmptyResult()


def server_of(options: ServeOptions) -> ReferenceServer:
    """Return the server that the options ask for."""
    return LedgerServer(options) if options.ledger else ReferenceServer(options)

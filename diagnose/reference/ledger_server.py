"""The reference server with state behind it: a ledger that says of each answer how long it holds, in both eras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.server.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError

from diagnose.reference import library
from diagnose.reference.held import HeldSurface
from diagnose.reference.ledger import Ledger
from diagnose.reference.options import ServeOptions
from diagnose.reference.server import Context, ReferenceServer

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult

_LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


class LedgerServer(ReferenceServer):
    """One ledger. An update goes to who subscribed to it; one who does not take it in loses it, and delays nobody."""

    def __init__(self, options: ServeOptions) -> None:
        super().__init__(options)
        self.name = "ledger"
        self.ledger = Ledger()
        self.surface = HeldSurface(tools=self.ledger.tools(), page_size=options.page_size)
        self._hints = {"ttlMs": options.time_to_live, "cacheScope": options.audience}
        self.add_request_handler("resources/list", types.PaginatedRequestParams, self._resources)
        self.add_request_handler("resources/templates/list", types.PaginatedRequestParams, self._templates)
        self.add_request_handler("resources/read", types.ReadResourceRequestParams, self._read)
        self.add_request_handler("resources/subscribe", types.SubscribeRequestParams, self._subscribe)
        self.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, self._unsubscribe)
        self.middleware.append(self._hint)

    def get_capabilities(self, *args: Any, **options: Any) -> types.ServerCapabilities:
        """Return the capabilities, with the promise to tell of updates."""
        declared = super().get_capabilities(*args, **options)
        declared.resources = types.ResourcesCapability(subscribe=True)
        return declared

    async def edit(self, change: Mapping[str, Any], *, notify: bool = True) -> dict[str, Any]:
        """Change the surface; `restore` brings back the books as well."""
        if "restore" not in change:
            return await super().edit(change, notify=notify)
        self.ledger = Ledger()
        self.surface.tools[:] = self.ledger.tools()
        return self.surface.manifest

    async def _hint(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Say in the older era, too, how long a list may be kept, as servers of the scheme do; 0 is left out there."""
        result = await call_next(ctx)
        if ctx.method not in _LISTS or not isinstance(result, dict) or "ttlMs" in result or not self._hints["ttlMs"]:
            return result
        return {**result, **self._hints}

    async def _listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        asked = params.notifications
        wanted = asked.resource_subscriptions or []
        granted = types.SubscriptionFilter(
            tools_list_changed=asked.tools_list_changed,
            resource_subscriptions=[uri for uri in wanted if self._is_there(str(uri))] or None,
        )
        return await self._listeners(ctx, params.model_copy(update={"notifications": granted}))

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if all(tool["name"] != params.name for tool in self.shown_to(ctx.request).tools):
            raise MCPError(types.INVALID_PARAMS, f"there is no tool named {params.name!r}")
        result, updated = self.ledger.call(params.name, params.arguments or {})
        for uri in updated:
            await self._bus.publish(ResourceUpdated(uri=uri))
        if updated:
            await self._sessions.tell_updated(updated)
        return types.CallToolResult.model_validate(result)

    async def _resources(self, _ctx: Context, _params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {"resultType": "complete", "resources": library.resources(self.ledger)}

    async def _templates(self, _ctx: Context, _params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {"resultType": "complete", "resourceTemplates": library.templates()}

    async def _read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        found = library.read(self.ledger, str(params.uri), self.shown_to(ctx.request).tools)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, f"there is nothing at {params.uri}")
        return types.ReadResourceResult.model_validate(found)

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        if not self._is_there(str(params.uri)):
            raise MCPError(types.INVALID_PARAMS, f"there is nothing at {params.uri}")
        self._sessions.subscribe(ctx, str(params.uri))
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._sessions.unsubscribe(ctx, str(params.uri))
        return types.EmptyResult()

    def _is_there(self, uri: str) -> bool:
        return library.read(self.ledger, uri, []) is not None


def server_of(options: ServeOptions) -> ReferenceServer:
    """Return the server that the options ask for."""
    return LedgerServer(options) if options.ledger else ReferenceServer(options)

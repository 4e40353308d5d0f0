"""The MCP side of the reference server: the official SDK's low-level server, kept to a Meridian's contract in both eras.

The SDK sends only what its models know. What a Meridian says beyond that is put onto the result by a middleware, after
the SDK has made it: the revision in the handshake (in the server information and in `_meta`), revision and count beside
a list, and the definitions as they are held, with every field and number as it was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError

from diagnose.errors import InputError
from diagnose.reference.contract import MANIFEST, REVISION_FIELD
from diagnose.reference.held import CursorError, HeldSurface
from diagnose.reference.legacy_sessions import LegacySessions
from diagnose.reference.options import ServeOptions
from diagnose.reference.orchard import INSTRUCTIONS, call
from diagnose.version import __version__

if TYPE_CHECKING:
    from mcp.server.models import InitializationOptions

NAME = "orchard"
#: The method by which a client may edit the surface, where the options allow it; HTTP has `POST /control` beside it.
CONTROL = "reference/control"

Context = ServerRequestContext[Any, Any]


class ControlParams(types.RequestParams):
    """An edit, as `HeldSurface.edit` takes it; `notify: false` keeps it from the subscribers."""

    change: dict[str, Any]
    notify: bool = True


class ReferenceServer(Server[Any]):
    """One server over one surface. Everything runs on one event loop."""

    def __init__(self, options: ServeOptions) -> None:
        self.surface = HeldSurface(page_size=options.page_size)
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._sessions = LegacySessions()
        hint = CacheHint(ttl_ms=options.ttl_ms, scope=options.scope)
        super().__init__(
            NAME,
            version=__version__,
            instructions=INSTRUCTIONS,
            cache_hints={"tools/list": hint, "server/discover": hint},
            on_call_tool=self._call_tool,
            on_subscriptions_listen=self._listen,
        )
        # Registered here, as these return plain dictionaries: the definitions go onto the wire as they are held.
        self.add_request_handler("tools/list", types.PaginatedRequestParams, self._list_tools)
        if options.control:
            self.add_request_handler(CONTROL, ControlParams, self._control)
        self.middleware.append(self._tell)

    async def edit(self, change: Mapping[str, Any], *, notify: bool = True) -> dict[str, Any]:
        """Change the surface, tell every subscriber of both eras unless told not to, and return the new manifest.

        Raises `InputError` for a change that cannot be made.
        """
        self.surface.edit(change)
        if notify:
            await self._bus.publish(ToolsListChanged())
            await self._sessions.tell()
        return self.surface.manifest

    def close_streams(self) -> None:
        """End every subscription, so that the process can end."""
        self._listen.close()

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return the SDK's options with `listChanged` declared: it calls this without arguments over HTTP."""
        declared = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(declared, experimental_capabilities, extensions)

    @property
    def server_info_stamp(self) -> dict[str, Any]:
        """What every modern result says of this server: the SDK's words, and the revision."""
        return {**super().server_info_stamp, REVISION_FIELD: self.surface.revision}

    async def _tell(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Say beside the SDK's results what a Meridian says there."""
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        if ctx.method == "initialize":
            self._sessions.remember(ctx)
            result["serverInfo"] = {**result["serverInfo"], REVISION_FIELD: self.surface.revision}
        elif ctx.method == "tools/list":
            result["tools"] = [self.surface.definition(tool) for tool in result["tools"]]
        elif ctx.method != "server/discover":
            return result
        result["_meta"] = {**(result.get("_meta") or {}), MANIFEST: self.surface.manifest}
        return result

    async def _list_tools(self, _ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        try:
            tools, following = self.surface.page(params.cursor)
        except CursorError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        page: dict[str, Any] = {"resultType": "complete", "tools": tools}
        return page if following is None else {**page, "nextCursor": following}

    async def _call_tool(self, _ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if all(tool["name"] != params.name for tool in self.surface.tools):
            raise MCPError(types.INVALID_PARAMS, f"there is no tool named {params.name!r}")
        return types.CallToolResult.model_validate(call(params.name, params.arguments or {}))

    async def _control(self, _ctx: Context, params: ControlParams) -> dict[str, Any]:
        try:
            return await self.edit(params.change, notify=params.notify)
        except InputError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error

"""The MCP side of the reference server: the official SDK's low-level server, kept to a Meridian's contract in both eras.

The SDK sends only what its models know. What a Meridian says beyond that is put onto the result by a middleware, after
the SDK has made it: the revision in the handshake (in the server information and in `_meta`), revision and count beside
a list, and the definitions as they are held, with every field and number as it was written.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError

from diagnose.errors import InputError
from diagnose.reference.almanac import PROMPTS, RESOURCES, TEMPLATES, prompt, resource
from diagnose.reference.contract import MANIFEST, REVISION_FIELD, SERVER_INFO
from diagnose.reference.held import CursorError, HeldSurface
from diagnose.reference.legacy_sessions import LegacySessions
from diagnose.reference.options import ServeOptions
from diagnose.reference.orchard import INSTRUCTIONS, call
from diagnose.version import __version__
from diagnose.wire.eras import LEGACY, MODERN

if TYPE_CHECKING:
    from mcp.server.models import InitializationOptions
    from starlette.requests import Request

NAME = "orchard"
#: The method by which a client may edit the surface, where the options allow it; HTTP has `POST /control` beside it.
CONTROL = "reference/control"

Context = ServerRequestContext[Any, Any]
Entries = list[dict[str, Any]]


#: The results that carry cache hints (MCP 2026-07-28, server/utilities/caching).
CACHEABLE: tuple[CacheableMethod, ...] = (
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "tools/list",
)
#: The results that tell of the list.
TELLING = ("initialize", "server/discover", "tools/list")
OTHER_LISTS: tuple[tuple[str, str, Entries], ...] = (
    ("prompts/list", "prompts", PROMPTS),
    ("resources/list", "resources", RESOURCES),
    ("resources/templates/list", "resourceTemplates", TEMPLATES),
)


class ControlParams(types.RequestParams):
    """An edit, as `HeldSurface.edit` takes it; `notify: false` keeps it from the subscribers."""

    change: dict[str, Any]
    notify: bool = True


class ReferenceServer(Server[Any]):
    """One server over one surface. Everything runs on one event loop."""

    def __init__(self, options: ServeOptions) -> None:
        self.surface = HeldSurface(page_size=options.page_size)
        self._principals = options.principals
        self._bus = InMemorySubscriptionBus()
        self._listeners = ListenHandler(self._bus)
        self._sessions = LegacySessions()
        hint = CacheHint(ttl_ms=options.time_to_live, scope=options.audience)
        super().__init__(
            NAME,
            version=__version__,
            instructions=INSTRUCTIONS,
            cache_hints=dict.fromkeys(CACHEABLE, hint),
            on_call_tool=self._call_tool,
            on_get_prompt=_get_prompt,
            on_read_resource=_read_resource,
            on_subscriptions_listen=self._listen,
        )
        # Registered here, as these return plain dictionaries: the definitions go onto the wire as they are held.
        self.add_request_handler("tools/list", types.PaginatedRequestParams, self._list_tools)
        for method, key, entries in OTHER_LISTS:
            self.add_request_handler(method, types.PaginatedRequestParams, _fixed_list(key, entries))
        if options.control:
            self.add_request_handler(CONTROL, ControlParams, self._control)
        self.middleware.append(self._tell)

    def shown_to(self, request: Request | None) -> HeldSurface:
        """Return the surface as it is for whoever sends this request; over stdio, without one, it is the whole."""
        authorization = "" if request is None else request.headers.get("authorization", "")
        return self.surface.without(self._principals.hides(authorization))

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
        self._listeners.close()

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return the SDK's options with `listChanged` declared: it calls this without arguments over HTTP."""
        declared = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(declared, experimental_capabilities, extensions)

    def get_capabilities(self, *args: Any, **options: Any) -> types.ServerCapabilities:
        """Return the SDK's, without the promise to tell of prompts and resources, which never change."""
        declared = super().get_capabilities(*args, **options)
        if declared.prompts is not None:
            declared.prompts.list_changed = None
        if declared.resources is not None:
            declared.resources = types.ResourcesCapability()
        return declared

    async def _tell(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Say beside the SDK's results what a Meridian says there."""
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        surface = self.shown_to(ctx.request)
        meta = result.get("_meta") or {}
        if SERVER_INFO in meta:
            meta = {**meta, SERVER_INFO: {**meta[SERVER_INFO], REVISION_FIELD: surface.revision}}
        if ctx.method == "initialize":
            self._sessions.remember(ctx)
            result["serverInfo"] = {**result["serverInfo"], REVISION_FIELD: surface.revision}
        elif ctx.method == "tools/list":
            result["tools"] = [surface.definition(tool) for tool in result["tools"]]
        elif ctx.method == "server/discover":
            result["supportedVersions"] = [*MODERN, *LEGACY]
        if ctx.method in TELLING:
            meta = {**meta, MANIFEST: surface.manifest}
        return {**result, "_meta": meta} if meta else result

    async def _listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        """Serve one subscription. It is granted what this server can tell of; the SDK would grant whatever is asked."""
        asked = params.notifications.tools_list_changed
        granted = params.model_copy(update={"notifications": types.SubscriptionFilter(tools_list_changed=asked)})
        return await self._listeners(ctx, granted)

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        try:
            tools, following = self.shown_to(ctx.request).page(params.cursor)
        except CursorError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        page: dict[str, Any] = {"resultType": "complete", "tools": tools}
        return page if following is None else {**page, "nextCursor": following}

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if all(tool["name"] != params.name for tool in self.shown_to(ctx.request).tools):
            raise MCPError(types.INVALID_PARAMS, f"there is no tool named {params.name!r}")
        return types.CallToolResult.model_validate(call(params.name, params.arguments or {}))

    async def _control(self, _ctx: Context, params: ControlParams) -> dict[str, Any]:
        try:
            return await self.edit(params.change, notify=params.notify)
        except InputError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error


def _fixed_list(key: str, entries: Entries) -> Callable[[Context, types.PaginatedRequestParams], Awaitable[Any]]:
    """Return a handler for a list that is one page and never changes."""

    async def answer(_ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        if params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, "this list is one page, and no cursor was issued for it")
        return {"resultType": "complete", key: entries}

    return answer


async def _get_prompt(_ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    said = prompt(params.name, params.arguments or {})
    if said is None:
        raise MCPError(types.INVALID_PARAMS, f"there is no prompt named {params.name!r}")
    return types.GetPromptResult.model_validate(said)


async def _read_resource(_ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    found = resource(str(params.uri))
    if found is None:
        raise MCPError(types.INVALID_PARAMS, f"there is nothing at {params.uri}")
    return types.ReadResourceResult.model_validate(found)

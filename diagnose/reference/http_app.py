"""The reference server over HTTP: Streamable HTTP at `/mcp`, and beside it what a Meridian has there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from diagnose.errors import InputError
from diagnose.reference.keep_alive import KeepAlive
from diagnose.reference.options import ENDPOINT, ServeOptions
from diagnose.reference.principals import Principals
from diagnose.reference.server import NAME, ReferenceServer
from diagnose.version import __version__

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Receive, Scope, Send

Handler = Callable[[Request], Awaitable[Response]]

MAX_CONTROL_BYTES = 1 << 20


class PlainJson(JSONResponse):
    """JSON as the manifest's rule reads it: text outside ASCII raw, numbers as Python prints them."""

    def render(self, content: Any) -> bytes:
        """Return the bytes of the body."""
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


class BearerGate:
    """Lets a request to the MCP endpoint through if it carries a token; what is beside it is open, as a Meridian's."""

    def __init__(self, app: ASGIApp, principals: Principals) -> None:
        self._app = app
        self._principals = principals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401, or hand the request on."""
        if scope["type"] != "http" or not scope["path"].startswith(ENDPOINT):
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        if self._principals.admits(given):
            await self._app(scope, receive, send)
            return
        refusal = PlainJson({"error": "invalid_token"}, status_code=401, headers={"WWW-Authenticate": "Bearer"})
        await refusal(scope, receive, send)


def build_app(server: ReferenceServer, options: ServeOptions) -> ASGIApp:
    """Return the whole application. Its answers to requests are JSON; events travel on streams of their own."""
    routes = [Route(path, handler) for path, handler in _facts(server, options).items()]
    if options.control:
        routes.append(control_route(server))
    app: Starlette = server.streamable_http_app(
        streamable_http_path=ENDPOINT, json_response=True, host=options.host, custom_starlette_routes=routes
    )
    return KeepAlive(BearerGate(app, options.principals))


def _facts(server: ReferenceServer, options: ServeOptions) -> dict[str, Handler]:
    started = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    # There is no commit to name: the build is told by what it is made of.
    build = hashlib.sha256(f"{__version__} {server.surface.revision}".encode()).hexdigest()[:12]

    async def health(_: Request) -> Response:
        said = {"status": "ok", "service": NAME, "git_sha": build, "version": __version__}
        return PlainJson(said if options.identity is None else {**said, "identity": options.identity})

    async def deep(_: Request) -> Response:
        return PlainJson(
            {"ok": True, "db": True, "hosted_mode": False, "version": __version__, "pending_provisions": 0}
        )

    async def version(_: Request) -> Response:
        return PlainJson({"version": __version__, "git_sha": build, "startedAt": started})

    async def tools(request: Request) -> Response:
        return PlainJson(server.shown_to(request).tools)

    return {"/health": health, "/health/deep": deep, "/version": version, "/tools": tools}


def control_route(server: ReferenceServer) -> Route:
    """Return the route by which the surface can be changed from outside (`HeldSurface.edit`)."""

    async def control(request: Request) -> Response:
        try:
            change = await _posted(request)
            return PlainJson(await server.edit(change, notify=change.get("notify") is not False))
        except InputError as error:
            return PlainJson({"error": str(error)}, status_code=400)

    return Route("/control", control, methods=["POST"])


async def _posted(request: Request) -> dict[str, Any]:
    """Return the JSON object that was posted; raises `InputError` for anything else."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_CONTROL_BYTES:
            raise InputError("this change is too large")
    try:
        value = json.loads(body)
    except ValueError as error:
        raise InputError(f"this is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise InputError("a change is a JSON object")
    return value

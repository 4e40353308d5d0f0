"""The `manifest` layer: the authoritative list outside MCP, `GET /tools`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from diagnose.evidence.observation import Advertised, Failure, Observation
from diagnose.observe.endpoint import Reply, get
from diagnose.surface import Surface
from diagnose.transport.http import HttpClient


def observe_manifest(
    http: HttpClient, url: str, path: str, *, due: bool, now: Callable[[], str], principal: str | None = None
) -> Observation | str:
    """GET the manifest and return it, or in words why there is none.

    ``due`` tells whether JSON may be expected there: somebody named the path, or the server's other endpoints speak
    JSON. Where it is, an HTML page or a redirect is `manifest-gated`; elsewhere it is a web site without a manifest.
    """
    reply = get(http, url, path)
    if reply.kind in {"html", "redirect"} and due:
        return _gated(reply, now())
    if reply.kind == "unreachable" and due and reply.failure is not None:
        return Observation(layer="manifest", complete=False, at=now(), source=f"GET {path}", failure=reply.failure)
    if reply.kind != "json":
        return reply.says
    tools = tool_list(reply.value)
    if tools is None:
        return f"GET {path} answered JSON that is no list of tools"
    return Observation(
        layer="manifest",
        surface=Surface.of(tools),
        at=now(),
        source=f"GET {path}",
        principal=principal,
        advertised=_advertised(reply.value),
        anomalies=reply.anomalies,
    )


def tool_list(value: Any) -> Sequence[Any] | None:
    """Return the tools of a bare array or of `{"tools": […]}`; None where the value is neither."""
    tools = value.get("tools") if isinstance(value, dict) else value
    if not isinstance(tools, list):
        return None
    named = [item for item in tools if isinstance(item, dict) and "name" in item]
    return tools if named or not tools else None


def _advertised(value: Any) -> Advertised:
    if not isinstance(value, dict):
        return Advertised()
    return Advertised(list=value.get("revision"), count=value.get("count"))


def _gated(reply: Reply, at: str) -> Observation:
    failure = Failure(
        rule="manifest-gated",
        message=f"{reply.says}: a login or gate page stands before the manifest",
        status=reply.status,
        where=f"GET {reply.path}",
        args={"path": reply.path, "status": reply.status, "answer": reply.kind},
    )
    return Observation(layer="manifest", complete=False, at=at, source=f"GET {reply.path}", failure=failure)

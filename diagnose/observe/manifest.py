"""The `manifest` layer: the authoritative list outside MCP, `GET /tools`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from diagnose.evidence.observation import Advertised, Failure, Observation
from diagnose.observe.endpoint import Reply, get
from diagnose.surface import Surface
from diagnose.transport.http import HttpClient


def observe_manifest(
    http: HttpClient,
    url: str,
    path: str,
    *,
    due: bool,
    now: Callable[[], str],
    principal: str | None = None,
    promised: bool = False,
) -> Observation | str:
    """GET the manifest and return it, or in words why there is none.

    ``due`` tells whether JSON may be expected there: somebody named the path, or the server's other endpoints speak
    JSON. Where it is, an HTML page or a redirect is `manifest-gated`; elsewhere it is a web site without a manifest.
    ``promised`` tells that there is one: somebody named it, or the server is a Meridian. Then any other answer but 404
    is `manifest-unreadable`, so that the manifest is not taken for absent. A refused request is `auth-blocked`.
    """
    reply = get(http, url, path)
    tools = tool_list(reply.value) if reply.kind == "json" else None
    if tools is None:
        why = f"GET {path} answered JSON that is no list of tools" if reply.kind == "json" else reply.says
        failure = _failure(reply, why, due=due, promised=promised)
        if failure is None:
            return why
        return Observation(layer="manifest", complete=False, at=now(), source=f"GET {path}", failure=failure)
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


def _failure(reply: Reply, why: str, *, due: bool, promised: bool) -> Failure | None:
    """Return the failure that an answer without a manifest is; None where there may as well be none."""
    if reply.kind == "refused" or (reply.kind == "unreachable" and due):
        return reply.failure
    gated = reply.kind in {"html", "redirect"}
    if gated and due:
        rule, why = "manifest-gated", f"{why}, as a login or gate page does"
    elif promised and reply.kind != "absent" and not gated:
        rule, why = "manifest-unreadable", f"{why}, so that the manifest cannot be read"
    else:
        return None
    return Failure(
        rule=rule,
        message=why,
        status=reply.status,
        where=f"GET {reply.path}",
        args={"path": reply.path, "status": reply.status, "answer": reply.kind},
    )

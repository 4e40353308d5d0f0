"""Checks on whether the list can be had at all, and on its paging."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_asked, origin_session
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.checks.shapes import failed, walks_that_failed

_METHOD_NOT_FOUND = -32601
_PAGINATION = "MCP 2026-07-28, server/utilities/pagination"


@check(
    "auth-blocked",
    family="access",
    layer="origin",
    severity="error",
    summary="The server takes the credential, or needs none.",
    why="Without a list nothing else can be said, and clients tend to show a cached one in its place.",
    remedy="Sign in again, or give a credential that this server accepts.",
    source="catalogue of causes, auth-blocked; MCP 2026-07-28, basic/authorization",
    needs=(origin_asked,),
)
def auth_blocked(case: Case) -> Iterable[Seen]:
    """Take up a refusal of our own request for the list, direct or through a path; beside it, it is only a warning."""
    for seen in failed(case, "auth-blocked"):
        if seen.layer in {"origin", "path"}:
            yield seen
        else:
            yield replace(seen, severity="warning")


@check(
    "list-error",
    family="access",
    layer="origin",
    severity="error",
    summary="A server that talks gives its list.",
    why="Every client shows `0 tools`, although the connection works.",
    remedy="Read the server's log at the time of the request; a schema that cannot be serialised is the usual reason.",
    source="MCP 2026-07-28, server/tools: a server with the tools capability must answer tools/list",
    needs=(origin_session,),
)
def list_error(case: Case) -> Iterable[Seen]:
    """Take up a refusal of the list; `method not found` of a server that declares no tools is a note."""
    origin = case.origin
    for seen in failed(case, "list-error"):
        declared = origin is None or origin.capabilities is None or "tools" in origin.capabilities
        if seen.args.get("code") == _METHOD_NOT_FOUND and not declared:
            says = "The server declares no tools and knows no tools/list: there is no list to judge."
            yield replace(seen, severity="note", literal=says)
        else:
            yield seen


@check(
    "header-mismatch",
    family="sessions",
    layer="wire",
    severity="error",
    summary="The headers of a request say what its body says, and the version that was agreed.",
    why="A strict server refuses every request after the handshake, the list among them.",
    remedy="Send the negotiated version, method and name in the headers of each request.",
    source="MCP 2026-07-28, basic/transports/streamable-http, Request Metadata; MCP 2025-11-25, basic/transports",
    message="{client} sends {header} {said} where {body} is right, and is refused with HTTP {status}.",
    needs=(origin_session,),
)
def header_mismatch(case: Case) -> Iterable[Seen]:
    """Take up that our own request was refused for its headers, which were right when they left us."""
    for seen in failed(case, "header-mismatch"):
        yield replace(seen, confidence="likely", literal=f"{seen.literal}; our headers were right when they were sent")


@check(
    "cursor-empty-string",
    family="paging",
    layer="origin",
    severity="error",
    summary="An empty cursor, where one is sent, leads to new names.",
    why="An empty string is a cursor: clients that follow it never reach the end.",
    remedy="Leave `nextCursor` out of the last page.",
    source=f"{_PAGINATION}: an empty string is a valid cursor",
    needs=(origin_session,),
)
def cursor_empty_string(case: Case) -> Iterable[Seen]:
    """Take up the walk's word."""
    return failed(case, "cursor-empty-string")


@check(
    "cursor-loop",
    family="paging",
    layer="origin",
    severity="error",
    summary="Paging comes to an end.",
    why="Clients that read all pages show tools many times, or time out.",
    remedy="Leave `nextCursor` out of the last page, and let each cursor point behind the page that it came with.",
    source=f"{_PAGINATION}: a missing nextCursor is the end",
    needs=(origin_session,),
)
def cursor_loop(case: Case) -> Iterable[Seen]:
    """Take up the walk's word."""
    return failed(case, "cursor-loop")


@check(
    "cursor-rejected",
    family="paging",
    layer="origin",
    severity="error",
    summary="A cursor that was just issued is taken.",
    why="A list of several pages cannot be read to its end.",
    remedy="Keep cursors valid for the time of a walk, on every instance.",
    source=f"{_PAGINATION}: servers should provide stable cursors",
    needs=(origin_session,),
)
def cursor_rejected(case: Case) -> Iterable[Seen]:
    """Take up the walk's word; where a fresh walk then worked, the list only changed in between."""
    yield from failed(case, "cursor-rejected")
    for place, _ in walks_that_failed(case, "cursor-rejected"):
        yield Seen(
            args={"walk": place},
            severity="note",
            evidence=(f"walk {place}",),
            says="In walk {walk} a cursor was refused, and a fresh walk worked: the list had changed.",
        )

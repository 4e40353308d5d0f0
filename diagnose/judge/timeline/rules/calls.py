"""Rules of calls: what they show of the list that a client goes by. None of them is a cause; each is a trace of one."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.timeline.rules.needs import call, client_list


@check(
    "call-of-removed-tool",
    family="calls",
    layer="wire",
    severity="warning",
    summary="A client calls tools of the newest list that it was sent.",
    why="It goes by an older list, or its model does.",
    remedy="Open a new session or chat of the client.",
    source="catalogue of causes, client-index-stale: what shows it",
    message="{client} calls {tool}, which is in an older list that it was sent and not in the newest ({outcome}).",
    needs=(call,),
)
def call_of_removed_tool(case: Case) -> Iterable[Seen]:
    """Look for calls of tools that a newer list no longer has, and for refused calls of tools in no list."""
    for standing in case.standings:
        for session in standing.client.sessions:
            for each in session.calls:
                gone = each.standing == "removed" or (each.standing == "unlisted" and each.unknown_tool)
                if gone:
                    says = (
                        "{client} calls {tool}, which is in no list that it was sent, and the server does not know it."
                    )
                    yield Seen(
                        args={"client": standing.client.name, "tool": each.tool, "outcome": each.outcome},
                        evidence=standing.frames(each.asked, each.answered),
                        layer=standing.timeline.layer("client"),
                        session=standing.timeline.label(session),
                        says=says if each.standing == "unlisted" else None,
                    )


@check(
    "call-by-old-schema",
    family="calls",
    layer="wire",
    severity="warning",
    summary="A client calls a tool by the newest definition that it was sent.",
    why="Its arguments fit an older definition only: it, or its model, goes by that.",
    remedy="Open a new session or chat of the client.",
    source="catalogue of causes, client-index-stale: what shows it",
    message="{client} calls {tool} with {arguments}, which only an older definition names ({outcome}).",
    needs=(call,),
)
def call_by_old_schema(case: Case) -> Iterable[Seen]:
    """Look for arguments that the newest definition does not name, and an older one did."""
    for standing in case.standings:
        for session in standing.client.sessions:
            for each in session.calls:
                if each.surplus:
                    yield Seen(
                        args={
                            "client": standing.client.name,
                            "tool": each.tool,
                            "arguments": list(each.surplus),
                            "outcome": each.outcome,
                        },
                        evidence=standing.frames(each.asked, each.answered),
                        layer=standing.timeline.layer("client"),
                        session=standing.timeline.label(session),
                    )


@check(
    "lists-overtook",
    family="calls",
    layer="wire",
    severity="warning",
    summary="Lists are answered in the order in which they were asked for.",
    why="A client that keeps what came last then keeps the older list.",
    remedy="A client should keep the answer to its newest request, and drop an older one that comes late.",
    source="catalogue of causes, client-discards-fresh: answers out of order",
    message="Two lists of {client} overlapped, and the answer to the older request came last, with another list.",
    needs=(client_list,),
)
def lists_overtook(case: Case) -> Iterable[Seen]:
    """Look for overlapping lists that were answered the other way round and differ."""
    for standing in case.standings:
        for session in standing.client.sessions:
            for older, newer in session.out_of_order[:3]:
                yield Seen(
                    args={"client": standing.client.name},
                    evidence=standing.frames(older.asked, newer.asked, newer.answered, older.answered),
                    layer=standing.timeline.layer("client"),
                    session=standing.timeline.label(session),
                )

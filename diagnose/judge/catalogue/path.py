"""Causes in between: gateways, proxies and bridges on the way from the server to the client."""

from __future__ import annotations

from diagnose.judge.catalogue.row import Row

ROWS = (
    Row(
        name="proxy-frozen",
        layers=("path",),
        state="stale",
        meaning="A gateway answers new sessions from an old copy of the list.",
        shown="The list direct and through the path at one time, in a new session each.",
        remedy="Have the gateway read its servers again: its refresh call, its interval, or a restart.",
        next=(
            "Have the gateway read its servers again: its refresh call, its interval, or a restart.",
            "Then list through it once more, in a new session.",
        ),
    ),
    Row(
        name="proxy-drops-signal",
        layers=("path",),
        state="stale",
        meaning="The gateway's list is current for new sessions, and open ones are never told or keep the old list.",
        shown="Frames on both hops, or an old and a new session behind it; a stream that was cut or withheld is another matter.",
        remedy="Reconnect the client; upgrade the gateway to one that forwards list changes.",
        next=(
            "Reconnect the client: a new session behind the gateway lists the current tools.",
            "Use a gateway that forwards list changes, and declares listChanged to its clients.",
        ),
    ),
    Row(
        name="proxy-buffers",
        layers=("path",),
        state="stale",
        meaning="Signals arrive late or in batches, or idle streams are cut; nothing is wrong if nobody is behind.",
        shown="When a signal was sent and when it arrived; direct it arrives at once.",
        remedy="Turn buffering off for event streams, allow long reads, and send a comment every 15 to 25 seconds.",
        next=(
            "Turn buffering off for event streams on the way (X-Accel-Buffering: no, proxy_buffering off), and allow long reads.",
            "Send a comment on idle streams every 15 to 25 seconds.",
            "Reconnect the client: it lists again at once.",
        ),
    ),
    Row(
        name="page-truncated",
        layers=("path", "wire", "registry"),
        state="stale",
        meaning="Only the first pages, bytes or tools were passed on.",
        shown="A prefix of the list in the server's order, and a `nextCursor` that nobody followed.",
        remedy="Use a client or gateway that reads every page, or let the server put all tools on one.",
        next=(
            "Use a client or gateway that follows nextCursor to its end.",
            "Until then, let the server put all tools on one page, or split the server.",
        ),
    ),
)

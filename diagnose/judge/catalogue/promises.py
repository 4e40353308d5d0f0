"""Causes on the server's side that show in time: signals, capabilities, cache hints, what different callers get."""

from __future__ import annotations

from diagnose.judge.catalogue.row import Row

ROWS = (
    Row(
        name="list-varies-by-connection",
        layers=("origin",),
        state="broken",
        meaning="The list depends on the connection, or on what was asked before on it; before 2026-07-28 that was allowed.",
        shown="One principal and one build, and two connections with different lists, or one list before a call and another after it.",
        remedy="Build the list from the request's authorization alone.",
        next=(
            "Find what in the list comes from the connection or its session, and build it from the request alone; then: {again}",
        ),
    ),
    Row(
        name="server-no-signal",
        layers=("origin",),
        state="broken",
        meaning="The list changed under an open channel, the server had promised a signal, and none was sent.",
        shown="A change seen within a session, or provoked, with `listChanged` declared and no notification before or after it.",
        remedy="Send notifications/tools/list_changed once the new list is in place, to every open session or listen stream.",
        next=(
            "Reconnect the client: a new session lists the current tools.",
            "In the server, send notifications/tools/list_changed once the new list is in place, to every open session or subscription.",
            "Until it does, declare no listChanged, so that nobody waits for it.",
        ),
    ),
    Row(
        name="server-signal-early",
        layers=("origin",),
        state="broken",
        meaning="The signal came before the list had changed, so that a prompt client lists the old one.",
        shown="A list right after the signal that is still the old one, and a moment later, without another signal, the new one.",
        remedy="Send the signal after the change is committed.",
        next=(
            "List once more, or reconnect the client: the second list is the new one.",
            "In the server, commit the change first and signal after it.",
        ),
    ),
    Row(
        name="server-signal-storm",
        layers=("origin",),
        state="broken",
        meaning="Signals come without any change, or because somebody listed.",
        shown="Equal lists before and after signals, many times; one needless signal is a note, and one list after a burst is right.",
        remedy="Signal only when the list differs from the last one, never from the list handler.",
        next=(
            "In the server, compare the new list with the last one before signalling, and never signal from the list handler.",
            "Until then, have the client list at most once for a burst of signals.",
        ),
    ),
    Row(
        name="capability-undeclared",
        layers=("origin", "path", "wire"),
        state="broken",
        meaning="Signals are sent, or a list changes behind a hop, where `listChanged` or tools were never declared.",
        shown="The handshake against what followed; a client that drops an undeclared signal is in its right. A signal alone proves no change.",
        remedy="Declare tools.listChanged in the handshake, at every hop.",
        next=(
            "In the server, declare what it does: capabilities.tools, with listChanged true if it announces changes, at every hop.",
            "Reconnect the client: a new session lists the current tools.",
        ),
    ),
    Row(
        name="capability-false-claim",
        layers=("origin",),
        state="broken",
        meaning="`listChanged` is declared, and there is no channel on which a signal could come.",
        shown="GET is refused and no stream is offered, or listen is refused or closed at once.",
        remedy="Offer a stream, or declare no listChanged and give a short ttlMs.",
        next=(
            "In the server, offer a channel (the GET stream, or subscriptions/listen), or declare no listChanged and give a short ttlMs.",
            "Until then, reconnect clients after each change: no signal can reach them.",
        ),
    ),
    Row(
        name="cursor-unchecked",
        layers=("origin",),
        state=None,
        meaning="A cursor that nobody issued is answered with a page.",
        shown="A page for an invented cursor; the specification would have it refused.",
        remedy="Refuse unknown cursors with -32602.",
    ),
    Row(
        name="page-scope-differs",
        layers=("origin",),
        state="broken",
        meaning="The pages of one list carry different `cacheScope`.",
        shown="Two pages of one walk, one public and one private.",
        remedy="Give every page of a list the same cacheScope.",
        next=(
            "In the server, give every page of a list one cacheScope; private, where any page depends on the caller.",
        ),
    ),
    Row(
        name="ttl-misuse",
        layers=("origin", "wire"),
        state="broken",
        meaning="Cache hints are missing, invalid or in the wrong unit on a modern list; or a client takes the TTL for a polling interval.",
        shown="`ttlMs` and `cacheScope` as received; a change within a TTL is allowed, and so is a list used after it.",
        remedy="Send ttlMs as whole milliseconds and cacheScope as public or private on every page.",
        next=(
            "In the server, send ttlMs as whole milliseconds and cacheScope as public or private on every page of a modern list.",
            "Where a client polls by the TTL: have it list when it needs the list, and after a signal.",
        ),
    ),
    Row(
        name="scope-leak",
        layers=("origin", "path", "wire", "registry"),
        state="broken",
        meaning="A list that is meant for one authorization reaches another, or is marked public though callers get different ones.",
        shown="Two principals: their direct lists differ, and through the path they are equal, or the hint says public.",
        remedy="Key every cache by authorization and server, and mark lists that differ by caller private.",
        next=(
            "Stop sharing: key every cache by authorization and server, and mark lists that differ by caller private.",
            "Then clear the caches that hold the leaked list.",
        ),
    ),
    Row(
        name="auth-view-diff",
        layers=("registry",),
        state="stale",
        meaning="The client holds the list of an older grant; that two grants have two lists is as it may be.",
        shown="The lists before and after a grant, and the client with the former.",
        remedy="Sign in again in the client, so that it lists with the new grant.",
        next=("Sign in again in the client, or reconnect the server there, so that it lists with the new grant.",),
    ),
    Row(
        name="stream-no-ack",
        layers=("origin",),
        state="broken",
        meaning="Events come on a listen stream before it was acknowledged, or outside what was granted.",
        shown="The order of frames on the stream, and the granted filter against the events.",
        remedy="Acknowledge first, with the granted subset, and send nothing outside it.",
        next=(
            "In the server, acknowledge a subscription first, with what it grants, and send nothing outside that.",
            "Reconnect the client: a new session lists the current tools.",
        ),
    ),
)

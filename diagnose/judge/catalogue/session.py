"""Causes on the wire: sessions, eras and streams, and what a client asks, omits or does."""

from __future__ import annotations

from diagnose.judge.catalogue.row import Row

ROWS = (
    Row(
        name="cursor-invented",
        layers=("wire",),
        state="broken",
        meaning="The client sends a cursor that nobody issued, and is refused.",
        shown="A first request for the list that carries a cursor.",
        remedy="Leave the cursor out of the first request.",
        next=(
            "Leave the cursor out of the first request; it comes from the server, and is only ever sent back.",
            "Until the client is corrected, let the server answer an unknown cursor with -32602 and a message that says so.",
        ),
    ),
    Row(
        name="header-mismatch",
        layers=("wire",),
        state="broken",
        meaning="Header and body disagree, or the version in the header is not the negotiated one.",
        shown="-32020, or 400 after a good handshake; a note where the next request was right and accepted.",
        remedy="Send the negotiated version, method and name in the headers of each request.",
        next=(
            "Have the client send the version that the handshake agreed on, and the method and name of the body, in its headers.",
            "A hop may rewrite headers: record on both of its sides and compare.",
        ),
    ),
    Row(
        name="session-lost",
        layers=("wire", "path"),
        state="broken",
        meaning="The session is gone, and the client goes on with it or takes the wrong status for it.",
        shown="404 (or 400, 409, 500) for one session id and no handshake that is then used; an id that was given and never sent; likely also a server that started after the handshake.",
        remedy="Restart the client; a server without session state, or with a shared one, survives restarts and balancers.",
        next=(
            "Restart the client, or the bridge in between, so that it shakes hands anew; a restart of the server is the usual reason.",
            "In the server, keep sessions where every instance finds them, or do without.",
            "In the client, begin a new session on HTTP 404, and read a refused GET as what it is: no stream.",
        ),
    ),
    Row(
        name="era-fallback-fail",
        layers=("wire",),
        state="broken",
        meaning="The negotiation between the protocol's eras ends without a list.",
        shown="A probe or handshake that was refused, or left out for a remembered era, with nothing after it.",
        remedy="Upgrade the client or pin its era; the server should name the versions that it speaks.",
        next=(
            "Upgrade the client, or pin the era that the server speaks.",
            "In the server, name the supported versions in the refusal, so that a client can choose.",
            "If the server was downgraded, restart the client: it remembers the era.",
        ),
    ),
    Row(
        name="era-probe-kills-server",
        layers=("wire",),
        state="broken",
        meaning="The server or bridge ends on the modern probe.",
        shown="An exit after `server/discover`, with `initialize` unanswered.",
        remedy="Answer unknown first messages with an error; a client may start the server again and initialise.",
        next=(
            "In the server, answer an unknown first message with an error and go on.",
            "Until then, pin the client to the legacy era, or let it start the server again before it initialises.",
        ),
    ),
    Row(
        name="stream-not-opened",
        layers=("wire",),
        state="stale",
        meaning="The client never opened the channel on which it would hear of a change.",
        shown="No listen (modern) or no GET (legacy) though `listChanged` was offered, and a change afterwards.",
        remedy="Use a client that listens, reconnect after changes, or give the list a short TTL.",
        next=(
            "Reconnect the client: a new session lists the current tools.",
            "Use a client that listens (subscriptions/listen, or the GET stream), or give the list a short ttlMs.",
        ),
        behind=("hosted-snapshot", "empty-poisoned"),
    ),
    Row(
        name="stream-dropped",
        layers=("wire",),
        state="stale",
        meaning="The channel ended and was not opened again; nothing is wrong if nothing changed.",
        shown="A drop without a new stream; a clean end with a new listen is nothing.",
        remedy="Reconnect the client; keep streams alive with comments.",
        next=(
            "Reconnect the client: it opens a new channel and lists again.",
            "Keep streams alive with a comment every 15 to 25 seconds, and look for what cuts them on the way.",
        ),
        behind=("hosted-snapshot", "empty-poisoned"),
    ),
    Row(
        name="client-ignores-signal",
        layers=("wire",),
        state="stale",
        meaning="A declared signal arrived on an open channel, and the client asked for no list.",
        shown="The frames; it must not have listed within the wait, not even after the last signal of a burst.",
        remedy="Reconnect the client, or use a version that honours list changes.",
        next=(
            "Reconnect the client, or open a new session of it: that lists again.",
            "Use a version of the client that honours list changes, and report the frames to its makers.",
        ),
        behind=("hosted-snapshot", "empty-poisoned"),
    ),
    Row(
        name="client-no-relist",
        layers=("wire",),
        state="stale",
        meaning="The client had another reason to list again, and no complete list followed.",
        shown="A reconnect, a new session or credential, a TTL that ran out, a failed refresh or a person's click, and no list after it.",
        remedy="Correct what made the refresh fail, then reconnect the client.",
        next=(
            "Correct what made the refresh fail, where one did; then reconnect the client.",
            "Record its session again, and see that a whole list follows.",
        ),
        behind=("hosted-snapshot", "empty-poisoned"),
    ),
    Row(
        name="ttl-window",
        layers=("wire", "registry"),
        state="stale",
        meaning="The list changed while the client's copy is fresh by contract, until a time that can be told.",
        shown="The time of the list plus its `ttlMs`; the client is in its right.",
        remedy="Wait until the stated time, or have the client list again; give changing lists a shorter TTL.",
        next=(
            "Wait until the stated time, or reconnect the client: it is in its right until then.",
            "In the server, give a list that changes a shorter ttlMs, and a channel to announce changes on.",
        ),
    ),
    Row(
        name="wrong-tool-called",
        layers=("wire",),
        state="broken",
        meaning="The client called another tool than the one that was asked for.",
        shown="The model's request or the client's log against the call on the wire.",
        remedy="Give tools names that a client's mapping keeps apart.",
        next=(
            "Give the tools names that the client's mapping keeps apart, and keep them short.",
            "Report it to the makers of the client with the frames of the call.",
        ),
    ),
)

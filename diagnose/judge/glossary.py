"""The words of a report that are neither causes nor checks: layers, states, marks, impacts, exit codes, and terms."""

from __future__ import annotations

from collections.abc import Mapping

#: What each layer is, and through what it is observed.
LAYER_WORDS: Mapping[str, tuple[str, str]] = {
    "deployed": (
        "The build that should be running, and the one that answers.",
        "Health and version endpoints, and serverInfo.",
    ),
    "manifest": ("The authoritative list, outside MCP.", "GET /tools on the server."),
    "origin": (
        "What the server answers now to a fresh, complete tools/list.",
        "A session of our own, straight to the server.",
    ),
    "path": (
        "The same, through the gateway or command that the client uses.",
        "A session of our own, through that address or command.",
    ),
    "wire": ("What the client asked for, and what it was sent.", "A recording of the session, or the client's log."),
    "registry": ("What the client says it holds.", "The client's own command or API, or a file that it wrote."),
    "model": ("What the model is offered.", "A dump of the request to the model, or the client's init event."),
    "baseline": ("An earlier list of the same server.", "A stored snapshot, or another earlier list that was named."),
}

STATE_WORDS: Mapping[str, str] = {
    "in-sync": "Every pair that was observed agrees, and no check found an error. It says nothing about layers that were not observed.",
    "stale": "Two neighbouring layers differ: the verdict names the later of the two, which holds the wrong surface.",
    "broken": "Somebody breaks a rule of the protocol or of the contract: the verdict names the layer where it was seen.",
    "inconclusive": "There was nothing to compare, or the evidence does not decide; the steps and the limits say what would.",
}

RELATION_WORDS: Mapping[str, str] = {
    "equal": "The digests of both lists are the same, once legitimate extras are taken out.",
    "equivalent": "They differ only in what no caller and no model sees, or by a rewriting that is known of one side.",
    "different": "They differ in something that a caller or a model sees.",
    "unknown": "No difference was found, but a side is known by names only or has a definition that cannot be hashed.",
}

IMPACT_WORDS: Mapping[str, str] = {
    "breaking": "A call that was valid under the old definition may now fail, or an answer may lack what was promised.",
    "unclear": "The schemas are beyond deciding: references in circles, conditions, one pattern against another.",
    "behaviour": "Calls go on but act differently: annotations, defaults, the server's instructions.",
    "routing": "The words that a model chooses by: names for people, descriptions, titles.",
    "compatible": "Only more is allowed or offered.",
    "cosmetic": "Nothing that a caller or a model sees.",
}

CONFIDENCE_WORDS: Mapping[str, str] = {
    "proven": "Both sides were observed, or frames show it.",
    "likely": "One side was observed, and the evidence excludes every other explanation.",
    "possible": "It fits what was observed, and so may other explanations.",
}

EXIT_CODE_WORDS: Mapping[int, str] = {
    0: "In sync, or nothing at or above what --fail-on names. Never where nothing was verified.",
    1: "Stale, broken, different, or a check failed.",
    2: "Wrong usage, configuration or input; nothing was judged.",
    3: "It could not be observed or decided; the steps and the limits of the report say what would.",
    4: "A live request of ours was refused for its credential; --auth names another one.",
    70: "A fault of diagnose itself.",
    130: "Interrupted.",
}

#: The word before each layer of a ladder; a verdict's own state stands there in capitals.
MARK_WORDS: Mapping[str, str] = {
    "same": "This layer agrees with what it was compared with.",
    "differs": "This layer differs from one that it was compared with. The layer that the verdict names is the wrong one.",
    "seen": "This layer was observed, and there was nothing to compare it with.",
    "-": "This layer was not observed; the line says why.",
}

#: Words of the trade that reports use without explaining them.
TERM_WORDS: Mapping[str, str] = {
    "ladder": "The layers, from the build to the model. Each is compared with its neighbours, and the first difference decides.",
    "surface": "All tools of a server with their whole definitions, as a caller sees them.",
    "revision": "A fingerprint of a tool list, by Meridian's rule: names, descriptions, input schemas and annotations. It tells whether a list is fresh, and authorizes nothing.",
    "digest": "A fingerprint of a tool list, over the whole definitions (SHA-256 of the RFC 8785 form): it also moves with a title, an output schema or an icon.",
    "era": "One of the two ways of speaking MCP. Legacy, up to 2025-11-25: initialize, and a session. Modern, since 2026-07-28: server/discover, no session, and lists that say how long they hold. --era chooses one.",
    "modern": "The era since 2026-07-28: server/discover, no session, and lists that say how long they hold.",
    "legacy": "The era up to 2025-11-25: initialize, and a session.",
    "signal": "A server's word that its tool list changed: notifications/tools/list_changed.",
    "walk": "One reading of tools/list from its first page to its last.",
    "snapshot": "A list that was read and stored, to be compared with later ones.",
    "bundle": "What `collect` wrote into one file: all that was observed, for `triage` to judge elsewhere.",
    "recording": "What crossed between a client and a server, as `tap` wrote it down or another program did.",
    "frame": "One line of a recording: wire:15 is line 15.",
    "hop": "One stretch of the way between a client and a server; a gateway between them makes it two.",
    "ttl": "For how long a list may be kept without asking again, in the server's own words: ttlMs, in milliseconds.",
    "scope": "Who may share a list that was kept, in the server's own words: cacheScope, public or private to one authorization.",
    "principal": "Who a credential speaks for: two principals may be shown different lists.",
}

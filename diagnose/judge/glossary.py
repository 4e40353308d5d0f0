"""The words of a report that are neither causes nor checks: layers, states, relations, impacts, exit codes."""

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
    3: "It could not be observed or decided.",
    4: "A live request of ours was refused for its credential.",
    70: "A fault of diagnose itself.",
    130: "Interrupted.",
}

"""Which words of a free text may stand in a recording: those that no secret is made of."""

from __future__ import annotations

import re
from collections.abc import Collection

from diagnose.evidence.secret import MASK

_WORDS = """
    a able accept acceptable access active again all allowed already an and any application are argument arguments as at
    authenticated authentication authorization authorized available bad batch be because been before body both but by
    call calls can cannot cancelled capabilities capability changed client close closed connect connection content could
    cursor data denied deprecated did disabled discover does done down during empty enabled end endpoint entry error event
    exception exist exists expected expired fail failed failure field fields first for forbidden format found from gateway
    get given had has have header headers http id in initialize initialized initialization input internal into invalid is
    it its json key known last later limit list loading longer malformed many match may message messages method mismatch
    missing more must name named names next no not notification now null number object of on only open or output page
    parameter parameters params parse part permission permitted ping please post prompt prompts property protocol provided
    rate ready received refused removed request requested requests required requires resource resources response result
    retry schema send sent server service session set should size sse startup starting started state status stream string
    subscribe subscription subscriptions such support supported supports temporarily than that the there this time timed
    timeout to today token too tool tools try type unable unauthorized unavailable unexpected unknown unsupported until up
    uri url use used using valid validation value version was were while with within without wrong yet you your
    mcp rpc
"""
#: What servers say of requests that they refuse, in lower case.
VOCABULARY = frozenset(_WORDS.split())
_WORD = re.compile(r"[^\s:;,.!?()\[\]{}<>\"'`=|/]+")
_HARMLESS = re.compile(r"[0-9]{1,3}|-32[0-9]{3}|20[0-9]{2}-[0-9]{2}-[0-9]{2}|[-*&+]+")


def plain_words(text: str, known: Collection[str] = (), *, limit: int = 500) -> str:
    """Return the start of ``text`` with every word masked that is neither of the `VOCABULARY` nor among the ``known`` ones.

    Numbers of at most three digits, error codes of JSON-RPC and versions of MCP stay.
    """

    def shown(word: re.Match[str]) -> str:
        said = word[0]
        parts = re.split(r"[-_]", said.lower())
        plain = said in known or _HARMLESS.fullmatch(said) or (said.isascii() and VOCABULARY.issuperset(parts))
        return said if plain else MASK

    masked = _WORD.sub(shown, text[:limit])
    return re.sub(r"\*\*\*(?:[\s,]+\*\*\*)+", MASK, masked)

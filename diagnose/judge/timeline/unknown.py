"""Whether a refused call says that the server has no such tool, or that the tool found something else missing."""

from __future__ import annotations

import re

from diagnose.wire.message import METHOD_NOT_FOUND

#: How servers and SDKs put it: with the name behind it, or in the middle. That anything else is not found is the tool's word.
_SAID = re.compile(
    r"(?:unknown[ _-]tool|no such tool|tool[ _-]not[ _-]found|no tool (?:named|called))\W*(?P<behind>[\w./-]*)"
    r"|\btool[\s:]+[\"'`]?(?P<amid>[\w./-]+)[\"'`]?\s+(?:is |was |could )?(?:not (?:be )?found|does not exist)",
    re.IGNORECASE,
)
#: What stands where a name may, and is none.
_FILLERS = frozenset({"", "name", "named", "called", "requested", "with", "in", "for", "or", "error"})


def is_unknown_tool(tool: str, code: int | None, words: str) -> bool:
    """Tell whether a refusal of a call means this very tool; one that runs others for its caller may speak of those.

    ``words`` is what the refusal says, as far as it was kept; ``code`` that of its JSON-RPC error.
    """
    if code == METHOD_NOT_FOUND:
        return True
    said = _SAID.search(words)
    if said is None:
        return False
    named = (said["behind"] if said["amid"] is None else said["amid"]).strip("./-").casefold()
    return named in _FILLERS or re.search(rf"(?<!\w){re.escape(tool)}(?!\w)", words, re.IGNORECASE) is not None

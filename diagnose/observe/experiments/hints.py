"""The caching hints of all that is not `tools/list`: discovery, prompts, resources and resource templates.

MCP 2026-07-28, server/utilities/caching: each of these results must carry them, on every page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from diagnose.evidence.probes import Hinted
from diagnose.freshness.hints import hint_members
from diagnose.observe.dialogue import Dialogue
from diagnose.observe.experiments.asking import ask_modern
from diagnose.wire.negotiation import DISCOVER

#: What is asked for where a server declares the capability of that name.
LISTS: Final = (
    ("prompts", "prompts/list"),
    ("resources", "resources/list"),
    ("resources", "resources/templates/list"),
)
#: So many pages of one of these lists are read.
MAX_PAGES: Final = 50


def other_hints(dialogue: Dialogue, discovered: Mapping[str, Any], version: str) -> tuple[Hinted, ...]:
    """Return the hints of `server/discover`, which has been asked, and of every other list that the server declares."""
    capabilities = discovered.get("capabilities")
    declared = capabilities if isinstance(capabilities, Mapping) else {}
    lists = (_walked(dialogue, method, version) for capability, method in LISTS if capability in declared)
    return (Hinted(method=DISCOVER, pages=(hint_members(discovered),)), *lists)


def _walked(dialogue: Dialogue, method: str, version: str) -> Hinted:
    pages: list[Mapping[str, Any]] = []
    ended = ""
    for page in _pages(dialogue, method, version):
        if isinstance(page, str):
            ended = page
        else:
            pages.append(hint_members(page))
    return Hinted(method=method, pages=tuple(pages), why=ended or None)


def _pages(dialogue: Dialogue, method: str, version: str) -> Iterator[Mapping[str, Any] | str]:
    """Yield the results of a walk, and as the last, in words, what ended it before its end."""
    params: dict[str, Any] = {}
    used: set[str] = set()
    for _ in range(MAX_PAGES):
        answer = ask_modern(dialogue, method, params, version=version)
        if answer.result is None:
            yield answer.why or f"{method} was refused with JSON-RPC error {answer.code}"
            return
        yield answer.result
        following = answer.result.get("nextCursor")
        if following is None:
            return
        if not isinstance(following, str) or following in used:
            yield f"the cursors of {method} lead nowhere"
            return
        used.add(following)
        params = {"cursor": following}
    yield f"{method} has more than {MAX_PAGES} pages"

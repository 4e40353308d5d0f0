"""A catalogue: one complete list of tools, read in one go, and how long it may be trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnose.freshness.entry import CacheEntry
from diagnose.freshness.hints import Scope
from diagnose.surface import Surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The pages of one walk, put together. It never changes: who has taken one up can go on with it.

    ``generation`` counts the catalogues of one session, from 1. ``asked`` and ``received`` are when the first request
    went out and the last page had come, in seconds of the session's clock.
    """

    generation: int
    surface: Surface
    pages: tuple[CacheEntry, ...] = field(repr=False)

    @property
    def asked(self) -> float:
        """When its first page was asked for: what changed on the server before that is in it."""
        return self.pages[0].asked

    @property
    def received(self) -> float:
        """When its last page had come."""
        return self.pages[-1].received

    @property
    def fresh_until(self) -> float:
        """When the first of its pages expires. A consistent list is then read anew from its beginning."""
        return min(page.fresh_until for page in self.pages)

    @property
    def ttl_ms(self) -> int:
        """The shortest TTL of its pages, in milliseconds."""
        return min(page.hints.ttl_ms for page in self.pages)

    @property
    def scope(self) -> Scope:
        """Whom it may be served to: `public` only if every page says so."""
        return "public" if all(page.hints.scope == "public" for page in self.pages) else "private"


def is_torn(pages: Sequence[CacheEntry]) -> bool:
    """Tell whether the pages of one walk show that they are of different lists.

    They do where they advertise different revisions of the whole list (`meridian/toolManifest`), or where one name stands
    on two pages. The second is no proof: a server may really have two tools of one name.
    """
    return torn_for_sure(pages) or _name_on_two_pages(pages)


def torn_for_sure(pages: Sequence[CacheEntry]) -> bool:
    """Tell whether the pages advertise different revisions of the list that they are all part of."""
    told = [_advertised(page.result) for page in pages]
    return len({json.dumps(revision) for revision in told if revision is not None}) > 1


def _advertised(result: Mapping[str, Any]) -> Any:
    meta = result.get("_meta")
    manifest = meta.get("meridian/toolManifest") if isinstance(meta, dict) else None
    return manifest.get("revision") if isinstance(manifest, dict) else None


def _name_on_two_pages(pages: Sequence[CacheEntry]) -> bool:
    seen: set[str] = set()
    for page in pages:
        here = {tool["name"] for tool in page.result["tools"] if _is_named(tool)}
        if seen & here:
            return True
        seen |= here
    return False


def _is_named(tool: Any) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)

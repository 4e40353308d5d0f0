"""Keyed digests of what crossed: equal values stay tellable, and the values themselves are not kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from diagnose.statesync import parse_invalidation

#: What an answer says of itself and not of the state that was read.
_ABOUT = frozenset({"_meta", "ttlMs", "cacheScope", "resultType"})


def digest(value: Any, key: bytes) -> str:
    """Return the keyed digest of a JSON value (32 hex digits)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.blake2b(text.encode("ascii"), key=key[:64], digest_size=16).hexdigest()


def answer_digest(result: Mapping[str, Any], key: bytes) -> str:
    """Return the digest of an answer without the tag in front of it and without what it says of itself."""
    told = {name: value for name, value in result.items() if name not in _ABOUT and (name != "isError" or value)}
    content = told.get("content")
    if isinstance(content, list) and content and is_tag(content[0]):
        told["content"] = content[1:]
    return digest(told, key)


def is_tag(item: Any) -> bool:
    """Tell whether a content item is an invalidation, and nothing else."""
    text = text_of(item)
    return text is not None and parse_invalidation(text, lenient=True) is not None


def text_of(item: Any) -> str | None:
    """Return the text of a text item; None of any other, and where the recorder left the text out."""
    text = item.get("text") if isinstance(item, Mapping) and item.get("type") == "text" else None
    return text if isinstance(text, str) else None

"""`<cache_invalidation cause="…" domains="…" />`: the text item in front of a result that says what became stale."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from diagnose.errors import InputError
from diagnose.statesync.globs import is_pattern

_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
# Not html.escape: that writes an apostrophe as &#x27;.
_ESCAPES: Final = str.maketrans(_ENTITIES)
_CHARACTERS: Final = {entity: char for char, entity in _ENTITIES.items()}

_VALUE: Final = r"((?:[^&<>\"']++|&(?:amp|lt|gt|quot|apos);)*+)"
_EXACT: Final = re.compile(rf'<cache_invalidation cause="{_VALUE}" domains="{_VALUE}" />')
_SEPARATOR: Final = ", "

_OPENING: Final = re.compile(r"\s*<\s*cache_invalidation(?=[\s/>])", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r"\s*([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_CLOSING: Final = re.compile(r"\s*(?:/\s*>|>\s*</\s*cache_invalidation\s*>|>)\s*", re.IGNORECASE)


class TagError(InputError):
    """An invalidation cannot be written so that it would be read as it was meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalidation:
    """What a tag says: the call that was the cause, by its canonical name, and what it made stale, in its order.

    ``exact`` is whether the tag is written to the letter. Any tool may return such a text as its own: whether to believe
    it takes more than the tag.
    """

    cause: str
    domains: tuple[str, ...]
    exact: bool = True

    @property
    def illegal(self) -> tuple[str, ...]:
        """The domains that are no legal patterns, and so reach nothing."""
        return tuple(domain for domain in self.domains if not is_pattern(domain))


def format_invalidation(cause: str, domains: Sequence[str]) -> str:
    """Return the tag, which `parse_invalidation` reads back; duplicates are kept.

    Raises TagError for no domains, or for one that is empty or holds a comma or white space at its ends.
    """
    if not domains:
        raise TagError("expected at least one domain", advice="A call that makes nothing stale has no tag.")
    for domain in domains:
        if not domain or "," in domain or domain != domain.strip():
            raise TagError(f"expected a pattern, got {domain!r}", advice="Give each pattern as a domain of its own.")
    joined = _SEPARATOR.join(domains).translate(_ESCAPES)
    return f'<cache_invalidation cause="{cause.translate(_ESCAPES)}" domains="{joined}" />'


def parse_invalidation(text: str, *, lenient: bool = False) -> Invalidation | None:
    """Return what a tag says; None if a text is anything but one tag from its first character to its last.

    Exactly, the tag is what `format_invalidation` writes. With ``lenient`` it may be spaced, quoted, escaped and closed
    otherwise, have its attributes in any order, and lack either; such a tag is not ``exact``. Linear in the text.
    """
    found = _EXACT.fullmatch(text)
    if found:
        domains = tuple(_unescaped(found[2]).split(_SEPARATOR))
        if all(domain and "," not in domain and domain == domain.strip() for domain in domains):
            return Invalidation(cause=_unescaped(found[1]), domains=domains)
    return _parse_leniently(text) if lenient else None


def _unescaped(value: str) -> str:
    return re.sub(r"&\w+;", lambda entity: _CHARACTERS[entity[0]], value)


def _parse_leniently(text: str) -> Invalidation | None:
    place = _OPENING.match(text)
    if place is None:
        return None
    values: dict[str, str] = {}
    while attribute := _ATTRIBUTE.match(text, place.end()):
        place = attribute
        # The first of two counts, as nothing that comes later should take it back.
        values.setdefault(attribute[1].lower(), html.unescape(attribute[2] or attribute[3] or ""))
    if not _CLOSING.fullmatch(text, place.end()):
        return None
    domains = tuple(re.findall(r"[^\s,]+", values.get("domains", "")))
    return Invalidation(cause=values.get("cause", "").strip(), domains=domains, exact=False)

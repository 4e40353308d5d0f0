"""Facts as words: how a value stands in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_LONG = 160
_MANY = 5
#: The longest part of a sentence that a check has put into words itself.
_WORDS = 2_000


def fill(template: str, args: Mapping[str, Any], words: Mapping[str, str]) -> str:
    """Fill a template of ours with facts, and with what is in words already; neither is read as a template itself."""
    said = {key: cut(text, _WORDS) for key, text in words.items()}
    return template.format_map({**{key: told(value) for key, value in args.items()}, **said})


def told(value: Any) -> str:
    """Return a value as it stands in a sentence: lists as an enumeration, long texts cut."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return told([f"{key}: {told(item)}" for key, item in value.items()])
    if isinstance(value, Sequence) and not isinstance(value, str):
        shown = [told(item) for item in value[:_MANY]]
        more = len(value) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more > 0 else "") if value else "none"
    return cut(str(value), _LONG)


def cut(text: str, longest: int) -> str:
    """Return a text of at most so many characters; one that was longer ends in an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def sentence(text: str) -> str:
    """Return a text as a sentence: it ends with a full stop, and an article (or `page`, `entry`) that begins it has a capital.

    Nothing else is touched: a name that stands first is spelled as it is.
    """
    text = text.strip()
    first, _, rest = text.partition(" ")
    if first in {"the", "a", "an", "no", "page", "entry"} and rest:
        text = f"{first.capitalize()} {rest}"
    return text if not text or text.endswith((".", "!", "?", "…")) else f"{text}."


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 tool`, `3 tools`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def short(revision: str | None) -> str:
    """Return the first twelve digits of a revision, digest or commit, as people compare them."""
    return "unknown" if revision is None else revision[:12]

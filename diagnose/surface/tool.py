"""One tool definition, exactly as received, and what identifies it."""

from __future__ import annotations

import re
from dataclasses import field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeGuard

from diagnose.record import record
from diagnose.surface.canonical import Unhashable, canonical, lenient

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHA256 = "[0-9a-f]{64}"


def is_tool(entry: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether an entry of a tool list is a tool: an object with a name (Meridian's rule, so `0` is none)."""
    return isinstance(entry, dict) and bool(entry.get("name"))


def name_of(raw: Mapping[str, Any]) -> str:
    """Return the name as text, "" for none; a name of another type is what Python's `str` makes of it."""
    return str(raw.get("name") or "")


def definition_of(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a definition as it is compared: `input_schema` is read as `inputSchema`, where that is missing."""
    if "input_schema" not in raw or "inputSchema" in raw:
        return raw
    return {"inputSchema" if key == "input_schema" else key: value for key, value in raw.items()}


@record
class Tool:
    """A definition as received (never to be written to), with its name and its digest.

    ``digest`` is SHA-256 over the RFC 8785 form of the definition, or None: then ``defect`` is the error, not raised,
    that says why (None again if only the name is known). ``redacted``: the digest was recorded before something in
    ``raw`` was redacted.
    """

    name: str
    digest: str | None
    raw: Mapping[str, Any] = field(repr=False, hash=False)
    defect: Unhashable | None = field(default=None, compare=False)
    redacted: bool = field(default=False, repr=False)

    def __init__(
        self,
        name: str,
        digest: str | None,
        raw: Mapping[str, Any],
        defect: Unhashable | None = None,
        *,
        redacted: bool = False,
    ) -> None:
        # Written out, other than that of most records: there are ten thousand tools.
        put = object.__setattr__
        put(self, "name", name)
        put(self, "digest", digest)
        put(self, "raw", raw)
        put(self, "defect", defect)
        put(self, "redacted", redacted)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Tool:
        """Take a definition up.

        Raises:
            JsonError: it is nested deeper than `MAX_DEPTH` (reason `too-deep`).

        """
        return digested(raw)[0]

    @classmethod
    def named(cls, raw: Mapping[str, Any]) -> Tool:
        """Take up a tool of which nothing but the name is known to be right."""
        return cls(name_of(raw), None, raw)

    @classmethod
    def recorded(cls, raw: Mapping[str, Any]) -> Tool | None:
        """Take up a definition that is marked `"$redacted": true`, by the digest in its `$digest`; None if it is not.

        Only for what we wrote ourselves: a server could mark its tools, too.
        """
        digest = raw.get("$digest")
        if raw.get("$redacted") is not True or not isinstance(digest, str) or not re.fullmatch(_SHA256, digest):
            return None
        return cls(name_of(raw), digest, raw, redacted=True)

    @property
    def definition(self) -> Mapping[str, Any]:
        """The definition as it is compared, see `definition_of`."""
        return definition_of(self.raw)

    @property
    def identity(self) -> str:
        """What is equal for equal definitions: the digest, or something in its place."""
        return self.digest or "~" + sha256(lenient(self.definition)).hexdigest()


def digested(raw: Mapping[str, Any]) -> tuple[Tool, bytes | None]:
    """Return the tool of a definition, and its canonical form, where there is one: it is long, and not kept.

    Raises:
        JsonError: as `Tool.of`.

    """
    try:
        form = canonical(definition_of(raw))
    except Unhashable as error:
        # Not the error itself: it holds on to the whole text that it failed on.
        return Tool(name_of(raw), None, raw, Unhashable(error.what, error.pointer)), None
    return Tool(name_of(raw), sha256(form).hexdigest(), raw), form

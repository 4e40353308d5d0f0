"""What one client does to definitions on their way from the server to what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnose.clients.lens.codex_schema import codex_schema

#: What an API request carries of a tool, whatever else the server said of it.
MODEL_CARRIES = frozenset({"name", "description", "inputSchema"})
#: Members of a definition that views leave out though callers and models miss nothing (impact: cosmetic).
NEVER_MISSED = frozenset({"icons", "_meta", "meta"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """The rewritings that a client is known for; the empty one is a client that shows what it was sent.

    ``carries`` are the members of a definition that the view has at all; None stands for all.
    """

    carries: frozenset[str] | None = None
    text_limit: int | None = None
    """Descriptions are cut there, in characters or bytes."""
    cuts: bool = False
    """Descriptions are cut, at a limit that is not known."""
    drops: frozenset[str] = frozenset()
    """Keywords that are taken out of schemas, wherever they stand."""
    adds: Mapping[str, Any] = field(default_factory=dict)
    """Keywords that are put into the root of an input schema where they are missing."""
    parameters: frozenset[str] = frozenset()
    """Parameters of the client's own that it puts into each input schema, for itself."""
    forms: tuple[Callable[[Any], Any], ...] = ()
    """From an input schema to the whole of what this client writes in its place."""
    nullable: bool = False
    """A union of one type and null is written as that type with `nullable: true`."""
    inlines: bool = False
    """Local references are replaced by what they refer to, and the definitions are dropped."""
    loses_definitions: bool = False
    """`$defs` are dropped while the references to them stay: a bug of converters."""
    normal_form: bool = False
    """Text is put into Unicode's form NFC."""
    visible_only: bool = False
    """Characters that draw nothing are taken out of text."""


#: Everything that some client does: what these explain is a rewriting, even if not by a client that is known for it.
ANY = Rewriting(
    forms=(codex_schema,),
    cuts=True,
    drops=frozenset({"$schema", "$id", "$comment", "additionalProperties", "default", "format", "title", "examples"}),
    adds={"type": "object", "properties": {}, "required": []},
    parameters=frozenset({"wait_for_previous"}),
    nullable=True,
    inlines=True,
    loses_definitions=True,
    normal_form=True,
    visible_only=True,
)

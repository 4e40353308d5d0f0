"""The lock file: the surface that a team has agreed on, as a document to review and to keep beside the code.

`diagnose.lock/1` holds the definitions and what counts beside them, sorted, with neither a time nor a machine in it: one
surface gives the same bytes everywhere. It says its own digests, so that a body or a digest that was altered shows.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from diagnose.errors import InputError, ObservationError
from diagnose.evidence.harmless import harmless_json
from diagnose.evidence.observation import Observation
from diagnose.store.body import without_credentials
from diagnose.surface import JsonError, Surface, parse_json, revision

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnose.evidence.redact import Redactor
    from diagnose.surface import ParsedJson, Tool

SCHEMA = "diagnose.lock/1"
#: Where the lock file is when nobody says otherwise.
FILE_NAME = "tool-surface.lock.json"

# The definitions stand two levels deeper in the document than they did when their depth was bounded.
_DEPTH = 136
#: What a reviewer reads first stands first; the other keys follow by the alphabet.
_FIRST = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
#: A tool's name as `lock_text` writes it: at the beginning of a line, three levels deep.
_NAME_LINE = re.compile(r' {6}"name": (".*"),?')
_ALTERED = "Restore the file from version control, or accept the present list with `diagnose lock write`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """An agreed surface, checked against itself."""

    surface: Surface
    source: str
    lines: Mapping[str, int]
    """The line on which each tool begins, counted from 1; empty for a file that somebody laid out anew."""

    def observation(self) -> Observation:
        """Return the lock as the layer `baseline`. It has no time, no era and no principal."""
        capabilities = self.surface.capabilities
        return Observation(layer="baseline", surface=self.surface, source=self.source, capabilities=capabilities)


def lock_text(surface: Surface, redactor: Redactor) -> str:
    """Return the document: the same text for the same surface, in whatever order the server gives tools and keys.

    A definition that held a credential is redacted, and counts by the digest that it had. What misleads a reader's eye
    (bidirectional marks, invisible characters) is escaped.

    Raises `ObservationError` for a definition without a digest: nothing could be held to it.
    """
    for tool in surface.tools:
        if tool.digest is None:
            why = tool.defect.what if tool.defect is not None else "only its name is known"
            raise ObservationError(f"the tool {tool.name} cannot be locked: {why}", rule="wire-corrupt")
    body = _body(surface, redactor)
    document = {**body, "integrity": _integrity(body)}
    return harmless_json(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def read_lock(data: bytes | str, source: str) -> Lock:
    """Return the surface in a lock file; ``source`` names the file in what is said of it.

    Raises `InputError` where it is no lock file, or was altered since it was written.
    """
    try:
        parsed = parse_json(data, max_depth=_DEPTH)
    except JsonError as error:
        raise InputError(f"{source} is no lock file: {error}", advice=_ALTERED) from error
    value = parsed.value
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        what = value.get("schema") if isinstance(value, dict) else None
        raise InputError(
            f"{source} is no lock file: expected a document {SCHEMA}, got {what if isinstance(what, str) else 'another'}",
            advice="Write one with `diagnose lock write TARGET`.",
        )
    text = data if isinstance(data, str) else data.decode(errors="replace")
    return Lock(surface=_surface(parsed, source), source=source, lines=_lines(text))


def _surface(parsed: ParsedJson, source: str) -> Surface:
    value = parsed.value
    for defect in parsed.defects:
        # Of a key that stands twice a reviewer may read the one and the program the other.
        if defect.kind == "duplicate-key":
            raise _altered(source, f"it has a key twice, at {defect.pointer or 'its root'}")
    tools, instructions, capabilities = value.get("tools"), value.get("instructions"), value.get("capabilities")
    if not isinstance(tools, list) or not isinstance(instructions, str | None):
        raise _altered(source, "its tools or its instructions are not what they should be")
    if not isinstance(capabilities, dict | None):
        raise _altered(source, "its capabilities are not what they should be")
    if value.get("instructionsRedacted") is True:
        # What is left of them cannot be compared; without both, a surface says nothing of the handshake.
        instructions = capabilities = None
    stated = {key: value.get(key) for key in ("revision", "digest", "count")}
    surface = Surface.recorded(tools, instructions, capabilities, revision=stated["revision"], digest=stated["digest"])
    if len(surface.tools) != len(tools):
        raise _altered(source, "one of its tools is none")
    for key, is_ in (("digest", surface.digest), ("revision", surface.revision), ("count", surface.count)):
        if stated[key] != is_:
            raise _altered(source, f"the {key} of its tools is {is_}, and it says {stated[key]}")
    if value.get("integrity") != _integrity(value):
        raise _altered(source, "what it holds is not what its integrity was made of")
    return surface


def _body(surface: Surface, redactor: Redactor) -> dict[str, Any]:
    instructions = None if surface.instructions is None else redactor.text(surface.instructions)
    # Sorted first: of tools of one name the revision keeps the order, and a server need not.
    tools = sorted(surface.tools, key=lambda tool: (tool.name, tool.identity))
    body: dict[str, Any] = {
        "schema": SCHEMA,
        "revision": revision(tools),
        "digest": surface.digest,
        "count": surface.count,
        "capabilities": _capabilities(surface),
        "instructions": instructions,
    }
    if instructions != surface.instructions:
        body["instructionsRedacted"] = True
    return {**body, "tools": [_definition(tool, redactor) for tool in tools]}


def _capabilities(surface: Surface) -> dict[str, Any] | None:
    """Return what a surface's difference reads of them, so that nothing else moves the file."""
    if surface.capabilities is None:
        return None
    tools = surface.capabilities.get("tools")
    if not isinstance(tools, dict):
        return {}
    return {"tools": {"listChanged": tools.get("listChanged") is True}}


def _definition(tool: Tool, redactor: Redactor) -> dict[str, Any]:
    entry: dict[str, Any] = without_credentials(tool.raw, redactor)
    keys = [key for key in _FIRST if key in entry] + sorted(entry.keys() - set(_FIRST))
    return {key: _sorted(entry[key]) for key in keys}


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _integrity(document: Mapping[str, Any]) -> str:
    """Return SHA-256 over all that a lock says, in whatever order and layout; its own place is left out."""
    said = {key: value for key, value in document.items() if key != "integrity"}
    return "sha256-" + sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _altered(source: str, what: str) -> InputError:
    return InputError(f"the lock file {source.removeprefix('lock:')} was altered: {what}", advice=_ALTERED)


def _lines(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        match = _NAME_LINE.fullmatch(line)
        if match is not None:
            # The line before it opens the definition.
            found.setdefault(str(json.loads(match[1])), number - 1)
    return found

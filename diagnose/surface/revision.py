"""The revision of a tool list by the rule of `meridian/toolManifest`, and the digest of one by RFC 8785."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Any

from diagnose.surface.canonical import Unhashable, blame
from diagnose.surface.tool import Tool, definition_of, digested, is_tool, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: The name under which servers advertise this revision.
ALGORITHM = "sha256(canonical-name-description-inputSchema-annotations)"

# Python's own encoder is the rule: keys by code point, non-ASCII raw, numbers as Python prints them (NaN, too).
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False)


def revision(tools: Iterable[Any]) -> str:
    """Return the revision of a list of raw definitions, or Tools: 64 lower-case hex digits.

    What is no object or has no name is passed over. Of the others the name, the description, the input schema and the
    annotations count, sorted by name; tools of one name keep their order. `input_schema` is read as `inputSchema`.

    Raises:
        Unhashable: something that counts holds a lone surrogate.

    """
    kept = [(index, raw) for index, raw in enumerate(map(_raw, tools)) if is_tool(raw)]
    kept.sort(key=lambda entry: name_of(entry[1]))
    running = _Running()
    for index, raw in kept:
        counted = _counted(raw)
        try:
            running.add(_ENCODER.encode(counted).encode())
        except (ValueError, TypeError, RecursionError) as error:
            raise blame(counted, error, (index,)) from None
    return running.done()


def digest(tools: Iterable[Any]) -> str:
    """Return the digest of a list of raw definitions, or Tools: 64 lower-case hex digits.

    Whole definitions count, sorted by name and then by their RFC 8785 form; entries that are no tools are passed over.

    Raises:
        Unhashable: a definition holds a lone surrogate, or a number that is not finite.

    """
    kept = [(index, raw) for index, raw in enumerate(map(_raw, tools)) if is_tool(raw)]
    taken, whole = take([raw for _, raw in kept])
    for (index, _), tool in zip(kept, taken, strict=True):
        if tool.defect:
            raise Unhashable(tool.defect.what, f"/{index}{tool.defect.pointer}")
    assert whole is not None
    return whole


def take(raws: list[dict[str, Any]]) -> tuple[tuple[Tool, ...], str | None]:
    """Return the tools of a list, in its order, and its digest; None if one of them has no canonical form.

    Each definition is written out once, and forgotten as soon as both hashes have seen it.
    """
    taken: dict[int, Tool] = {}
    running, complete = _Running(), True
    by_name = sorted(range(len(raws)), key=lambda index: name_of(raws[index]))
    for _, namesakes in groupby(by_name, key=lambda index: name_of(raws[index])):
        forms: list[bytes | None] = []
        for index in namesakes:
            taken[index], form = digested(raws[index])
            forms.append(form)
        known = sorted(form for form in forms if form is not None)
        complete = complete and len(known) == len(forms)
        for form in known:
            running.add(form)
    return tuple(taken[index] for index in range(len(raws))), running.done() if complete else None


class _Running:
    """SHA-256 over a JSON array whose items come one by one."""

    def __init__(self) -> None:
        self._hash = sha256(b"[")
        self._separator = b""

    def add(self, item: bytes) -> None:
        self._hash.update(self._separator)
        self._hash.update(item)
        self._separator = b","

    def done(self) -> str:
        self._hash.update(b"]")
        return self._hash.hexdigest()


def _raw(entry: Any) -> Any:
    return entry.raw if isinstance(entry, Tool) else entry


def _counted(raw: Mapping[str, Any]) -> dict[str, Any]:
    definition = definition_of(raw)
    return {
        "name": raw["name"],
        "description": definition.get("description") or "",
        "inputSchema": definition.get("inputSchema") or {},
        "annotations": definition.get("annotations") or {},
    }

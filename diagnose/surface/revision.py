"""The revision of a tool list by the rule of `meridian/toolManifest`, and the digest of one by RFC 8785."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Any

from diagnose.surface.canonical import Unhashable, blame
from diagnose.surface.tool import Tool, definition_of, digested, is_tool, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    return _sha256_of_array(_text(_counted(raw), index) for index, raw in kept)


def _text(counted: dict[str, Any], index: int) -> bytes:
    try:
        return _ENCODER.encode(counted).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise blame(counted, error, (index,)) from None


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


def take(raws: Sequence[Mapping[str, Any]]) -> tuple[tuple[Tool, ...], str | None]:
    """Return the tools of a list, in its order, and its digest; None if one of them has no canonical form.

    Each definition is written out once, and its text forgotten as soon as both digests have seen it.
    """
    taken: dict[int, Tool] = {}
    whole = _sha256_of_array(_forms(raws, taken))
    tools = tuple(taken[index] for index in range(len(raws)))
    return tools, None if any(tool.digest is None for tool in tools) else whole


def _forms(raws: Sequence[Mapping[str, Any]], taken: dict[int, Tool]) -> Iterator[bytes]:
    """Yield the canonical forms, sorted by name and then by form; the tools are taken on the way."""
    names = [name_of(raw) for raw in raws]
    for _, namesakes in groupby(sorted(range(len(raws)), key=names.__getitem__), key=names.__getitem__):
        forms = []
        for index in namesakes:
            taken[index], form = digested(raws[index])
            forms.append(form or b"")
        yield from forms if len(forms) == 1 else sorted(forms)


def _sha256_of_array(items: Iterable[bytes]) -> str:
    """Return SHA-256 over a JSON array of items that are written already."""
    running, separator = sha256(b"["), b""
    for item in items:
        running.update(separator + item)
        separator = b","
    running.update(b"]")
    return running.hexdigest()


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

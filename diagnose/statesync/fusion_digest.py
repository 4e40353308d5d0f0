"""The digests of MCP Fusion's lock file, computed again from what can be seen: the file, and the manifest of a server.

Of a tool the file holds its contract in part; the manifest has the rest of what is visible. Only which entitlements a
tool has is spelled out in neither, so that the digest of one that has any cannot be computed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

from diagnose.surface.canonical import canonical

# ECMA-262, OrdinaryOwnPropertyKeys: keys that are array indices come first, in the order of numbers.
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_MAX_INDEX: Final = 2**32 - 2
#: Assigning to it sets no property, so that it never reaches a digest.
_PROTO: Final = "__proto__"
#: What a contract reckons for the rules of a tool, and for each action that it suggests, in tokens.
_RULES, _SUGGESTION = 50, 20
ENTITLEMENTS: Final = ("filesystem", "network", "subprocess", "crypto", "codeEvaluation")


def javascript_text(value: Any) -> str:
    """Return the JSON text that sorting keys and `JSON.stringify` give in JavaScript."""
    if isinstance(value, Mapping):
        keys = [key for key in value if key != _PROTO]
        members = (f"{_quoted(key)}:{javascript_text(value[key])}" for key in sorted(keys, key=_place))
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(javascript_text, value))}]"
    return canonical(value).decode("utf-8") if not isinstance(value, str) else _quoted(value)


def _place(key: str) -> tuple[int, bytes]:
    if _INDEX.fullmatch(key) and int(key) <= _MAX_INDEX:
        return int(key), b""
    return _MAX_INDEX + 1, key.encode("utf-16-be", "surrogatepass")


def in_order(names: Iterable[str]) -> list[str]:
    """Return names as JavaScript sorts them: by their UTF-16 code units."""
    return sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))


def _quoted(text: str) -> str:
    whole = not any("\ud800" <= char <= "\udfff" for char in text)
    return json.dumps(text, ensure_ascii=not whole)


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text (64 hex digits)."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def prompt_digests(name: str, entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return the digests of a prompt and of its arguments, from all that the file holds of it."""
    arguments = entry.get("arguments", [])
    parts = {key: entry.get(key) for key in ("description", "title", "tags", "hasMiddleware", "hydrationTimeout")}
    whole = javascript_text({"name": name, "arguments": arguments, **parts})
    return digest_of(whole), digest_of(javascript_text(arguments))


def schema_digest(schema: Any) -> str:
    """Return the digest of an input schema."""
    return digest_of(javascript_text(schema))


def tool_digest(name: str, entry: Mapping[str, Any], shown: Mapping[str, Any]) -> str | None:
    """Return the digest of a tool, from its entry in the file and what a manifest shows of it.

    None where it cannot be computed: something is missing, or the tool has entitlements.
    """
    behaviour, economy, rights = (entry.get(key) for key in ("behavior", "tokenEconomics", "entitlements"))
    if not (isinstance(behaviour, Mapping) and isinstance(economy, Mapping) and isinstance(rights, Mapping)):
        return None
    actions = shown.get("actions")
    if not isinstance(actions, Mapping) or any(rights.get(key) is not False for key in ENTITLEMENTS):
        return None
    chain = behaviour.get("middlewareChain")
    guarded = {step for step in chain if isinstance(step, str)} if isinstance(chain, list) else set()
    surface = _present(
        name=name,
        description=shown.get("description"),
        tags=in_order(tag for tag in shown.get("tags", ()) if isinstance(tag, str)),
        inputSchemaDigest=schema_digest(shown.get("input_schema")),
        actions=[_action(key, actions[key], f"{key}:mw" in guarded) for key in in_order(actions)],
    )
    sections = (surface, _behaviour(behaviour), _economy(behaviour, economy), _rights())
    return digest_of(":".join(digest_of(javascript_text(section)) for section in sections))


def _action(key: str, body: Any, guarded: bool) -> dict[str, Any]:
    known = body if isinstance(body, Mapping) else {}
    fields = known.get("required_fields", [])
    return _present(
        key=key,
        description=known.get("description"),
        destructive=known.get("destructive"),
        idempotent=known.get("idempotent"),
        readOnly=known.get("readOnly"),
        requiredFields=fields,
        presenterName=known.get("returns_presenter"),
        # In the order in which they are required, and sorted by nobody.
        inputSchemaDigest=digest_of(json.dumps(fields, ensure_ascii=False, separators=(",", ":"))),
        hasMiddleware=guarded,
    )


def _behaviour(behaviour: Mapping[str, Any]) -> dict[str, Any]:
    egress = behaviour.get("egressSchemaDigest")
    return {
        "egressSchemaDigest": egress.removeprefix("sha256:") if isinstance(egress, str) else None,
        "systemRulesFingerprint": behaviour.get("systemRulesFingerprint"),
        "cognitiveGuardrails": behaviour.get("cognitiveGuardrails"),
        "middlewareChain": behaviour.get("middlewareChain"),
        "stateSyncFingerprint": None,
        "concurrencyFingerprint": None,
        "affordanceTopology": behaviour.get("affordanceTopology"),
        "embeddedPresenters": [],
    }


def _economy(behaviour: Mapping[str, Any], economy: Mapping[str, Any]) -> dict[str, Any]:
    suggested = behaviour.get("affordanceTopology")
    rules = _RULES if behaviour.get("systemRulesFingerprint") != "none" else 0
    return {
        **{key: economy.get(key) for key in ("schemaFieldCount", "unboundedCollection", "inflationRisk")},
        "baseOverheadTokens": rules + _SUGGESTION * (len(suggested) if isinstance(suggested, list) else 0),
    }


def _rights() -> dict[str, Any]:
    return {**dict.fromkeys(ENTITLEMENTS, False), "raw": []}


def _present(**members: Any) -> dict[str, Any]:
    """Leave out what is undefined, as JavaScript does; what is null stays."""
    return {key: value for key, value in members.items() if value is not None}

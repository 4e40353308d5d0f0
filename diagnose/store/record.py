"""What is known of a snapshot beside its tools, and the form that it has in JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from diagnose.errors import UsageError
from diagnose.evidence.observation import Advertised, Era

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnose.evidence.bundle import Target

#: The principal of a request without a credential.
NO_PRINCIPAL = "none"

#: `none`, or the short keyed fingerprint of an authorization; whatever else it is, it might be a credential.
_PRINCIPAL = re.compile(r"none|fp:[0-9a-f]{8,64}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A snapshot without its tools. Revision and digest were computed before anything was redacted."""

    id: str = ""
    target: Target
    principal: str
    """Whose list it is: `NO_PRINCIPAL`, or a keyed fingerprint of the authorization (`fp:` and hex digits)."""
    at: str
    """When the list was read: UTC, ISO 8601 with milliseconds."""
    source: str = ""
    era: Era | None = None
    complete: bool = True
    revision: str | None = None
    digest: str | None = None
    count: int = 0
    protocol_version: str | None = None
    server_info: Mapping[str, Any] | None = None
    capabilities: Mapping[str, Any] | None = None
    instructions: str | None = None
    instructions_redacted: bool = False
    """They held a credential; what is left of them is to be shown, and not to be compared."""
    advertised: Advertised = field(default_factory=Advertised)
    ttl_ms: Any = None
    cache_scope: Any = None

    def __post_init__(self) -> None:
        """Refuse what may be a credential, and what would not sort. Raises `UsageError`."""
        if not _PRINCIPAL.fullmatch(self.principal):
            raise UsageError("expected the principal of a snapshot to be 'none' or a fingerprint, 'fp:' and hex digits")
        if not _MOMENT.fullmatch(self.at):
            raise UsageError(f"expected a time in UTC such as 2026-11-30T11:22:33.123Z, got {self.at!r}")
        if any(_SURROGATE.search(text) for text in (self.target.id, self.target.endpoint, self.source)):
            raise UsageError(f"the target {self.target.id!r} is no text that can be stored")


def said(record: Record) -> dict[str, Any]:
    """Return what the server said beside its tools, under the keys of the contract: any JSON, as received."""
    advertised = record.advertised
    return {
        "protocolVersion": record.protocol_version,
        "serverInfo": record.server_info,
        "capabilities": record.capabilities,
        "instructions": record.instructions,
        "instructionsRedacted": record.instructions_redacted,
        "advertised": {
            "initialize": advertised.initialize,
            "initializeMeta": advertised.initialize_meta,
            "list": advertised.list,
            "count": advertised.count,
        },
        "ttlMs": record.ttl_ms,
        "cacheScope": record.cache_scope,
    }


def with_said(record: Record, document: Mapping[str, Any]) -> Record:
    """Return the record with what `said` wrote. Raises `KeyError` where a key is missing."""
    advertised = document["advertised"]
    return replace(
        record,
        protocol_version=document["protocolVersion"],
        server_info=document["serverInfo"],
        capabilities=document["capabilities"],
        instructions=document["instructions"],
        instructions_redacted=document["instructionsRedacted"],
        advertised=Advertised(
            initialize=advertised["initialize"],
            initialize_meta=advertised["initializeMeta"],
            list=advertised["list"],
            count=advertised["count"],
        ),
        ttl_ms=document["ttlMs"],
        cache_scope=document["cacheScope"],
    )


def record_document(record: Record) -> dict[str, Any]:
    """Return the record as it stands in `diagnose.snapshots/1`."""
    target = record.target
    return {
        "id": record.id,
        "target": {"id": target.id, "transport": target.transport, "endpoint": target.endpoint},
        "principal": record.principal,
        "at": record.at,
        "source": record.source,
        "era": record.era,
        "complete": record.complete,
        "revision": record.revision,
        "digest": record.digest,
        "count": record.count,
        **said(record),
    }

"""The snapshot: a surface as it was observed at one moment, without credentials, and where and when that was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from diagnose.errors import UsageError
from diagnose.evidence.observation import Observation
from diagnose.evidence.strict_json import finite
from diagnose.store.body import Body, hash_of, json_text, list_hash
from diagnose.store.record import Record, record_document, said, with_said
from diagnose.surface import Surface, parse_json
from diagnose.surface.sharing import Known

if TYPE_CHECKING:
    from diagnose.evidence.bundle import Target
    from diagnose.evidence.redact import Redactor

#: Hex digits of an id: short enough to type, and enough that no two snapshots of one machine share them by chance.
ID_DIGITS = 12

# The definitions are parsed as one list here, a level deeper than they stood when their depth was bounded.
_DEPTH = 132
# So many at a time: neither one text of all of them nor ten thousand small documents.
_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A record and the entries of its list, in the server's order."""

    record: Record
    bodies: tuple[Body, ...]

    @property
    def id(self) -> str:
        """The short name by which it is found: the first digits of a hash over all that it holds."""
        return self.record.id

    def entries(self, known: Sequence[Any] = ()) -> list[Any]:
        """Return the definitions as received but for what was redacted, and whatever stood among them.

        Those that are equal to one of ``known`` are that one, so that a list that has not moved takes no memory again.
        """
        entries: list[Any] = []
        share = Known(known).share if known else list
        for start in range(0, len(self.bodies), _AT_ONCE):
            text = "[" + ",".join(body.text for body in self.bodies[start : start + _AT_ONCE]) + "]"
            entries += share(parse_json(text, max_bytes=len(text), max_depth=_DEPTH).value)
        return entries

    def surface(self, known: Sequence[Any] = ()) -> Surface:
        """Return the surface; redacted definitions count by the digest that they had. See `entries` for ``known``."""
        record = self.record
        instructions, capabilities = record.instructions, record.capabilities
        if record.instructions_redacted:
            # Without either, a surface says nothing of the handshake, so that no change of it is seen where none may be.
            instructions = capabilities = None
        return Surface.recorded(
            self.entries(known), instructions, capabilities, revision=record.revision, digest=record.digest
        )

    def observation(self, known: Sequence[Any] = ()) -> Observation:
        """Return the snapshot as the layer `baseline`. See `entries` for ``known``."""
        record = self.record
        return Observation(
            layer="baseline",
            surface=self.surface(known),
            complete=record.complete,
            at=record.at,
            source=f"snapshot:{record.id}",
            principal=record.principal,
            era=record.era,
            protocol_version=record.protocol_version,
            server_info=record.server_info,
            capabilities=record.capabilities,
            advertised=record.advertised,
            ttl_ms=record.ttl_ms,
            cache_scope=record.cache_scope,
        )


def snapshot_of(observation: Observation, target: Target, principal: str, *, redactor: Redactor) -> Snapshot:
    """Return what is to be stored of an observation: everything that the server said, without credentials.

    Raises `UsageError` where there is no surface to keep (a list that was not read to its end, names alone), no time, or
    a principal that may be a credential.
    """
    surface = observation.surface
    if surface is None or observation.names_only or observation.at is None:
        raise UsageError(
            "there is nothing to take a snapshot of: the list was not read to its end, with its definitions"
        )
    record = Record(
        target=replace(target, endpoint=redactor.text(target.endpoint)),
        principal=principal,
        at=observation.at,
        source=redactor.text(observation.source),
        era=observation.era,
        complete=observation.complete,
        revision=surface.revision,
        digest=surface.digest,
        count=surface.count,
        protocol_version=observation.protocol_version,
        server_info=observation.server_info,
        capabilities=observation.capabilities,
        instructions=surface.instructions,
        instructions_redacted=surface.instructions is not None
        and redactor.text(surface.instructions) != surface.instructions,
        advertised=observation.advertised,
        ttl_ms=observation.ttl_ms,
        cache_scope=observation.cache_scope,
    )
    record = with_said(record, finite(redactor.value(said(record))))
    return identified(record, tuple(Body.without_credentials(entry, redactor) for entry in surface.raw_entries))


def identified(record: Record, bodies: tuple[Body, ...]) -> Snapshot:
    """Return the snapshot with its id: what is equal in all it holds has the same id on every machine."""
    text = json_text([record_document(replace(record, id="")), list_hash(bodies)])
    return Snapshot(record=replace(record, id=hash_of(text)[:ID_DIGITS]), bodies=bodies)

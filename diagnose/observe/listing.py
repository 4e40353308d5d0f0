"""One complete `tools/list` over an open session, and all that the server says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from diagnose.errors import CredentialRefusedError, ObservationError
from diagnose.evidence.observation import Advertised, Anomaly, Failure, LayerName, Observation, Page
from diagnose.freshness.hints import hint_members
from diagnose.observe.failures import failure_of
from diagnose.observe.refusal import RpcError
from diagnose.observe.session import Session
from diagnose.surface import JsonError, Surface
from diagnose.surface.sharing import Known
from diagnose.wire.headers import header_flaws
from diagnose.wire.paging import Limits, Walk, WalkPage
from diagnose.wire.subscription import LIST_CHANGED

LIST: Final = "tools/list"
#: Under this key of ``_meta`` a Meridian says what it knows of its own list.
MANIFEST: Final = "meridian/toolManifest"


class ListReader:
    """Reads the whole list over one session, as often as asked.

    ``label`` tells this connection from others. Entries that are equal to ``known`` ones are those, and take no memory again.
    """

    def __init__(
        self,
        session: Session,
        *,
        now: Callable[[], str],
        limits: Limits | None = None,
        layer: LayerName = "origin",
        principal: str | None = None,
        label: str = "1",
        known: Known | None = None,
    ) -> None:
        self.session = session
        self._now = now
        self._limits = limits
        self._layer = layer
        self._principal = principal
        self._label = label
        self._known = known
        self._told_anomalies = 0
        self._told_notes = 0

    def read(self) -> Observation:
        """Read the list to its end and return what came.

        A list that was not read to its end has no surface, and ``failure`` says why. Raises CredentialRefusedError, for
        that is not about the list.
        """
        walk = Walk(self._limits)
        failure: Failure | None = None
        surface: Surface | None = None
        try:
            status = self._walk(walk)
            if walk.failure is not None:
                failure = _failure(walk, status)
            else:
                entries = walk.tools if self._known is None else self._known.share(walk.tools)
                surface = Surface.of(entries, self.session.instructions, self.session.capabilities)
        except CredentialRefusedError:
            raise
        except ObservationError as error:
            failure = failure_of(error, where=LIST)
        except JsonError as error:
            failure = Failure(rule="limit-exceeded", message=str(error), where=LIST, args={"reason": error.reason})
        return self._observation(walk, surface, failure)

    def _walk(self, walk: Walk) -> int | None:
        """Ask until the walk is over; return the HTTP status of the last refusal."""
        status = None
        while walk.progress == "asking":
            known = len(self.session.notices)
            try:
                reply = self.session.request(LIST, walk.params, label=f"page {len(walk.pages) + 1}")
            except RpcError as error:
                if error.rule == "handshake-failed":
                    # A session was to be begun again: that is no refusal of the list.
                    raise
                status = error.status
                walk.refuse(error.body)
                continue
            if any(notice.method == LIST_CHANGED for notice in self.session.notices[known:]):
                walk.signal()
            walk.feed(reply.result, reply.size)
        return status

    def _observation(self, walk: Walk, surface: Surface | None, failure: Failure | None) -> Observation:
        session, pages = self.session, walk.pages
        last = pages[-1].result if pages else {}
        meta = last.get("_meta")
        return Observation(
            layer=self._layer,
            surface=surface,
            complete=surface is not None,
            at=self._now(),
            source=LIST,
            principal=self._principal,
            session=self._label,
            era=session.era,
            protocol_version=session.protocol_version,
            server_info=session.server_info,
            capabilities=session.capabilities,
            advertised=_advertised(session, pages),
            ttl_ms=last.get("ttlMs"),
            cache_scope=last.get("cacheScope"),
            pages=tuple(_page(page) for page in pages),
            meta=meta if isinstance(meta, dict) else None,
            anomalies=self._new_anomalies(),
            failure=failure,
            notes=(*self._new_notes(), *_walk_notes(walk), *_header_notes(session, walk)),
        )

    def _new_anomalies(self) -> tuple[Anomaly, ...]:
        told, self._told_anomalies = self._told_anomalies, len(self.session.anomalies)
        return tuple(self.session.anomalies[told:])

    def _new_notes(self) -> tuple[str, ...]:
        told, self._told_notes = self._told_notes, len(self.session.notes)
        return tuple(self.session.notes[told:])


def _page(page: WalkPage) -> Page:
    result = page.result
    manifest = _manifest(result)
    return Page(
        cursor=page.cursor,
        next_cursor=result.get("nextCursor"),
        names=tuple(tool.get("name") if isinstance(tool, dict) else None for tool in page.tools),
        ttl_ms=result.get("ttlMs"),
        cache_scope=result.get("cacheScope"),
        revision=manifest.get("revision"),
        count=manifest.get("count"),
        hints=hint_members(result),
    )


def _advertised(session: Session, pages: Sequence[WalkPage]) -> Advertised:
    manifest = _manifest(pages[-1].result) if pages else {}
    return Advertised(
        initialize=(session.server_info or {}).get("toolManifestRevision"),
        initialize_meta=_manifest(session.handshake).get("revision"),
        list=manifest.get("revision"),
        count=manifest.get("count"),
    )


def _manifest(result: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = result.get("_meta")
    manifest = meta.get(MANIFEST) if isinstance(meta, dict) else None
    return manifest if isinstance(manifest, dict) else {}


def _failure(walk: Walk, status: int | None) -> Failure:
    assert walk.failure is not None
    found = walk.failure
    return Failure(
        rule=found.rule, message=found.message, code=found.code, status=status, where=LIST, args=dict(found.args)
    )


def _walk_notes(walk: Walk) -> list[str]:
    notes = []
    if walk.expired:
        notes.append(f"A cursor was refused {_times(walk.expired)}, and the list was read again from its beginning.")
    if walk.signals:
        notes.append(
            f"The server announced a change while its list was read; it was read again {_times(walk.signals)}."
        )
    return notes


def _header_notes(session: Session, walk: Walk) -> list[str]:
    """Name the tools that a client must not offer over HTTP; here they stay in the list, as evidence."""
    if session.transport != "http" or session.era != "modern":
        return []
    flawed = [(tool.get("name"), header_flaws(tool)) for tool in walk.tools if isinstance(tool, dict)]
    return [f"A client must leave the tool {name} out: {'; '.join(flaws)}." for name, flaws in flawed if flaws][:20]


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"

"""The `origin` layer: what a server answers to a fresh, complete `tools/list`, read as often as it takes to be sure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from diagnose.errors import CredentialRefusedError, ObservationError
from diagnose.evidence.observation import LayerName, Observation
from diagnose.observe.failures import failure_of
from diagnose.observe.listing import LIST, ListReader
from diagnose.observe.session import NoSessionError, Session
from diagnose.surface.sharing import Known
from diagnose.wire.paging import Limits


def observe_origin(
    open_session: Callable[[], Session],
    *,
    now: Callable[[], str],
    walks: int | Callable[[Observation], int] = 1,
    fresh: bool = True,
    thorough: bool = False,
    principal: str | None = None,
    layer: LayerName = "origin",
    limits: Limits | None = None,
    known: Sequence[Any] = (),
) -> Observation:
    """Read the list ``walks`` times, each over a session of its own unless ``fresh`` is off.

    ``walks`` may be a function of the first walk, for who can only then tell whether another one is needed.

    One walk whose pages disagree is repeated; two that disagree are repeated over a third session and over the first, so
    that a change (A, B, B), replicas (A, B, A) and a frozen session (A, B, B and A again in the first) can be told
    apart. ``thorough``: the newest session is read once more also where they agree, and the first two sessions again
    where they do not, so that lists that belong to a connection can be told, too. What is returned is the newest walk over
    the newest session that came to its end; all are its ``samples``. Definitions that are equal to each other, or to one of
    ``known``, are in memory once.

    A failure is a value, that of a first session too. Raises CredentialRefusedError.
    """
    with ExitStack() as held:
        how = {"now": now, "principal": principal, "layer": layer, "limits": limits, "known": Known(known)}
        look = _Look(open_session, held, how)
        try:
            look.walk(fresh=True)
        except CredentialRefusedError:
            raise
        except ObservationError as error:
            seen = Observation(layer=layer, complete=False, at=now(), source=LIST, principal=principal)
            return replace(seen, failure=failure_of(error, where="handshake"), **_seen_before(error))
        if look.complete:
            wanted = walks if isinstance(walks, int) else walks(look.samples[0])
            look.repeat(max(wanted, 2 if _pages_disagree(look.samples[0]) else 1), fresh=fresh, thorough=thorough)
        return look.result()


class _Look:
    """Several walks of one list."""

    def __init__(self, open_session: Callable[[], Session], held: ExitStack, how: Mapping[str, Any]) -> None:
        self.samples: list[Observation] = []
        self._open_session = open_session
        self._held = held
        self._how = how
        self._readers: list[ListReader] = []
        self._newest: Observation | None = None

    @property
    def complete(self) -> bool:
        """Whether the last walk came to its end."""
        return self.samples[-1].surface is not None

    def walk(self, *, fresh: bool) -> None:
        """Walk once more, over a session of its own or over the newest one."""
        if fresh or not self._readers:
            session = self._held.enter_context(self._open_session())
            self._readers.append(ListReader(session, label=str(len(self._readers) + 1), **self._how))
        seen = self._readers[-1].read()
        self.samples.append(seen)
        if seen.surface is not None or self._newest is None:
            self._newest = seen

    def repeat(self, walks: int, *, fresh: bool, thorough: bool) -> None:
        """Walk until there are ``walks``; more if they disagree. That one of them fails ends it, and is a sample."""
        try:
            while len(self.samples) < walks and self.complete:
                self.walk(fresh=fresh)
            if self.complete and _disagree(self.samples):
                self.walk(fresh=fresh)
                # In an order in which lists that are served by turns do not seem to belong to a session.
                again = (0, 1, 1, 0) if thorough else (0,)
                for place in again if len(self._readers) > 1 else ():
                    self.samples.append(self._readers[place].read())
            elif self.complete and thorough:
                self.walk(fresh=False)
        except ObservationError as error:
            note = f"The list was to be read once more, and could not: {error}"
            assert self._newest is not None
            self._newest = replace(self._newest, notes=(*self._newest.notes, note))

    def result(self) -> Observation:
        """Return the newest complete walk, with all walks as its samples where there are several."""
        assert self._newest is not None
        if len(self.samples) == 1:
            return self._newest
        anomalies = tuple(dict.fromkeys(anomaly for sample in self.samples for anomaly in sample.anomalies))
        notes = tuple(dict.fromkeys((*(note for sample in self.samples for note in sample.notes), *self._newest.notes)))
        return replace(self._newest, samples=tuple(self.samples), anomalies=anomalies, notes=notes)


def _seen_before(error: ObservationError) -> dict[str, Any]:
    """Return what was seen on the wire before a session failed to open."""
    return {"anomalies": error.anomalies, "notes": error.notes} if isinstance(error, NoSessionError) else {}


def _disagree(samples: Sequence[Observation]) -> bool:
    """Tell whether the last two walks brought different lists, in whatever order their tools stand."""
    if len(samples) < 2:
        return False
    one, other = samples[-2].surface, samples[-1].surface
    if one is None or other is None:
        return False
    if one.digest is not None and other.digest is not None:
        return one.digest != other.digest
    return [tool.raw for tool in one.tools] != [tool.raw for tool in other.tools]


def _pages_disagree(seen: Observation) -> bool:
    """Tell whether the pages of one walk may belong to different lists: a name twice, or two revisions."""
    names = [repr(name) for page in seen.pages for name in page.names]
    revisions = {repr(page.revision) for page in seen.pages}
    return len(seen.pages) > 1 and (len(set(names)) < len(names) or len(revisions) > 1)

"""What to do in this very client, and in this version of it: the playbook's words, for the cause that was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from diagnose.judge.builds import version_order
from diagnose.judge.case import Case
from diagnose.judge.diagnosis import Finding, State

if TYPE_CHECKING:
    from diagnose.clients import Client
    from diagnose.clients.entry import Behaviour

#: Broken causes after which a client has to be brought up to date as well.
_TO_REFRESH = frozenset({"session-lost", "schema-rejects-all", "schema-rejects-one"})
_CLIENT_SIDE = frozenset({"path", "wire", "registry", "model"})
_HEARS, _FOLLOWS, _SPEAKS = "list again when it is told of a change", "follow nextCursor", "speak 2026-07-28"
#: What a client has to be able to do for a cause not to come about.
_ABILITY: Mapping[str, str] = {
    "client-ignores-signal": _HEARS,
    "stream-not-opened": _HEARS,
    "page-truncated": _FOLLOWS,
    "era-fallback-fail": _SPEAKS,
}


def client_steps(case: Case, state: State, cause: str, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield what brings this client up to date, what its version can do, and how to see that it helped."""
    layers = {finding.layer for finding in findings if finding.rule == cause}
    if not (layers & _CLIENT_SIDE and (state == "stale" or cause in _TO_REFRESH or cause in _ABILITY)):
        return
    known, version = _the_client(case)
    if known is None:
        return
    if cause in _ABILITY and layers != {"path"}:
        yield from _of_version(known, version, _ABILITY[cause])
    if state == "stale" or cause in _TO_REFRESH:
        yield from (f"{known.name}: {each.text}" for each in (*known.refresh[:2], *known.verify[:1]))


def _the_client(case: Case) -> tuple[Client | None, str | None]:
    """Return the playbook's entry and the version that was told, by the one who asked or by the client on the wire."""
    from diagnose.judge.views.lenses import playbook_of

    entry = case.bundle.client
    session = case.standings[-1].session if case.standings else None
    named = case.standings[-1].client.name.partition(" (")[0] if case.standings else None
    told = entry.version if entry is not None else None
    return playbook_of(entry, named), told or (session.client_version if session is not None else None)


def _of_version(known: Client, version: str | None, ability: str) -> Iterator[str]:
    """Yield what a version says: never who is to blame, only what may help."""
    said: Mapping[str, Behaviour] = {_HEARS: known.list_changed, _FOLLOWS: known.cursors, _SPEAKS: known.modern}
    behaviour = said[ability]
    if behaviour.answer == "no":
        yield f"{known.name}: No version is known to {ability}."
    elif behaviour.since is not None:
        order = version_order(version, behaviour.since) if version is not None else None
        if order == "older":
            yield f"{known.name} {version}: Use {behaviour.since} or a newer version, which is known to {ability}."
        elif order in {"same", "newer"}:
            yield f"{known.name} {version}: It is known to {ability} since {behaviour.since}: report this, with the evidence."
        else:
            yield f"{known.name}: It is known to {ability} since {behaviour.since}: look which version runs."

"""Rules of what a gateway makes of the list: an old copy, a part of it, or that of another caller."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from diagnose.evidence.observation import Observation
from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, also
from diagnose.judge.checks.shapes import failed
from diagnose.judge.timeline.kept import kept_old
from diagnose.judge.timeline.rules.reasons import reasons
from diagnose.judge.timeline.rules.signals import channel_open
from diagnose.judge.timeline.rules.streams import never_listened
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.views.causes import evidence, facts, what
from diagnose.judge.views.rules.holdings import first_pages
from diagnose.judge.views.rules.needs import path
from diagnose.judge.views.view import View, read_view
from diagnose.judge.walks import Walks, same_list, surface_of
from diagnose.judge.words import counted
from diagnose.surface import Surface


@also("proxy-frozen", needs=(path,))
def frozen_copy(case: Case) -> Iterable[Seen]:
    """Look for a new session through the path that gets another list than one straight to the server."""
    view = case.view("path")
    if view is None or not view.differs or _leak(case) is not None or first_pages(case, view):
        return
    yield Seen(
        args=facts(view),
        words={"what": what(view)},
        evidence=evidence(view),
        layer="path",
        # Without a prefix, a tool that only the gateway has may be another server's.
        confidence="proven" if view.missing or view.altered else "possible",
        says="A new session through the path gets another list than the {side} has: it {what}.".replace(
            "{side}", view.side
        ),
    )


@also("page-truncated", needs=(path,))
def first_pages_only(case: Case) -> Iterable[Seen]:
    """Look for a path that brings just the first pages."""
    view = case.view("path")
    if view is not None and view.differs and first_pages(case, view) and _leak(case) is None:
        yield Seen(
            args={**facts(view), "names": len(view.kept)},
            evidence=evidence(view),
            layer="path",
            confidence="likely",
            says="The path passes on the first {names} tools, as they stand on the first pages.",
        )


@also("proxy-drops-signal", needs=(path,))
def old_session_behind(case: Case) -> Iterable[Seen]:
    """Look for a session behind the gateway that is left with the old list, while a new one gets the current one."""
    view = case.view("path")
    if view is None or view.relation == "different" or view.side != "origin":
        return
    walks = Walks.of(case.bundle.path)
    if walks.pattern == "frozen":
        yield Seen(
            args={"client": "an older session"},
            evidence=tuple(f"walk {place} of the path" for place in range(1, len(walks.walks) + 1)),
            layer="path",
            says="An older session through the path still gets the old list, and a new one the current one.",
        )
    for standing in case.standings:
        if _is_behind_the_path(standing, view) and not _client_s_own(standing):
            yield Seen(
                args={"client": standing.client.name},
                evidence=(*standing.frames(standing.held.answered if standing.held else None), *evidence(view)),
                layer="path",
                session=standing.label,
                confidence="proven" if _served_old(standing) else "likely",
                says="A new session through the path gets the current list, and {client} in its old one was never told.",
            )
        kept = kept_old(case, standing, "path") if standing.timeline.header.hop != "gateway-server" else None
        if kept is not None:
            yield Seen(
                args={"client": standing.client.name, "tools": list(kept.tools)},
                evidence=kept.evidence,
                layer="path",
                session=standing.label,
                confidence="likely",
                says="A new session through the path gets the current list, and {client} in its old one is sent the old "
                "list again: they differ in {tools}.",
            )


def _is_behind_the_path(standing: Standing, view: View) -> bool:
    """Tell whether a recorded client holds another list than a new session through the same path gets."""
    held = standing.held.surface if standing.held is not None else None
    header = standing.timeline.header
    # Where a recording does not say at which hop it was made, an open channel through the path has to speak for it.
    behind = header.hop == "client-gateway" or ("hop" not in header.raw and _could_hear(standing))
    if held is None or not behind or standing.inside_ttl:
        return False
    return standing.behind and not same_list(held, view.shown) and not _is_original(held, view)


def _could_hear(standing: Standing) -> bool:
    held, session = standing.held, standing.session
    at = held.answered.t if held is not None and held.answered is not None else None
    return (
        at is not None
        and session.transport == "http"
        and (channel_open(session, at + 1, at + 2) or _served_old(standing))
    )


def _is_original(held: Surface, view: View) -> bool:
    return same_list(held, view.whole)


def _client_s_own(standing: Standing) -> bool:
    """Tell whether the client itself did not hear or did not act: it was told, cut off, or had a reason to list."""
    heard = any(session.signals.total for session in standing.client.sessions)
    cut = any(
        stream.closed is not None and stream.by != "client"
        for session in standing.client.sessions
        for stream in session.streams
    )
    asked = any(reason.confidence == "proven" for reason in reasons(standing))
    failed = asked or any(walk.refusal is not None or walk.state == "open" for walk in standing.client.walks)
    return heard or cut or failed or never_listened(standing) or bool(standing.session.losses.total)


def _served_old(standing: Standing) -> bool:
    return len([walk for walk in standing.client.walks if walk.whole]) > 1


@also("scope-leak", needs=(path,))
def list_of_another(case: Case) -> Iterable[Seen]:
    """Look for a path that gives one caller the list that is another one's."""
    seen = _leak(case)
    if seen is not None:
        yield seen


def _path_alone(case: Case) -> str | None:
    """Require that the path was asked, and the origin was not."""
    if case.bundle.path is None:
        return "no gateway or other path was named"
    return None if case.origin is None else "the refusal is told beside that of the origin"


@also("auth-blocked", needs=(_path_alone,))
def refused_on_the_way(case: Case) -> Iterable[Seen]:
    """Take up a refusal through the path, where nobody asked the server itself."""
    return failed(case, "auth-blocked")


def _leak(case: Case) -> Seen | None:
    """Return what shows that authorizations are mixed: their direct lists differ, and through the path they do not."""
    direct, through = _by_principal(case.bundle.origin), _by_principal(case.bundle.path)
    for who, walk in through.items():
        own = direct.get(who)
        for other, theirs in direct.items():
            if own is None or other == who or own.surface is None or theirs.surface is None:
                continue
            apart = not same_list(own.surface, theirs.surface)
            if apart and not _is_of(walk, own.surface) and _is_of(walk, theirs.surface):
                return Seen(
                    args={"principals": [who, other]},
                    evidence=(
                        f"origin, {who}: {counted(own.surface.count, 'tool')}",
                        f"origin, {other}: {counted(theirs.surface.count, 'tool')}",
                    ),
                    layer="path",
                    says="Through the path one authorization gets the list that is another one's.",
                )
    return None


def _by_principal(seen: Observation | None) -> dict[str, Observation]:
    """Return the newest complete walk of each principal that is told."""
    if seen is None:
        return {}
    walks: Iterator[Observation] = (walk for walk in (seen.samples or (seen,)) if surface_of(walk) is not None)
    return {walk.principal: walk for walk in walks if walk.principal is not None}


def _is_of(walk: Observation, direct: Surface) -> bool:
    from diagnose.clients import Lens

    view = read_view("path", walk, direct, "origin", lens=Lens(client="the gateway"))
    return view is not None and view.relation != "different"


@also("auth-view-diff", needs=(path,))
def lists_by_authorization(case: Case) -> Iterable[Seen]:
    """Look for a path whose lists differ by authorization, as they may."""
    walks = list(_by_principal(case.bundle.path).values())
    for older, newer in pairwise(walks):
        if older.surface and newer.surface and not same_list(older.surface, newer.surface):
            yield Seen(
                args={"principals": [older.principal, newer.principal]},
                words={"tools": "what they may see"},
                layer="path",
                severity="note",
            )
            return

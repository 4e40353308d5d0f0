"""Checks on who gets which list: two principals, and nobody at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from diagnose.evidence.observation import Observation
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_list
from diagnose.judge.checks.probed import modern_hints, others, second_principal, second_refused, without_credential
from diagnose.judge.checks.registry import Seen, also, check
from diagnose.judge.walks import same_list
from diagnose.judge.words import counted
from diagnose.surface import difference

_CACHING = "MCP 2026-07-28, server/utilities/caching, Cache Scope Field"
_TOOLS = "MCP 2026-07-28, server/tools, Capabilities: the set may vary by the authorization of the request"
_FAMILY = "cache"
#: What a walk was made with where no credential went with it.
NOBODY = "none"


@also("scope-leak", needs=(second_principal,))
def public_and_different(case: Case) -> Iterable[Seen]:
    """Look for lists that differ by principal, of which one says that it is for everybody."""
    for walk, other in _pairs(case):
        if not _same(walk, other) and "public" in (*_scopes(walk), *_scopes(other)):
            yield Seen(
                args={"principals": [other.principal, walk.principal], "tools": _different(other, walk)},
                evidence=(_told(other), _told(walk)),
                says="A list is marked public, and two authorizations get different ones: they differ in {tools}.",
            )
            return


@check(
    "auth-view-diff",
    family=_FAMILY,
    layer="origin",
    severity="note",
    summary="Whether the list differs by authorization is known.",
    why="Two users then see two lists, and neither of them is stale; a new grant brings a new list.",
    remedy="Mark such a list private, and have a client list again after each change of its authorization.",
    source=f"{_TOOLS}; catalogue of causes, auth-view-diff",
    message="Two authorizations get different lists, as they may: they differ in {tools}.",
    needs=(second_principal,),
)
def auth_view_diff(case: Case) -> Iterable[Seen]:
    """Look for lists that differ by principal and do not claim to be for everybody."""
    for walk, other in _pairs(case):
        if not _same(walk, other) and "public" not in (*_scopes(walk), *_scopes(other)):
            yield Seen(
                args={"principals": [other.principal, walk.principal], "tools": _different(other, walk)},
                evidence=(_told(other), _told(walk)),
            )
            return


@check(
    "private-identical",
    family=_FAMILY,
    layer="origin",
    severity="note",
    summary="A list that is the same for all callers may say so.",
    why="As private it is fetched once for each authorization; a shared cache could serve it to all.",
    remedy="Say public, if it is the same for every caller and always will be; where you are unsure, leave it.",
    source=f"{_CACHING}: public is right for lists that are the same for all users",
    message="Two authorizations get one list, and it is marked private.",
    needs=(second_principal, modern_hints),
)
def private_identical(case: Case) -> Iterable[Seen]:
    """Look for a private list that every caller was given alike."""
    pairs = list(_pairs(case))
    scopes = {scope for pair in pairs for walk in pair for scope in _scopes(walk)}
    if pairs and scopes == {"private"} and all(_same(walk, other) for walk, other in pairs):
        callers = [pairs[0][0], *(other for _, other in pairs)]
        yield Seen(args={"principals": [each.principal for each in callers]}, evidence=tuple(map(_told, callers)))


@check(
    "private-without-credential",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary="A list that is meant for one authorization does not come without any.",
    why="Either the list is open, and no secret of anybody's; or it ought not to be given out.",
    remedy="Refuse the request without a credential, or say public if the list is for everybody.",
    source=f"{_CACHING}: private is for what is not meant to be shared between callers",
    message="The list is marked private, and it comes without any credential.",
    needs=(without_credential, origin_list, modern_hints),
)
def private_without_credential(case: Case) -> Iterable[Seen]:
    """Look for a private list that was had without a credential: that of this run, or one beside it."""
    for walk in (*case.walks.walks[-1:], *others(case)):
        if walk.principal == NOBODY and "private" in _scopes(walk):
            yield Seen(args={"scope": "private"}, evidence=(_told(walk),))
            return


@also("auth-blocked", needs=(second_refused,))
def second_credential(case: Case) -> Iterable[Seen]:
    """Take up a refusal of the second credential."""
    refused = case.bundle.probes.second if case.bundle.probes is not None else None
    if refused is not None:
        yield Seen(
            args={"status": refused.status, "credential": "second"},
            says="The server does not take the second credential (HTTP {status}).",
        )


def _pairs(case: Case) -> Iterator[tuple[Observation, Observation]]:
    """Yield the newest walk beside that of each other principal."""
    for other in others(case):
        yield case.walks.walks[-1], other


def _same(walk: Observation, other: Observation) -> bool:
    return walk.surface is not None and other.surface is not None and same_list(other.surface, walk.surface)


def _scopes(walk: Observation) -> tuple[str, ...]:
    return tuple(str(page.cache_scope) for page in walk.pages) or (str(walk.cache_scope),)


def _different(older: Observation, newer: Observation) -> list[str]:
    if older.surface is None or newer.surface is None:
        return []
    return [change.subject for change in difference(older.surface, newer.surface)]


def _told(walk: Observation) -> str:
    count = walk.surface.count if walk.surface is not None else 0
    scopes = [scope for scope in dict.fromkeys(_scopes(walk)) if scope != "None"]
    return ", ".join([f"principal {walk.principal}: {counted(count, 'tool')}", *scopes])

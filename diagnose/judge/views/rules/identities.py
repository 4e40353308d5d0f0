"""Rules of names that two tools share once a client has them, and of two servers that a client takes for one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from diagnose.judge.case import Case
from diagnose.judge.checks.registry import Seen, also
from diagnose.judge.timeline.standing import Standing
from diagnose.judge.views.causes import evidence, explains
from diagnose.judge.views.rules.needs import registry
from diagnose.judge.views.servers import identity_of, servers_of
from diagnose.judge.views.view import View
from diagnose.judge.walks import same_list


@explains("name-collision", "registry")
def mixed_up(case: Case, view: View) -> Seen | None:
    """Look for a name that two tools have, or have after mapping, and of which the client holds one."""
    return _two_servers(case, view) or _one_identity(case, view) or _twice(view) or _mapped(view)


@also("name-collision", needs=(registry,))
def one_identity(case: Case) -> Iterable[Seen]:
    """Look for servers whose tools a client takes for each other's, though by names nothing is missing."""
    view = case.view("registry")
    seen = (_two_servers(case, view) or _one_identity(case, view)) if view is not None and not view.differs else None
    return () if seen is None else (seen,)


def servers(case: Case) -> list[list[Standing]]:
    """Return the servers of the recordings on the client's side, each with its standings that hold a list."""
    held = [each for each in case.standings if each.held is not None and each.timeline.header.hop == "client-server"]
    return servers_of(held)


def _two_servers(case: Case, view: View) -> Seen | None:
    """Look for one name on two servers, and one tool of it in the client."""
    owners: dict[str, list[str]] = {}
    for place, group in enumerate(servers(case)):
        for name in _names(group):
            owners.setdefault(name, []).append(identity_of(group[-1]) or f"server {place + 1}")
    shared = {name: who for name, who in owners.items() if len(who) > 1}
    have = Counter(view.held.names)
    elsewhere = {name: sum(_ends_with(form, name) for form in view.foreign) for name in shared}
    lost = {name: who for name, who in shared.items() if have[name] + elsewhere[name] < len(who)}
    if not lost:
        return None
    name, who = next(iter(lost.items()))
    return Seen(
        args={"tool": name, "count": len(who), "owners": who, "tools": list(lost)[:20]},
        evidence=evidence(view),
        layer="registry",
        says="{count} servers ({owners}) have a tool named {tool}, and the client holds fewer of them.",
    )


def _ends_with(form: str, name: str) -> bool:
    """Tell whether a name of another server is that of its tool, with something before it."""
    return form.endswith(name) and not form[: -len(name)][-1:].isalnum()


def _one_identity(case: Case, view: View) -> Seen | None:
    """Look for two servers of one name whose tools the client mixes."""
    for left, right in combinations(servers(case), 2):
        one, other = identity_of(left[-1]), identity_of(right[-1])
        mine, theirs = left[-1].held, right[-1].held
        if (
            one is None
            or one != other
            or mine is None
            or theirs is None
            or mine.surface is None
            or theirs.surface is None
        ):
            continue
        shown = set(view.held.names)
        own, other_s = set(mine.surface.names), set(theirs.surface.names)
        parts = [(own - other_s) & shown, (other_s - own) & shown]
        if not same_list(mine.surface, theirs.surface) and all(parts):
            return Seen(
                args={"tool": one, "count": 2, "owners": [one, other]},
                evidence=evidence(view),
                layer="registry",
                says="{count} servers call themselves {tool}, and the client mixes their tools.",
            )
    return None


def _twice(view: View) -> Seen | None:
    """Look for a name that the list has more than once, with different definitions, and the client once."""
    for name, tools in view.live.by_name.items():
        kinds, held = {tool.identity for tool in tools}, view.held.by_name.get(name, ())
        if len(kinds) > 1 and len(held) < len(tools):
            kept = next((place for place, tool in enumerate(tools) if held and tool.identity == held[0].identity), None)
            won = "the first" if kept == 0 else "the last" if kept == len(tools) - 1 else "none that is told"
            return Seen(
                args={"tool": name, "count": len(tools), "kinds": len(kinds), "won": won},
                evidence=evidence(view),
                layer="registry",
                says="{count} tools are named {tool}, and the client holds fewer of them ({won} won).",
            )
    return None


def _mapped(view: View) -> Seen | None:
    """Look for tools that become one by the client's mapping of names."""
    if view.lens.server_key is None:
        return None
    for clash in view.lens.map(dict.fromkeys(view.live.names)).collisions:
        lost = set(clash.names) & set(view.missing)
        if lost and len(clash.names) > 1:
            return Seen(
                args={
                    "tool": clash.shown,
                    "count": len(clash.names),
                    "owners": list(clash.names),
                    "lost": sorted(lost),
                },
                evidence=evidence(view),
                layer="registry",
                says="{count} tools ({owners}) become {tool} in this client, which holds fewer of them.",
            )
    return None


def _names(group: list[Standing]) -> set[str]:
    held = group[-1].held
    return set(held.surface.names) if held is not None and held.surface is not None else set()

"""Shown names read as live ones: never split, but recognised among the live names mapped forward."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from diagnose.clients.lens.gateway import find_prefix, find_suffix
from diagnose.clients.lens.namemap import map_names
from diagnose.clients.lens.naming import NameRule, Naming, plain

#: A tool's name that no key holds, to see what a rule puts around one.
_PROBE = "q9q"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A view's names, read. ``names`` has, for each shown name of this server, the live name or what would be one.

    ``foreign`` are names of other servers and of the client itself; where names are shown as they are, only those are
    known. ``prefix`` is what stands before this server's names in this view, "" where nothing does.
    """

    names: Mapping[str, str]
    foreign: tuple[str, ...] = ()
    prefix: str = ""
    collided: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Shown names that several live tools would have, with those tools."""
    unmatched: tuple[str, ...] = ()
    """Shown names of this server for which there is no live tool."""


def read_names(
    shown: Sequence[str], live: Sequence[str], key: str | None, others: Sequence[str], naming: Naming
) -> Reading:
    """Read a view's names, in the one spelling of this client that recognises most of them."""
    there = set(shown)
    spellings = [(rule, _forms(live, key, naming, rule)) for rule in _rules(key, naming)]
    rule, forms = max(spellings, key=lambda pair: len(there & pair[1].keys()))
    if there.isdisjoint(forms):
        if prefix := find_prefix(live, shown):
            return _sorted_out(shown, {prefix + name: (name,) for name in live}, (prefix, ""), (), None)
        if suffix := find_suffix(live, shown):
            return _sorted_out(shown, {name + suffix: (name,) for name in live}, ("", suffix), (), None)
        if key is not None:
            rule = _by_affixes(shown, key, naming)
            forms = _forms(live, key, naming, rule)
    foreign = [affixes for other in others if any(affixes := _affixes(other, naming.rule if rule is plain else rule))]
    return _sorted_out(shown, forms, _affixes(key, rule), foreign, naming.hashed if key is not None else None)


def _rules(key: str | None, naming: Naming) -> tuple[NameRule, ...]:
    return (plain,) if key is None else naming.rules


def _forms(live: Sequence[str], key: str | None, naming: Naming, rule: NameRule) -> dict[str, tuple[str, ...]]:
    """Return, for each shown name in one spelling, the live names that have it."""
    if rule is plain or key is None:
        return {name: (name,) for name in live}
    mapped = map_names(live, key, (), replace(naming, rule=rule)).shown
    found: dict[str, tuple[str, ...]] = {}
    for name, form in mapped.items():
        found[form] = (*found.get(form, ()), name)
    return found


def _by_affixes(shown: Sequence[str], key: str, naming: Naming) -> NameRule:
    """Choose the spelling that most names have, where not one tool is known any more; else the tool's own name."""
    fitting = {
        rule: sum(_fits(name, _affixes(key, rule)) for name in shown) for rule in naming.rules if rule is not plain
    }
    best = max(fitting, key=lambda rule: fitting[rule], default=plain)
    return best if fitting.get(best) else plain


def _affixes(key: str | None, rule: NameRule) -> tuple[str, str]:
    """Return what a rule puts before and behind a tool's name. A hash behind it is no such thing."""
    if key is None or rule is plain:
        return "", ""
    before, found, behind = rule(key, _PROBE).partition(_PROBE)
    return (before, "" if before else behind) if found else ("", "")


def _sorted_out(
    shown: Sequence[str],
    forms: Mapping[str, tuple[str, ...]],
    affixes: tuple[str, str],
    foreign: Sequence[tuple[str, str]],
    hashed: re.Pattern[str] | None,
) -> Reading:
    names: dict[str, str] = {}
    others: list[str] = []
    unmatched: list[str] = []
    in_order = sorted((form, live[0]) for form, live in forms.items()) if hashed is not None else []
    for name in dict.fromkeys(shown):
        known = forms[name][0] if name in forms else _by_hash(name, in_order, hashed)
        if known is not None:
            names[name] = known
        elif not _fits(name, affixes) or any(_longer(each, affixes) and _fits(name, each) for each in foreign):
            others.append(name)
        else:
            names[name] = _stripped(name, affixes, hashed)
            unmatched.append(name)
    return Reading(
        names=MappingProxyType(names),
        foreign=tuple(others),
        prefix=affixes[0],
        collided=tuple((form, live) for form, live in forms.items() if len(live) > 1 and form in names),
        unmatched=tuple(unmatched),
    )


def _fits(name: str, affixes: tuple[str, str]) -> bool:
    before, behind = affixes
    return len(name) > len(before) + len(behind) and name.startswith(before) and name.endswith(behind)


def _longer(affixes: tuple[str, str], own: tuple[str, str]) -> bool:
    """Tell whether what another server's names have around them says more than what this one's have."""
    return sum(map(len, affixes)) > sum(map(len, own))


def _stripped(name: str, affixes: tuple[str, str], hashed: re.Pattern[str] | None) -> str:
    bare = name[len(affixes[0]) : len(name) - len(affixes[1])]
    return hashed.sub("", bare) if hashed is not None and affixes[0] else bare


def _by_hash(name: str, forms: Sequence[tuple[str, str]], hashed: re.Pattern[str] | None) -> str | None:
    """Recognise a name that ends with a hash by what stands before it, where only one live tool begins so.

    What exactly a version hashes is its own affair; that it cut and hashed can be seen. ``forms`` are in order.
    """
    match = hashed.search(name) if hashed is not None else None
    if match is None:
        return None
    base = name[: match.start()]
    place = bisect_left(forms, (base, ""))
    fitting = {live for form, live in forms[place : place + 2] if form.startswith(base)}
    return fitting.pop() if len(fitting) == 1 else None

"""Shown names read as live ones: never split, but recognised among the live names mapped forward."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from diagnose.clients.lens.gateway import find_prefix
from diagnose.clients.lens.namemap import map_names
from diagnose.clients.lens.naming import NameRule, Naming, plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A view's names, read. ``names`` has, for each shown name of this server, the live name or what would be one.

    ``foreign`` are names of other servers and of the client itself. ``prefix`` is what stands before this server's
    names in this view, "" where they are shown as they are.
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
    spellings = [(rule, _forms(live, key, others, naming, rule)) for rule in _rules(key, naming)]
    there = set(shown)
    rule, forms = max(spellings, key=lambda pair: len(there & pair[1].keys()))
    if key is None or not there & forms.keys():
        prefix = find_prefix(live, shown)
        if prefix:
            rule, forms = plain, {prefix + name: (name,) for name in live}
            return _sorted_out(shown, forms, prefix, (), None)
        if not there & forms.keys() and key is not None:
            rule = _by_prefix(shown, key, naming)
            forms = _forms(live, key, others, naming, rule)
    prefix = _prefix(key, rule)
    return _sorted_out(shown, forms, prefix, _prefixes(others, rule), naming)


def _rules(key: str | None, naming: Naming) -> tuple[NameRule, ...]:
    return (plain,) if key is None else naming.rules


def _forms(
    live: Sequence[str], key: str | None, others: Sequence[str], naming: Naming, rule: NameRule
) -> dict[str, tuple[str, ...]]:
    """Return, for each shown name in one spelling, the live names that have it."""
    if rule is plain or key is None:
        return {name: (name,) for name in live}
    if rule is naming.rule:
        mapped = map_names(live, key, others, naming).shown
    else:
        mapped = {name: rule(key, name) for name in live}
    found: dict[str, tuple[str, ...]] = {}
    for name, form in mapped.items():
        found[form] = (*found.get(form, ()), name)
    return found


def _by_prefix(shown: Sequence[str], key: str, naming: Naming) -> NameRule:
    """Choose the spelling whose prefix most names have, where not one tool is known any more."""
    counts = Counter(
        {
            rule: sum(name.startswith(prefix) for name in shown)
            for rule in naming.rules
            if (prefix := _prefix(key, rule))
        }
    )
    best = counts.most_common(1)
    return best[0][0] if best and best[0][1] else plain


def _prefix(key: str | None, rule: NameRule) -> str:
    """Return what a rule puts before a tool's name; "" where it puts the name first."""
    if key is None or rule is plain:
        return ""
    form = rule(key, "x")
    return form[:-1] if form.endswith("x") else ""


def _suffix(key: str, rule: NameRule) -> str:
    form = rule(key, "x")
    return form[1:] if form.startswith("x") else ""


def _prefixes(others: Sequence[str], rule: NameRule) -> tuple[str, ...]:
    return tuple(filter(None, (_prefix(other, rule) for other in others)))


def _sorted_out(
    shown: Sequence[str],
    forms: Mapping[str, tuple[str, ...]],
    prefix: str,
    foreign_prefixes: Sequence[str],
    naming: Naming | None,
) -> Reading:
    names: dict[str, str] = {}
    foreign: list[str] = []
    unmatched: list[str] = []
    for name in dict.fromkeys(shown):
        if name in forms:
            names[name] = forms[name][0]
            continue
        known = _by_hash(name, forms, naming)
        if known is not None:
            names[name] = known
        elif not name.startswith(prefix) or _longer(name, prefix, foreign_prefixes):
            foreign.append(name)
        else:
            names[name] = name[len(prefix) :]
            unmatched.append(name)
    return Reading(
        names=MappingProxyType(names),
        foreign=tuple(foreign),
        prefix=prefix,
        collided=tuple((form, live) for form, live in forms.items() if len(live) > 1 and form in names),
        unmatched=tuple(unmatched),
    )


def _longer(name: str, prefix: str, others: Sequence[str]) -> bool:
    """Tell whether the prefix of another server fits better than this server's."""
    return any(len(other) > len(prefix) and name.startswith(other) for other in others)


def _by_hash(name: str, forms: Mapping[str, tuple[str, ...]], naming: Naming | None) -> str | None:
    """Recognise a name that ends with a hash by what stands before it, where only one live tool begins so.

    What exactly a version hashes is its own affair; that it cut and hashed can be seen.
    """
    if naming is None or naming.hashed is None or (match := naming.hashed.search(name)) is None:
        return None
    base = name[: match.start()]
    fitting = {live[0] for form, live in forms.items() if form.startswith(base)}
    return fitting.pop() if len(fitting) == 1 else None

"""`explain`: what a name in a report means, from the tables that the report itself was made with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from diagnose.errors import UsageError
from diagnose.judge.catalogue import CATALOGUE, Row
from diagnose.judge.checks import ALL, CHECKS, Check
from diagnose.judge.checks.registry import Need
from diagnose.judge.glossary import (
    CONFIDENCE_WORDS,
    EXIT_CODE_WORDS,
    IMPACT_WORDS,
    LAYER_WORDS,
    MARK_WORDS,
    RELATION_WORDS,
    STATE_WORDS,
    TERM_WORDS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What is known of one name. ``kinds`` are all that it names; a cause is usually also the check that finds it."""

    name: str
    kinds: tuple[str, ...]
    facts: Mapping[str, str]
    """Paragraphs by their headings, in the order in which they are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One name in the list of all that can be explained, with a sentence on it."""

    name: str
    summary: str


def explain(name: str) -> Explanation:
    """Return what a name means: a cause, a check, a layer, a state, a mark, a relation, an impact, an exit code, a term.

    Raises `UsageError` with the nearest names where nothing has this one.
    """
    asked = name.strip().lower().removeprefix("exit-")
    kinds: list[str] = []
    facts: dict[str, str] = {}
    for kind, look in _KINDS.items():
        found = look(asked)
        if found is not None:
            kinds.append(kind)
            facts = {**facts, **{heading: text for heading, text in found.items() if heading not in facts}}
    if not kinds:
        raise _unknown(name, asked)
    return Explanation(name=asked, kinds=tuple(kinds), facts=facts)


def topics() -> dict[str, tuple[Topic, ...]]:
    """Return every name that can be explained, by its kind."""
    causes = [row for row in CATALOGUE.values() if row.kind == "cause"]
    rules = [row for row in CATALOGUE.values() if row.kind == "rule"]
    return {
        "causes": tuple(Topic(name=row.name, summary=row.meaning) for row in causes),
        "rules that are no causes": tuple(Topic(name=row.name, summary=row.meaning) for row in rules),
        "checks": tuple(Topic(name=each.name, summary=each.summary) for each in ALL),
        "layers": tuple(Topic(name=name, summary=words[0]) for name, words in LAYER_WORDS.items()),
        "states": _topics(STATE_WORDS),
        "marks": _topics(MARK_WORDS),
        "relations": _topics(RELATION_WORDS),
        "impacts": _topics(IMPACT_WORDS),
        "confidences": _topics(CONFIDENCE_WORDS),
        "exit codes": _topics({str(code): words for code, words in EXIT_CODE_WORDS.items()}),
        "terms": _topics(TERM_WORDS),
    }


def _topics(words: Mapping[str, str]) -> tuple[Topic, ...]:
    return tuple(Topic(name=name, summary=text) for name, text in words.items())


def _cause(name: str) -> dict[str, str] | None:
    row = CATALOGUE.get(name)
    return None if row is None or row.kind != "cause" else _row(row)


def _rule(name: str) -> dict[str, str] | None:
    row = CATALOGUE.get(name)
    return None if row is None or row.kind != "rule" else _row(row)


def _row(row: Row) -> dict[str, str]:
    state = row.state or (
        "none: the verdict stays open" if row.kind == "rule" else "none: it stands beside the verdict"
    )
    facts = {
        "It means": row.meaning,
        "State": state,
        "Layer": ", ".join(row.layers),
        "What shows it": row.shown,
        "Remedy": row.remedy,
    }
    if row.behind:
        facts["Goes behind"] = ", ".join(row.behind)
    return facts


def _check(name: str) -> dict[str, str] | None:
    found: Check | None = CHECKS.get(name)
    if found is None:
        return None
    return {
        "The check holds that": found.summary,
        "Why it matters": found.why,
        "Severity": found.severity,
        "Layer": found.layer,
        "Family": found.family,
        "Needs": "; ".join(map(_need, found.needs)) or "nothing",
        "Remedy": found.remedy,
        "Source": found.source,
    }


def _need(need: Need) -> str:
    """Return what a check needs, in the words of the need itself."""
    return (need.__doc__ or "").splitlines()[0].removeprefix("Require that ").rstrip(".")


def _layer(name: str) -> dict[str, str] | None:
    for layer, (what, through) in LAYER_WORDS.items():
        if layer == name:
            return {"It is": what, "Observed through": through}
    return None


def _exit_code(name: str) -> dict[str, str] | None:
    words = EXIT_CODE_WORDS.get(int(name)) if name.isdecimal() and len(name) < 4 else None
    return None if words is None else {"It means": words}


def _word(words: Mapping[str, str]) -> Callable[[str], dict[str, str] | None]:
    return lambda name: {"It means": words[name]} if name in words else None


_KINDS: Mapping[str, Callable[[str], dict[str, str] | None]] = {
    "cause": _cause,
    "rule": _rule,
    "check": _check,
    "layer": _layer,
    "state": _word(STATE_WORDS),
    "mark": _word(MARK_WORDS),
    "relation": _word(RELATION_WORDS),
    "impact": _word(IMPACT_WORDS),
    "confidence": _word(CONFIDENCE_WORDS),
    "exit code": _exit_code,
    "term": _word(TERM_WORDS),
}


def names() -> Iterator[str]:
    """Yield every name that can be explained, each once."""
    yield from dict.fromkeys(topic.name for group in topics().values() for topic in group)


def _unknown(name: str, asked: str) -> UsageError:
    import difflib

    near = difflib.get_close_matches(asked, list(names()), n=3, cutoff=0.5)
    advice = f"Did you mean {' or '.join(near)}?" if near else "diagnose explain, without a name, lists them all."
    return UsageError(f"nothing is named {name!r}", advice=advice)

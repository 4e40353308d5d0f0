"""Tool names resolved by 10,000 policies, against trying each in turn; hostile texts, by how time grows with length."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ratios import Figure, cpu_medians, cpu_seconds, main

from diagnose.statesync import Policy, PolicyEngine, directive_flaws, parse_invalidation, write_directive

POLICIES = 10_000
NAMES = 100_000
#: Trying each policy for all the names would take minutes: it is timed for one name in so many.
ONE_IN = 1000


def measure() -> list[Figure]:
    """Measure the index, the memo, and the reading of texts that were made to be slow."""
    shapes = ("ns{0}.get", "ns{0}.admin.**", "ns{0}.*.list", "ns{0}.*")
    by_namespace = [shapes[at % 4].format(at // 4) for at in range(POLICIES)]
    by_action = [("*.act{0}", "**.act{0}")[at % 2].format(at) for at in range(POLICIES)]
    # One name in ten fits no policy.
    in_namespaces = [f"ns{at % 2778}.act{at}" for at in range(NAMES)]
    of_actions = [f"ns{at}.act{at % 11_111}" for at in range(NAMES)]
    return [
        _index("by namespace", by_namespace, in_namespaces),
        _index("by action", by_action, of_actions),
        _memo(by_namespace, in_namespaces),
        _growth(
            "write_directive over white space", lambda n: f"{' ' * n}x", lambda text: write_directive(text, "immutable")
        ),
        _growth("directive_flaws of many directives", lambda n: "[Cache-Control: x" * (n // 17), directive_flaws),
        _growth(
            "parse_invalidation of an open attribute",
            lambda n: f"<cache_invalidation {'a' * n}",
            lambda text: parse_invalidation(text, lenient=True),
        ),
    ]


def _index(kind: str, patterns: Sequence[str], names: Sequence[str]) -> Figure:
    compiled = [_compiled(pattern) for pattern in patterns]
    sample = names[::ONE_IN]
    tried: list[int | None] = []

    def in_turn() -> None:
        tried[:] = [next((at for at, fits in enumerate(compiled) if fits(name)), None) for name in sample]

    theirs = cpu_seconds(in_turn) * len(names) / len(sample)
    engine = PolicyEngine(Policy(pattern, cache_control="no-store") for pattern in patterns)
    if [engine.deciding(name) for name in sample] != tried:
        raise SystemExit("the index and the regular expressions disagree")
    ours = cpu_medians({"ours": lambda: [engine.resolve(name) for name in names]}, rounds=3)["ours"]
    what = f"one regular expression after the other / index, {len(patterns)} policies {kind}"
    return Figure(what=what, ratio=theirs / ours, bound="at least", limit=20)


def _memo(patterns: Sequence[str], names: Sequence[str]) -> Figure:
    engine = PolicyEngine(Policy(pattern, cache_control="no-store") for pattern in patterns)
    few = names[:1000] * (len(names) // 1000)
    took = cpu_medians(
        {
            "distinct": lambda: [engine.resolve(name) for name in names],
            "repeated": lambda: [engine.resolve(name) for name in few],
        },
        rounds=3,
    )
    what = "distinct names / as many repeated names"
    return Figure(what=what, ratio=took["distinct"] / took["repeated"], bound="at least", limit=5)


def _growth(what: str, text: Callable[[int], str], job: Callable[[str], object]) -> Figure:
    """Compare a text of 4,000,000 characters with one of half the length: linear is 2, quadratic is 4."""
    long, short = text(4_000_000), text(2_000_000)
    took = cpu_medians({"long": lambda: job(long), "short": lambda: job(short)}, rounds=3)
    return Figure(what=f"{what}, twice the length", ratio=took["long"] / took["short"], limit=3)


def _compiled(pattern: str) -> Callable[[str], object]:
    """Return a legal pattern as a regular expression, for what can be told by one: a `**` at either end."""
    text = re.escape(pattern).replace(r"\.\*\*", r"(\..*)?").replace(r"\*\*\.", r"(.*\.)?").replace(r"\*", r"[^.]*")
    return re.compile(text).fullmatch


if __name__ == "__main__":
    raise SystemExit(main(measure))

"""The lens of one client on one server: which name a tool is shown under, and what its definition becomes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from diagnose.clients.lens.explain import explain
from diagnose.clients.lens.namemap import NameMap, map_names
from diagnose.clients.lens.naming import Naming, plain
from diagnose.clients.lens.reading import Reading, read_names
from diagnose.clients.lens.rules import ANY, Rewriting


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """How a client shows one server. ``client`` is its name for people; ``cap`` how many tools it holds at most.

    Without ``server_key`` names are shown as they are, since no key can be put before them.
    """

    client: str
    server_key: str | None = None
    other_keys: tuple[str, ...] = ()
    naming: Naming = field(default_factory=Naming)
    rewriting: Rewriting = field(default_factory=Rewriting)
    cap: int | None = None

    def forward(self, name: str) -> str:
        """Return the name that this client shows for a live tool, were it the only one."""
        return name if self.server_key is None else self.naming.rule(self.server_key, name)

    def spellings(self, name: str) -> tuple[str, ...]:
        """Return every name that a version or a view of this client is known to show, the usual first, the own last."""
        if self.server_key is None:
            return (name,)
        return tuple(dict.fromkeys(rule(self.server_key, name) for rule in self.naming.rules))

    def map(self, names: Iterable[str]) -> NameMap:
        """Return what is shown for each of the live names, what collides, and what is longer than is allowed."""
        naming = self.naming if self.server_key is not None else replace(self.naming, rule=plain, twin=None)
        return map_names(names, self.server_key or "", self.other_keys, naming)

    def read(self, shown: Sequence[str], live: Iterable[str]) -> Reading:
        """Find the live name of each shown one: by mapping the live names forward, in the spelling that fits best."""
        return read_names(shown, tuple(dict.fromkeys(live)), self.server_key, self.other_keys, self.naming)

    def explains(self, live: Mapping[str, Any], shown: Mapping[str, Any]) -> str | None:
        """Return how the shown definition comes of the live one by what this client does, as a sentence; None if not.

        The names are not compared. Equal definitions are explained, too.
        """
        done = explain(live, shown, self.rewriting)
        return None if done is None else _sentence(self.client, done)

    def rewrites(self, live: Mapping[str, Any], shown: Mapping[str, Any]) -> str | None:
        """Return the same for what any client is known to do: a rewriting, though not one of this client's habits."""
        wider = replace(ANY, carries=self.rewriting.carries, text_limit=self.rewriting.text_limit)
        done = explain(live, shown, wider)
        return None if done is None else _sentence("a client", done)

    def carrying(self, members: Collection[str] | None) -> Lens:
        """Return the lens for a view that has only these members of a definition; None for one that has all."""
        carries = None if members is None else frozenset(members)
        return replace(self, rewriting=replace(self.rewriting, carries=carries))


def _sentence(client: str, done: Sequence[str]) -> str:
    if not done:
        return "the definitions are equal"
    hidden = [each for each in done if each.startswith("the view ")]
    acts = [each for each in done if each not in hidden]
    parts = [f"{client} {' and '.join(acts)}"] if acts else []
    return "; ".join([*parts, *hidden])

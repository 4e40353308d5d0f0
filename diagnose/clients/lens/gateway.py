"""The lens of a gateway: a prefix before the names of each server behind it, and tools that are not this server's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

from diagnose.clients.lens.characters import words_only

#: A prefix ends with one of these, or it is no prefix but the beginning of a word.
_SEPARATOR = re.compile(r"[_\-./:]")
#: Names come from outside: a prefix is looked for in so many characters, at so many separators.
_LONGEST = 512
_PARTS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayLens:
    """How a gateway shows one server. ``prefix`` is "" where names go on as they are; ``found``: nobody named it."""

    prefix: str = ""
    found: bool = False

    def forward(self, name: str) -> str:
        """Return the name of a tool behind the gateway."""
        return self.prefix + name

    def read(self, through: Sequence[str], direct: Iterable[str]) -> tuple[Mapping[str, str], tuple[str, ...]]:
        """Return the direct name of each name seen through the gateway, and the names that are not this server's.

        Without a prefix no name can be told to be foreign: a tool that the server has no more looks the same.
        """
        forms = {self.prefix + form: name for form, name in _forms(direct).items()}
        names: dict[str, str] = {}
        foreign: list[str] = []
        for name in dict.fromkeys(through):
            if name in forms:
                names[name] = forms[name]
            elif name.startswith(self.prefix):
                names[name] = name[len(self.prefix) :]
            else:
                foreign.append(name)
        return MappingProxyType(names), tuple(foreign)


def gateway_lens(direct: Iterable[str], through: Sequence[str], prefix: str | None = None) -> GatewayLens:
    """Return the lens with the prefix given, or with the one that is found."""
    if prefix is not None:
        return GatewayLens(prefix=prefix)
    found = find_prefix(tuple(direct), through)
    return GatewayLens(prefix=found, found=bool(found))


def find_prefix(live: Sequence[str], shown: Sequence[str]) -> str:
    """Return the prefix under which most live names are shown; "" where more are shown as they are.

    It must end with a separator, and hold for two tools or for all there are. Of several the one that explains most,
    then the shortest, then the first in the alphabet.
    """
    forms = _forms(live)
    bare = sum(name in forms for name in dict.fromkeys(shown))
    seen: Counter[str] = Counter()
    for name in dict.fromkeys(shown):
        ends = [match.end() for match in islice(_SEPARATOR.finditer(name[:_LONGEST]), _PARTS)]
        seen.update(name[:end] for end in ends if name[end:] in forms)
    best = min(seen.items(), key=lambda pair: (-pair[1], len(pair[0]), pair[0]), default=("", 0))
    needed = min(2, len(set(live)))
    return best[0] if best[1] > bare and best[1] >= needed else ""


def find_suffix(live: Sequence[str], shown: Sequence[str]) -> str:
    """Return the same for what stands behind the names, as a client puts it there (`pick_apples_mcp_orchard`)."""
    return find_prefix([name[::-1] for name in live], [name[::-1] for name in shown])[::-1]


def _forms(live: Iterable[str]) -> dict[str, str]:
    """Return the live name of each form: the name itself, and where that is no other's, the name in words only."""
    names = list(live)
    forms = {name: name for name in names}
    for name in names:
        forms.setdefault(words_only(name), name)
    return forms

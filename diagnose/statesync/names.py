"""Names on the wire and canonical names: `billing_get_invoice` in `tools/list` is `billing.get_invoice` to a policy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from diagnose.statesync.engine import PolicyEngine, Resolution
from diagnose.statesync.policy import PolicyError

#: What stands between namespace and action on the wire, unless a server chose otherwise.
SEPARATOR: Final = "_"

#: The action of a tool that has no namespace: `refund` is `refund.default` when it is called.
BARE_ACTION: Final = "default"

#: So many separators of one name are tried; the specification's names have 128 characters at most.
MAX_SPLITS: Final = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What holds for a tool by its name on the wire, and the canonical name that it was taken for.

    ``rivals`` are other canonical names that it may have as well, for which another policy decides.
    """

    name: str
    resolution: Resolution | None
    rivals: tuple[str, ...] = ()


def check_separator(separator: Any) -> None:
    """Raise PolicyError unless a separator is a text that can stand in a tool's name."""
    if not isinstance(separator, str) or not re.fullmatch(r"[A-Za-z0-9_./-]+", separator):
        raise PolicyError(
            f"separator: expected what joins namespace and action on the wire, got {separator!r}",
            advice="It is `_` unless the server was told otherwise, and then mostly `.`.",
            position=None,
            field="separator",
        )


def readings(wire_name: str, separator: str = SEPARATOR) -> tuple[str, ...]:
    """Return the canonical names that a tool may have, likeliest first, the wire name itself among them.

    Only a server's author knows where the namespace ends, for words are joined by `_`, too; one separator may be a dot,
    or all of them. A grouped tool (one for all actions of a namespace) goes by its own name, and a tool without
    namespace by the action `default`.
    """
    split = [] if separator == "." else [*_splits(wire_name, separator), wire_name.replace(separator, ".")]
    return tuple(dict.fromkeys([*split, wire_name, f"{wire_name}.{BARE_ACTION}"]))


def is_reading(canonical: str, wire_name: str, separator: str = SEPARATOR) -> bool:
    """Tell whether a canonical name, such as the cause of an invalidation, may be that of a tool on the wire."""
    return canonical in readings(wire_name, separator)


def resolve_wire_name(engine: PolicyEngine, wire_name: str, separator: str = SEPARATOR) -> Reading:
    """Resolve a tool by its name on the wire: of its possible canonical names, the first that a policy fits decides.

    Where no policy fits any, the likeliest name stands, with the default. Raises SegmentLimitError.
    """
    decided = [(name, engine.deciding(name)) for name in readings(wire_name, separator)]
    fitting = [(name, position) for name, position in decided if position is not None]
    name, chosen = (fitting or decided)[0]
    rivals = tuple(other for other, position in fitting if position != chosen)
    return Reading(name=name, resolution=engine.resolve(name), rivals=rivals)


def _splits(wire_name: str, separator: str) -> Iterator[str]:
    """Yield a name with a dot in place of its first separator, of its second, and so on."""
    for found in islice(re.finditer(re.escape(separator), wire_name), MAX_SPLITS):
        if found.start() and found.end() < len(wire_name):
            yield f"{wire_name[: found.start()]}.{wire_name[found.end() :]}"

"""A declaration as a TOML file: `separator`, `default`, and one `[[policies]]` for each policy, in order.

separator = "."
default = "no-store"

[[policies]]
match = "billing.refund"
invalidates = ["billing.*", "dashboard.invoices"]
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from diagnose.statesync.declare import Declaration
from diagnose.statesync.policy import Policy, PolicyError

#: A longer text is refused, in characters: such a file is written by hand.
MAX_TEXT: Final = 4 * 1024 * 1024

_FIELDS: Final = {
    "match": "match",
    "cache_control": "cache_control",
    # What MCP Fusion's own configuration calls it, so that a policy can be carried over as it is.
    "cacheControl": "cache_control",
    "invalidates": "invalidates",
}


def read_policies(text: str) -> Declaration:
    """Return the declaration that a TOML text holds. Raises PolicyError; an unknown key is an error, too."""
    table = _table(text)
    _check_keys(table, ("separator", "default", "policies"), "the file", None)
    entries = table.pop("policies", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise PolicyError(
            "policies: expected a list of tables",
            advice="Begin each policy with a line [[policies]].",
            position=None,
            field="policies",
        )
    return Declaration((_policy(entry, position) for position, entry in enumerate(entries)), **table)


def write_policies(declaration: Declaration) -> str:
    """Return a declaration as TOML, which `read_policies` reads back."""
    lines = [f"separator = {_quoted(declaration.separator)}"]
    if declaration.default:
        lines.append(f"default = {_quoted(declaration.default)}")
    for policy in declaration.policies:
        lines += ["", "[[policies]]", f"match = {_quoted(policy.match)}"]
        if policy.cache_control:
            lines.append(f"cache_control = {_quoted(policy.cache_control)}")
        if policy.invalidates:
            lines.append(f"invalidates = {_list(policy.invalidates)}")
    return "\n".join(lines) + "\n"


def _table(text: str) -> dict[str, Any]:
    import tomllib

    if len(text) > MAX_TEXT:
        raise PolicyError(f"expected at most {MAX_TEXT} characters, got {len(text)}", position=None, field=None)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # RecursionError: brackets within brackets, some thousand deep.
        raise PolicyError(f"expected TOML: {error}", position=None, field=None) from error


def _policy(entry: Mapping[str, Any], position: int) -> Policy:
    where = f"policy[{position}]"
    _check_keys(entry, _FIELDS, where, position)
    fields = {_FIELDS[key]: value for key, value in entry.items()}
    if len(fields) < len(entry):
        raise PolicyError(f"{where}: cache_control and cacheControl are one", position=position, field="cache_control")
    return Policy(fields.pop("match", None), **fields)


def _check_keys(table: Mapping[str, Any], known: Collection[str], where: str, position: int | None) -> None:
    unknown = next((key for key in table if key not in known), None)
    if unknown is not None:
        raise PolicyError(
            f"{where}: unknown key {unknown!r}",
            advice=f"Known are {', '.join(known)}.",
            position=position,
            field=unknown,
        )


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, values))}]"


def _quoted(value: str) -> str:
    """Return a value as a TOML string: all that a declaration accepts is of characters that need no escaping."""
    return f'"{value}"'

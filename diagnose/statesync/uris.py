"""The URIs of the scheme: `mcpfusion://stale/{pattern}`, which is told but is no resource, and the manifest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from diagnose.statesync.globs import check_pattern, is_pattern

Scheme: TypeAlias = Literal["mcpfusion", "vurb", "fusion"]

#: The names that the scheme has had, newest first.
SCHEMES: Final[tuple[Scheme, ...]] = get_args(Scheme)

RESOURCE_UPDATED: Final = "notifications/resources/updated"

#: What the stale URIs of the newest scheme begin with.
STALE: Final = f"{SCHEMES[0]}://stale/"

_STALE: Final = re.compile(rf"({'|'.join(SCHEMES)})://stale/(.+)", re.DOTALL)
_MANIFEST: Final = re.compile(rf"({'|'.join(SCHEMES)})://manifest\.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleUri:
    """What a stale URI says; ``pattern`` is as it came, and need not be a legal one."""

    scheme: str
    pattern: str

    @property
    def legal(self) -> bool:
        """Whether the pattern is one that can reach anything."""
        return is_pattern(self.pattern)


def stale_uri(pattern: str, scheme: Scheme = "mcpfusion") -> str:
    """Return the URI that says that a domain is stale. Raises PatternError: a legal pattern needs no escaping."""
    check_pattern(pattern)
    return f"{scheme}://stale/{pattern}"


def parse_stale_uri(uri: str) -> StaleUri | None:
    """Return what a stale URI of any of the schemes says; None for any other URI."""
    found = _STALE.fullmatch(uri)
    return StaleUri(scheme=found[1], pattern=found[2]) if found else None


def stale_params(pattern: str, scheme: Scheme = "mcpfusion") -> dict[str, Any]:
    """Return the parameters of the `notifications/resources/updated` of a domain: an object, never the bare URI."""
    return {"uri": stale_uri(pattern, scheme)}


def manifest_uri(scheme: Scheme = "mcpfusion") -> str:
    """Return the URI under which a server may list all its tools for introspection."""
    return f"{scheme}://manifest.json"


def is_manifest_uri(uri: str) -> bool:
    """Tell whether a URI is that of a manifest, in any of the schemes."""
    return _MANIFEST.fullmatch(uri) is not None

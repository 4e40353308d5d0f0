"""Which era a server speaks: what its answers to the first requests mean. Pure.

MCP 2026-07-28, basic/versioning (Backward Compatibility), transports/stdio and transports/streamable-http (the same): a
modern request is tried first, a recognised modern error means a modern server, anything else a legacy one. No single
error code decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from diagnose.errors import ObservationError
from diagnose.record import record
from diagnose.version import __version__
from diagnose.wire.eras import (
    LEGACY,
    MODERN,
    VERSIONS,
    is_modern_error,
    is_unsupported_version,
    mutual_version,
    supported_versions,
)
from diagnose.wire.message import RpcErrorBody

DISCOVER: Final = "server/discover"
INITIALIZE: Final = "initialize"
INITIALIZED: Final = "notifications/initialized"

CLIENT: Final = {"name": "diagnose", "version": __version__}

_PREFIX: Final = "io.modelcontextprotocol/"
SERVER_INFO: Final = f"{_PREFIX}serverInfo"


@record
class Step:
    """What to do next: go on in the modern era, ask again with another modern version, or shake hands."""

    action: Literal["modern", "discover", "initialize"]
    version: str
    note: str = ""


def request_meta(version: str) -> dict[str, Any]:
    """Return the ``_meta`` that every modern request carries (MCP 2026-07-28, basic/index)."""
    return {
        f"{_PREFIX}protocolVersion": version,
        f"{_PREFIX}clientInfo": dict(CLIENT),
        f"{_PREFIX}clientCapabilities": {},
    }


def modern_params(params: Mapping[str, Any] | None, version: str) -> dict[str, Any]:
    """Return ``params`` with the metadata of a modern request; what they already have in ``_meta`` stays."""
    given = dict(params or {})
    return given | {"_meta": dict(given.get("_meta") or {}) | request_meta(version)}


def initialize_params(version: str) -> dict[str, Any]:
    """Return the parameters of `initialize`. No capability is declared: the server gets nothing to ask for."""
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": dict(CLIENT)}


def after_discover(result: Any) -> Step:
    """Decide on the result of `server/discover`.

    A result without versions is none that a modern server gives.

    Raises ObservationError (`handshake-failed`) if there is no common version.
    """
    offered = result.get("supportedVersions") if isinstance(result, dict) else None
    if not isinstance(offered, list):
        return Step(action="initialize", version=LEGACY[0])
    modern = mutual_version(offered, MODERN)
    if modern:
        return Step(action="modern", version=modern)
    return _legacy_of(offered)


def after_refused_discover(error: RpcErrorBody) -> Step:
    """Decide on an error answer to `server/discover`.

    Raises ObservationError (`handshake-failed`) if the server is modern and there is no common version, or it refuses the
    request for another reason that only a modern server gives.
    """
    if not is_modern_error(error):
        return Step(action="initialize", version=LEGACY[0])
    if not is_unsupported_version(error):
        raise ObservationError(
            f"The server speaks a modern version of MCP and refused {DISCOVER} with error {error.code}: {error.message}",
            rule="handshake-failed",
            advice="Something between here and the server may drop or rewrite request headers.",
            kind="modern-refusal",
            code=error.code,
        )
    offered = supported_versions(error)
    modern = mutual_version(offered, MODERN)
    if modern:
        return Step(action="discover", version=modern)
    return _legacy_of(offered)


def after_refused_initialize(error: RpcErrorBody, asked: str) -> Step | None:
    """Decide on an error answer to `initialize` that asked for the version ``asked``; None if it says nothing useful.

    A modern server names its versions there (basic/versioning); a legacy one that does not know the version may too.
    """
    offered = supported_versions(error)
    modern = mutual_version(offered, MODERN)
    if modern:
        return Step(action="modern", version=modern, note=f"The server refused {INITIALIZE} and named {modern}.")
    legacy = mutual_version(offered, LEGACY)
    if legacy and legacy != asked:
        return Step(action="initialize", version=legacy)
    return None


def agreed_version(result: Any) -> str:
    """Return the version that the server chose in its answer to `initialize`.

    Raises ObservationError (`handshake-failed`) for an answer that is none, or a version that we do not speak.
    """
    version = result.get("protocolVersion") if isinstance(result, dict) else None
    if not isinstance(version, str):
        raise ObservationError(
            f"The answer to {INITIALIZE} names no protocolVersion.", rule="handshake-failed", offered=version
        )
    if version in MODERN:
        raise ObservationError(
            f"The server answered {INITIALIZE} with version {version}, which does without {INITIALIZE}.",
            rule="handshake-failed",
            kind="version",
            offered=[version],
        )
    if version not in LEGACY:
        raise _no_common_version([version])
    return version


def _legacy_of(offered: Sequence[Any]) -> Step:
    version = mutual_version(offered, LEGACY)
    if version is None:
        raise _no_common_version(offered)
    return Step(action="initialize", version=version)


def _no_common_version(offered: Sequence[Any]) -> ObservationError:
    theirs = ", ".join(str(version) for version in offered[:10]) or "none"
    return ObservationError(
        f"No common protocol version: the server offers {theirs}; this program speaks {', '.join(VERSIONS)}.",
        rule="handshake-failed",
        kind="version",
        offered=list(offered[:10]),
        known=list(VERSIONS),
    )

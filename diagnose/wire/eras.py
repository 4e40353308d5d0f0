"""The two eras of the protocol: their versions, and the errors by which a modern server is recognised.

*Modern* versions carry version, identity and capabilities with every request; *legacy* versions open a session with
`initialize` (MCP 2026-07-28, basic/versioning, Terminology).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from diagnose.wire.message import RpcErrorBody

#: Newest first.
MODERN: Final = ("2026-07-28",)
LEGACY: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
VERSIONS: Final = MODERN + LEGACY

# MCP 2026-07-28, basic/index, Error Codes.
HEADER_MISMATCH: Final = -32020
MISSING_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022

#: A draft's code for an unsupported version. It lies in the range whose codes mean nothing by themselves, so only the
#: list of versions that comes with it counts.
DRAFT_UNSUPPORTED_VERSION: Final = -32004


def supported_versions(error: RpcErrorBody) -> tuple[str, ...]:
    """Return the versions that an error names in ``data.supported``; empty if it names none."""
    data = error.data
    supported = data.get("supported") if isinstance(data, dict) else None
    if not isinstance(supported, list):
        return ()
    return tuple(version for version in supported if isinstance(version, str))


def is_unsupported_version(error: RpcErrorBody) -> bool:
    """Tell whether an error says that the requested version is not supported, and which versions are.

    The code alone says nothing: a legacy server may use it for something of its own.
    """
    return error.code in {UNSUPPORTED_VERSION, DRAFT_UNSUPPORTED_VERSION} and bool(supported_versions(error))


def is_modern_error(error: RpcErrorBody) -> bool:
    """Tell whether only a modern server would answer so; anything else is a sign of a legacy one.

    MCP 2026-07-28, basic/versioning: the retry is with a supported version, never with `initialize`.
    """
    return error.code in {HEADER_MISMATCH, MISSING_CAPABILITY} or is_unsupported_version(error)


def mutual_version(offered: Sequence[Any], known: Sequence[str] = VERSIONS) -> str | None:
    """Return the newest version that both sides know, or None. What is no text among ``offered`` is passed over."""
    return next((version for version in known if version in offered), None)

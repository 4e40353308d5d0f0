"""Who may use the tap: it listens on this machine, where every page in a browser can reach it too.

MCP 2025-11-25, basic/transports, security: a server checks `Origin`, or a page of a stranger speaks to it by DNS rebinding.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from diagnose.errors import InputError
from diagnose.tap.framer import Head
from diagnose.transport.origin import Origin

_ORIGIN = "its Origin is none of this machine; name it with --allow-origin"
_HOST = "its Host is none of this machine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """``tap`` is where the tap listens, ``origins`` are those that were allowed by name."""

    tap: Origin
    origins: Collection[str] = ()

    def refuses(self, head: Head) -> str | None:
        """Return why a request is refused; None where it is let through."""
        host, origin = head.get("host"), head.get("origin")
        if self.tap.is_loopback and (host is None or not _is_local(f"http://{host}")):
            return _HOST
        allowed = origin is None or origin in self.origins or _is_local(origin) or origin == str(self.tap)
        return None if allowed else _ORIGIN

    @staticmethod
    def is_reason(text: str) -> bool:
        """Tell whether a text is a reason of this guard."""
        return text in {_ORIGIN, _HOST}


def _is_local(url: str) -> bool:
    try:
        return Origin.of(url).is_loopback
    except InputError:
        return False

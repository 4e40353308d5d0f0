"""Change notifications: how a client asks for them in either era, and what it is told. Pure.

MCP 2026-07-28, basic/patterns/subscriptions: a subscription is a request that stays open. Its id names it in everything
that belongs to it; the acknowledgement comes first, the result last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from diagnose.wire.message import request
from diagnose.wire.negotiation import modern_params

LISTEN: Final = "subscriptions/listen"
ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
CANCELLED: Final = "notifications/cancelled"
LIST_CHANGED: Final = "notifications/tools/list_changed"
SUBSCRIPTION_ID: Final = "io.modelcontextprotocol/subscriptionId"

#: Every field of a filter that a revision knows.
FILTER_FIELDS: Final = frozenset(
    {"toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions"}
)
#: What a trial asks for so that nobody can have it: a resource, and a field of the filter.
NONSENSE_SCHEME: Final = "diagnose-nonsense:"
NONSENSE_URI: Final = f"{NONSENSE_SCHEME}///there/is/no/such/resource"
UNKNOWN_FIELD: Final = "io.diagnose/unknownNotifications"

#: JSON-RPC allows both for the id of a request, and a subscription is named by it.
RequestId: TypeAlias = int | str

#: What to ask for to hear of changes of the tool list, and of nothing else.
TOOLS_FILTER: Final[Mapping[str, Any]] = {"toolsListChanged": True}


def listen_request(request_id: RequestId, notifications: Mapping[str, Any], version: str) -> dict[str, Any]:
    """Return the request that opens a subscription to ``notifications``."""
    message = request(0, LISTEN, modern_params({"notifications": dict(notifications)}, version))
    return message | {"id": request_id}


def subscription_of(raw: Mapping[str, Any]) -> Any:
    """Return the subscription that a notification or a result says it belongs to; None where it says nothing."""
    holder = raw.get("params") if "method" in raw else raw.get("result")
    meta = holder.get("_meta") if isinstance(holder, dict) else None
    return meta.get(SUBSCRIPTION_ID) if isinstance(meta, dict) else None


def declares_changes(capabilities: Mapping[str, Any] | None) -> bool:
    """Tell whether a server promises to tell of changes of its tool list."""
    tools = capabilities.get("tools") if isinstance(capabilities, dict) else None
    return isinstance(tools, dict) and tools.get("listChanged") is True

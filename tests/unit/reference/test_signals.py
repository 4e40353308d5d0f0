"""A change is told in both eras, to whoever holds a channel open, and to nobody when it is kept quiet."""

from __future__ import annotations

from .conftest import META, Client

LISTEN = {"_meta": META, "notifications": {"toolsListChanged": True}}
CHANGED = "notifications/tools/list_changed"


def test_a_legacy_session_hears_on_its_stream(server) -> None:
    server.change({"restore": True})
    client = Client(server.url, "legacy")
    client.handshake()
    with client.stream("GET", {"accept": "text/event-stream"}) as events:
        server.change({"remove": "ripen"}, notify=False)
        server.change({"add": "press_cider"})
        assert next(events)["method"] == CHANGED
        assert [tool["name"] for tool in client.tools()] == ["pick_apples", "prune_tree", "press_cider"]


def test_a_modern_subscription_hears_after_its_acknowledgement(server) -> None:
    server.change({"restore": True})
    client = Client(server.url, "modern")
    with client.listen(LISTEN) as events:
        acknowledged = next(events)
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        assert acknowledged["params"]["notifications"] == {"toolsListChanged": True}
        server.change({"remove": "ripen"}, notify=False)
        server.change({"add": "press_cider"})
        heard = next(events)
        assert heard["method"] == CHANGED
        assert heard["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 7
        assert [tool["name"] for tool in client.tools()] == ["pick_apples", "prune_tree", "press_cider"]

"""Subscriptions: what is asked, and to whom a message belongs."""

import pytest
from mcp_types.methods import validate_client_request

from diagnose.wire.subscription import LISTEN, TOOLS_FILTER, declares_changes, listen_request, subscription_of


@pytest.mark.parametrize("request_id", [7, "a text"])
def test_the_request_is_one_that_the_specification_knows(request_id):
    message = listen_request(request_id, TOOLS_FILTER, "2026-07-28")
    assert (message["jsonrpc"], message["id"], message["method"]) == ("2.0", request_id, LISTEN)
    validate_client_request(LISTEN, "2026-07-28", message["params"])
    assert message["params"]["notifications"] == {"toolsListChanged": True}


ID = {"_meta": {"io.modelcontextprotocol/subscriptionId": "a"}}


@pytest.mark.parametrize(
    ("message", "subscription"),
    [
        ({"method": "notifications/tools/list_changed", "params": ID}, "a"),
        ({"id": "a", "result": ID}, "a"),
        ({"method": "notifications/tools/list_changed"}, None),
        ({"method": "notifications/tools/list_changed", "params": []}, None),
        ({"method": "notifications/tools/list_changed", "params": {"_meta": 1}}, None),
        ({"id": 1, "error": ID}, None),
        ({"id": 1, "result": None}, None),
    ],
)
def test_a_message_names_its_subscription(message, subscription):
    assert subscription_of(message) == subscription


@pytest.mark.parametrize(
    ("capabilities", "declared"),
    [
        ({"tools": {"listChanged": True}}, True),
        ({"tools": {"listChanged": 1}}, False),
        ({"tools": {"listChanged": False}}, False),
        ({"tools": {}}, False),
        ({"tools": None}, False),
        ({}, False),
        (None, False),
    ],
)
def test_what_counts_as_a_promise(capabilities, declared):
    assert declares_changes(capabilities) is declared

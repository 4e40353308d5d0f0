"""Holds what we send to the types of the specification, for every version that it is sent in."""

from mcp_types.methods import validate_client_notification, validate_client_request

MODERN = "2026-07-28"


def check(messages, version):
    """Validate requests, notifications and answers that were sent in ``version``; returns their methods."""
    for message in messages:
        assert message["jsonrpc"] == "2.0"
        if "method" not in message:
            assert set(message) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"})
            assert version != MODERN, "a modern client sends no answers"
        elif "id" in message:
            assert type(message["id"]) is int
            at = MODERN if message["method"] == "server/discover" else version
            validate_client_request(message["method"], at, message.get("params"))
        else:
            validate_client_notification(message["method"], version, message.get("params"))
    ids = [message["id"] for message in messages if "id" in message and "method" in message]
    assert len(set(ids)) == len(ids), "an id is used once"
    return [message.get("method") for message in messages]


def check_http(asked, version):
    """The same for requests over HTTP, and their headers."""
    posts = [each for each in asked if each.verb == "POST"]
    for each in posts:
        assert each.headers["accept"] == "application/json, text/event-stream"
        assert each.headers["content-type"] == "application/json"
        meta = each.params.get("_meta", {})
        if "io.modelcontextprotocol/protocolVersion" in meta:
            assert each.headers["mcp-protocol-version"] == meta["io.modelcontextprotocol/protocolVersion"]
            assert each.headers["mcp-method"] == each.method
            assert "mcp-session-id" not in each.headers
        elif each.method == "initialize":
            assert not {"mcp-protocol-version", "mcp-session-id", "mcp-method"} & set(each.headers)
        else:
            assert each.headers["mcp-protocol-version"] == version
            assert "mcp-method" not in each.headers
    return check([each.message for each in posts], version)

"""One place under two addresses: what leads to the server from one side leads to the tap from the other."""

import json

import pytest

from diagnose.tap.address import Address
from diagnose.tap.framer import Body, Framer
from diagnose.tap.guard import Guard
from diagnose.tap.rewriting import FirstEvent, Metadata
from diagnose.transport.origin import Origin

HERE = Origin(scheme="http", host="127.0.0.1", port=8787)
ADDRESS = Address(server="https://orchard.test/mcp?tree=7", tap=HERE)


def request(text):
    return next(Framer("request").feed(text.replace("\n", "\r\n").encode() + b"\r\n\r\n"))


def response(text):
    framer = Framer("response")
    framer.expect("GET")
    return next(framer.feed(text.replace("\n", "\r\n").encode() + b"\r\n\r\n"))


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("/mcp", "/mcp?tree=7"),
        ("/", "/mcp?tree=7"),
        ("/mcp?x=1", "/mcp?tree=7&x=1"),
        ("/other?x=1", "/other?x=1"),
        ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp"),
        ("http://127.0.0.1:8787/mcp", "/mcp?tree=7"),
    ],
)
def test_where_a_request_goes(asked, sent):
    assert ADDRESS.to_server(asked) == sent


def test_the_head_of_a_request_names_the_server_and_keeps_the_rest():
    head = request(
        "POST /mcp HTTP/1.1\nHost: 127.0.0.1:8787\nOrigin: http://127.0.0.1:8787\nMCP-Protocol-Version: 2026-07-28\n"
        "Accept-Encoding: gzip, br, zstd\nConnection: keep-alive, Upgrade\nUpgrade: h2c\nAuthorization: Bearer x\nContent-Length: 0"
    )
    assert ADDRESS.request(head).decode().split("\r\n") == [
        "POST /mcp?tree=7 HTTP/1.1",
        "Host: orchard.test",
        "Origin: https://orchard.test",
        "MCP-Protocol-Version: 2026-07-28",
        "Accept-Encoding: gzip",
        "Connection: keep-alive",
        "Authorization: Bearer x",
        "Content-Length: 0",
        "",
        "",
    ]


def test_the_origin_of_a_page_stays():
    assert b"Origin: http://localhost:6274" in ADDRESS.request(
        request("GET /mcp HTTP/1.1\nHost: x\nOrigin: http://localhost:6274")
    )


def test_the_head_of_a_response_leads_back_to_the_tap():
    head = response(
        'HTTP/1.1 401 Unauthorized\nWWW-Authenticate: Bearer resource_metadata="https://orchard.test/.well-known/oauth-protected-resource/mcp", scope="a"\n'
        "Location: https://orchard.test/elsewhere?x=1\nLink: <https://other.test/a>\nContent-Length: 0"
    )
    text = ADDRESS.response(head).decode()
    assert 'resource_metadata="http://127.0.0.1:8787/.well-known/oauth-protected-resource/mcp", scope="a"' in text
    assert "Location: http://127.0.0.1:8787/elsewhere?x=1" in text
    assert "Link: <https://other.test/a>" in text


def test_metadata_names_the_tap_as_the_resource_and_keeps_the_authorization_servers():
    document = {"resource": "https://orchard.test/mcp", "authorization_servers": ["https://orchard.test"], "x": "ü"}
    body = json.dumps(document).encode()
    metadata = Metadata(
        ADDRESS, response("HTTP/1.1 200 OK\nContent-Type: application/json\nTransfer-Encoding: chunked")
    )
    assert metadata.body(Body(b"", body[:9])) == metadata.body(Body(b"", body[9:])) == b""
    head, _, sent = metadata.end().partition(b"\r\n\r\n")
    assert json.loads(sent) == {**document, "resource": "http://127.0.0.1:8787/mcp"}
    assert f"Content-Length: {len(sent)}".encode() in head
    assert b"Transfer-Encoding" not in head


@pytest.mark.parametrize(
    "document", [b"no json", b"[1]", b'{"resource": 7}', b'{"resource": "https://other.test/mcp"}']
)
def test_other_metadata_stays(document):
    assert (
        json.loads(ADDRESS.metadata(document)) == json.loads(document)
        if document[:1] in b"[{"
        else ADDRESS.metadata(document) == document
    )


@pytest.mark.parametrize("step", [1, 3, 1000])
@pytest.mark.parametrize(
    ("stream", "sent"),
    [
        (
            b"event: endpoint\ndata: https://orchard.test/messages?s=1\n\ndata: x\n\n",
            b"event: endpoint\ndata: http://127.0.0.1:8787/messages?s=1\n\ndata: x\n\n",
        ),
        (b"event: endpoint\r\ndata: /messages?s=1\r\n\r\n", b"event: endpoint\r\ndata: /messages?s=1\r\n\r\n"),
        (b": ping\n\ndata: https://orchard.test/\n\n", b": ping\n\ndata: https://orchard.test/\n\n"),
        (b"event: endpoint\ndata: cut", b"event: endpoint\ndata: cut"),
    ],
)
def test_only_the_endpoint_event_is_written_anew(stream, sent, step):
    first = FirstEvent(ADDRESS, chunked=False)
    pieces = [first.body(Body(b"", stream[at : at + step])) for at in range(0, len(stream), step)]
    assert b"".join(pieces) + first.end() == sent


def test_what_is_written_anew_is_chunked_anew():
    first = FirstEvent(ADDRESS, chunked=True)
    assert first.body(Body(b"8\r\ndata: 1\n\r\n", b"data: 1\n")) == b"8\r\ndata: 1\n\r\n"
    assert first.end() == b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("host", "origin", "passes"),
    [
        ("127.0.0.1:8787", None, True),
        ("localhost:8787", "http://localhost:6274", True),
        ("[::1]:8787", "http://[::1]:1", True),
        ("127.0.0.1:8787", "https://evil.test", False),
        ("127.0.0.1:8787", "null", False),
        ("127.0.0.1:8787", "http://127.0.0.1.evil.test", False),
        ("evil.test:8787", None, False),
        ("127.0.0.1:8787", "https://inspector.test", True),
    ],
)
def test_a_page_of_a_stranger_is_refused(host, origin, passes):
    guard = Guard(tap=HERE, origins=("https://inspector.test",))
    head = request(f"POST /mcp HTTP/1.1\nHost: {host}" + (f"\nOrigin: {origin}" if origin else ""))
    assert (guard.refuses(head) is None) is passes


def test_a_tap_that_others_may_reach_is_called_by_any_name():
    guard = Guard(tap=Origin(scheme="http", host="0.0.0.0", port=8787))
    assert guard.refuses(request("POST /mcp HTTP/1.1\nHost: desk.orchard.test:8787")) is None
    assert guard.refuses(request("POST /mcp HTTP/1.1\nHost: desk.orchard.test\nOrigin: https://evil.test")) is not None

"""The HTTP tap between plain sockets: bytes pass at once and unchanged, ends are those of the other side."""

import gzip
import http.client
import json
import queue
import random
import socket
import socketserver
import ssl
import threading

import pytest
from support.mcp_http import INFO, Endpoint, Said, answering, events, legacy, modern, result
from support.tapping import tapped

from diagnose.judge.timeline import read

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
SSE = "text/event-stream"


def post(connection, message, path="/mcp", **headers):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    connection.request("POST", path, body=body, headers={"Content-Type": "application/json", **headers})
    return connection.getresponse()


@pytest.fixture
def connect():
    open_ones = []

    def to(tap):
        connection = http.client.HTTPConnection("127.0.0.1", tap.port, timeout=10)
        open_ones.append(connection)
        return connection

    yield to
    for connection in open_ones:
        connection.close()


def test_a_thousand_messages_arrive_as_they_were_on_both_sides(connect, monkeypatch):
    monkeypatch.setattr(socketserver.StreamRequestHandler, "disable_nagle_algorithm", True)
    chance = random.Random(5)
    endpoint = Endpoint({"echo": lambda asked: Said(body=json.dumps(asked.message).encode())})
    sent = [
        {"jsonrpc": "2.0", "id": n, "method": "echo", "params": {"ü": "x" * chance.randrange(3000)}}
        for n in range(1000)
    ]
    with answering(endpoint) as url, tapped(url) as tap:
        connection = connect(tap)
        got = [json.loads(post(connection, message).read()) for message in sent]
        tap.wait_for(1000)
    assert got == sent
    assert [asked.message for asked in endpoint.asked] == sent
    recording = tap.recording()
    assert [e.message["id"] for e in recording.events if e.kind == "request"] == list(range(1000))
    assert [e.message["id"] for e in recording.events if e.kind == "response"] == list(range(1000))


def test_an_event_is_passed_on_before_the_next_one_exists(connect):
    stream = queue.SimpleQueue()
    endpoint = legacy(GET=lambda asked: Said(body=iter(stream.get, None), kind=SSE))
    with answering(endpoint) as url, tapped(url) as tap:
        connection = connect(tap)
        connection.request("GET", "/mcp", headers={"Accept": SSE})
        answer = connection.getresponse()
        for number in range(5):
            stream.put(b'data: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}\n\n')
            assert answer.readline().startswith(b"data:"), number
            assert answer.readline() == b"\n"
        stream.put(None)
        assert answer.read() == b""
        tap.wait_for(1)
    told = [(e.kind, e.sender, e.purpose, e.by, e.clean) for e in tap.recording().events]
    assert told[0][0] == "request"
    assert told[1] == ("stream-open", "tap", "get", None, None)
    assert [each[:2] for each in told[2:-1]] == [("message", "server")] * 5
    assert told[-1] == ("stream-close", "server", None, "server", True)


def test_a_client_that_leaves_a_stream_is_seen_by_the_server_and_recorded(connect):
    gone = threading.Event()

    def endless(asked):
        def pieces():
            try:
                while True:
                    yield b": alive\n\n"
                    gone.wait(0.01)
            finally:
                gone.set()

        return Said(body=pieces(), kind=SSE)

    with answering(legacy(GET=endless)) as url, tapped(url) as tap:
        connection = connect(tap)
        connection.request("GET", "/mcp", headers={"Accept": SSE})
        answer = connection.getresponse()
        answer.readline()
        connection.sock.shutdown(socket.SHUT_RDWR) if connection.sock else answer.fp.raw._sock.shutdown(
            socket.SHUT_RDWR
        )
        connection.close()
        answer.close()
        tap.wait_for(1)
        assert gone.wait(10)
    close = tap.recording().events[-1]
    assert (close.kind, close.by, close.clean) == ("stream-close", "client", False)


def test_a_client_that_ends_its_side_has_left_also_where_the_server_follows_at_once():
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    def serve(listener):
        with listener.accept()[0] as connection:
            connection.recv(65536)
            connection.sendall(head + b"9\r\n: alive\n\n\r\n")
            connection.recv(65536)  # until the client has ended its side

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        with (
            tapped(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp") as tap,
            socket.create_connection(("127.0.0.1", tap.port), timeout=10) as client,
        ):
            client.sendall(b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
            while b"alive" not in client.recv(65536):
                pass
            client.shutdown(socket.SHUT_WR)
            tap.wait_for(1)
        thread.join(10)
    close = tap.recording().events[-1]
    assert (close.kind, close.by, close.clean) == ("stream-close", "client", False)


def test_a_server_that_breaks_off_breaks_off_for_the_client(connect):
    with answering(legacy(tools__list=Said(body=b'{"jsonrpc"', cut=True))) as url, tapped(url) as tap:
        with pytest.raises(http.client.IncompleteRead):
            post(connect(tap), LIST).read()
        tap.wait_for(1)
    assert tap.recording().events[-1].kind in {"response", "raw"}


def test_a_stream_that_is_cut_is_not_clean(connect):
    said = events({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}, cut=True)
    with answering(legacy(GET=said)) as url, tapped(url) as tap:
        connection = connect(tap)
        connection.request("GET", "/mcp", headers={"Accept": SSE})
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            connection.getresponse().read()
        tap.wait_for(1)
    close = tap.recording().events[-1]
    assert (close.kind, close.by, close.clean) == ("stream-close", "server", False)


def test_a_compressed_answer_passes_compressed_and_is_read(connect):
    body = gzip.compress(
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "pick_apples"}]}}).encode()
    )
    endpoint = legacy(tools__list=Said(body=body, headers={"Content-Encoding": "gzip"}))
    with answering(endpoint) as url, tapped(url) as tap:
        answer = post(connect(tap), LIST, **{"Accept-Encoding": "gzip, zstd"})
        assert answer.read() == body
        tap.wait_for(1)
    assert endpoint.asked[0].headers["accept-encoding"] == "gzip"
    assert tap.recording().events[-1].message["result"]["tools"] == [{"name": "pick_apples"}]


def test_a_server_that_refuses_is_told_to_the_client_and_recorded(connect):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with tapped(f"http://127.0.0.1:{port}/mcp") as tap:
        answer = post(connect(tap), LIST)
        assert answer.status == 502
        assert b"the server refused the connection" in answer.read()
        tap.wait_for(1)
    assert tap.recording().events[-1].text == "client connected; the server refused the connection"
    assert len(tap.said) == 1


@pytest.mark.parametrize(("refused", "status"), [({}, b"502"), ({"Origin": "https://evil.test"}, b"403")])
def test_who_is_refused_hears_it_though_the_request_comes_in_pieces(refused, status):
    """A connection that was reset under a client that still writes would take the answer from it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    fields = "".join(f"{name}: {value}\r\n" for name, value in refused.items())
    with (
        tapped(f"http://127.0.0.1:{port}/mcp") as tap,
        socket.create_connection(("127.0.0.1", tap.port), 10) as raw,
    ):
        raw.sendall(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}Content-Length: 40\r\n\r\n".encode())
        tap.wait_until_it_spoke()
        for _ in range(4):
            raw.sendall(b"x" * 10)
        with raw.makefile("rb") as answer:
            assert answer.readline().split()[1] == status


def test_a_page_of_a_stranger_reaches_nobody(connect):
    endpoint = legacy()
    with answering(endpoint) as url, tapped(url) as tap:
        answer = post(connect(tap), LIST, Origin="https://evil.test")
        assert answer.status == 403
    assert endpoint.asked == []
    assert "Origin" in tap.said[0]


def test_what_is_no_http_is_refused():
    with answering(legacy()) as url, tapped(url) as tap, socket.create_connection(("127.0.0.1", tap.port), 10) as raw:
        raw.sendall(b"\x16\x03\x01\x02\x00\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("target", ["//[", "http://[/mcp", "/%", "?", "/mcp#x", "/\x80"])
def test_a_target_that_is_no_url_passes_and_is_recorded(target):
    with answering(legacy()) as url, tapped(url) as tap, socket.create_connection(("127.0.0.1", tap.port), 10) as raw:
        raw.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode("latin-1"))
        assert raw.recv(100).startswith(b"HTTP/1.1 404")
        tap.wait_for(1)
    assert [e.kind for e in tap.recording().events] == ["request", "response"]


def test_what_follows_each_other_without_waiting_is_answered_in_order():
    with answering(legacy()) as url, tapped(url) as tap, socket.create_connection(("127.0.0.1", tap.port), 10) as raw:
        requests = b""
        for number in range(20):
            body = json.dumps({**LIST, "id": number}).encode()
            requests += b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        raw.sendall(requests)
        tap.wait_for(20)
    answers = [e for e in tap.recording().events if e.kind == "response"]
    assert [e.message["id"] for e in answers] == list(range(20))
    assert [e.channel for e in answers] == [f"http:{number}" for number in range(1, 21)]


def test_a_client_that_reads_slowly_makes_the_server_wait(connect):
    sent = []

    def flood(asked):
        def pieces():
            for number in range(2_000):
                sent.append(number)
                yield b":" + b"x" * 65_000 + b"\n\n"

        return Said(body=pieces(), kind=SSE)

    with answering(legacy(GET=flood)) as url, tapped(url) as tap:
        connection = connect(tap)
        connection.request("GET", "/mcp", headers={"Accept": SSE})
        answer = connection.getresponse()
        answer.readline()
        seen = -1
        while seen != len(sent):
            seen = len(sent)
            threading.Event().wait(0.2)
        assert seen < 1_500
        assert sum(map(len, iter(lambda: answer.read(1 << 20), b""))) > 2_000 * 64_000


def test_fifty_streams_at_once_are_told_apart(connect):
    stream = threading.Event()

    def held(asked):
        def pieces():
            yield b'data: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": {"n": 1}}}\n\n'
            stream.wait(10)

        return Said(body=pieces(), kind=SSE)

    with answering(legacy(GET=held)) as url, tapped(url) as tap:
        answers = []
        for number in range(50):
            connection = connect(tap)
            connection.request("GET", "/mcp", headers={"Accept": SSE, "Mcp-Session-Id": f"s-{number}"})
            answers.append(connection.getresponse())
        assert all(answer.readline().startswith(b"data") for answer in answers)
        stream.set()
        assert [answer.read() for answer in answers] == [b"\n"] * 50
        tap.wait_for(50)
    signals = [e for e in tap.recording().events if e.kind == "message"]
    assert len({e.session for e in signals}) == len({e.channel for e in signals}) == 50


def test_the_old_transport_goes_through(connect):
    stream = queue.SimpleQueue()

    def opened(asked):
        stream.put(f"event: endpoint\ndata: {origin}/messages?session_id=S3CRET\n\n".encode())
        return Said(body=iter(stream.get, None), kind=SSE)

    def posted(asked):
        stream.put(f"event: message\ndata: {result(asked, {'tools': []}).body.decode()}\n\n".encode())
        return Said(status=202)

    with answering(Endpoint({"GET": opened, "tools/list": posted})) as url, tapped(url) as tap:
        origin = url.removesuffix("/mcp")
        connection = connect(tap)
        connection.request("GET", "/mcp", headers={"Accept": SSE})
        answer = connection.getresponse()
        assert answer.readline() == b"event: endpoint\n"
        address = answer.readline().decode().removeprefix("data: ").strip()
        assert address == f"http://127.0.0.1:{tap.port}/messages?session_id=S3CRET"
        assert post(connect(tap), LIST, address.removeprefix(f"http://127.0.0.1:{tap.port}")).status == 202
        assert [answer.readline() for _ in range(3)][1:] == [
            b"event: message\n",
            b'data: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}\n',
        ]
        stream.put(b'event: foo\ndata: {"jsonrpc": "2.0", "method": "x", "params": {"a": "S3CRET words"}}\n\n')
        stream.put(None)
        answer.read()
        tap.wait_for(2)
    recording = tap.recording()
    assert [e.message["id"] for e in recording.events if e.kind == "message"] == [1]
    assert any(e.kind == "raw" and e.data.startswith(b"event: foo\ndata: {") for e in recording.events)
    asked = next(e for e in recording.events if e.method == "POST")
    assert asked.path.startswith("/messages?session_id=fp:")
    assert "S3CRET" not in repr(recording)
    # The answer came on another exchange than its question, and is known for its answer all the same.
    [session] = read(recording).sessions
    assert session.walks.newest.state == "complete"


def test_oauth_leads_through_the_tap_and_leaves_no_token(connect):
    def metadata(asked):
        return Said(body=json.dumps({"resource": url, "authorization_servers": ["https://login.test"]}).encode())

    def refused(asked):
        where = f"{url.removesuffix('/mcp')}/.well-known/oauth-protected-resource/mcp"
        return Said(status=401, headers={"WWW-Authenticate": f'Bearer resource_metadata="{where}"'})

    endpoint = Endpoint({"GET": metadata, "tools/list": refused, "POST": Said(body=b'{"access_token": "T0KEN-abc"}')})
    with answering(endpoint) as url, tapped(url) as tap:
        answer = post(connect(tap), LIST)
        answer.read()
        where = answer.headers["www-authenticate"].split('"')[1]
        assert where == f"http://127.0.0.1:{tap.port}/.well-known/oauth-protected-resource/mcp"
        connection = connect(tap)
        connection.request("GET", "/.well-known/oauth-protected-resource/mcp")
        assert json.loads(connection.getresponse().read())["resource"] == tap.url
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        post(connect(tap), b"grant_type=authorization_code&code=C0DE-xyz", "/token", **form).read()
        tap.wait_for(3)
    assert "asks for OAuth" in tap.said[0]
    assert not any(secret in repr(tap.recording()) for secret in ("T0KEN", "C0DE"))


def test_a_certificate_that_is_not_trusted_is_said(connect, tmp_path):
    with answering(legacy()) as url, tapped(url.replace("http:", "https:"), trust=ssl.create_default_context()) as tap:
        assert post(connect(tap), LIST).status == 502
    assert "TLS" in tap.said[0]


def test_two_clients_of_one_kind_without_session_ids_are_told_apart_by_their_connections(connect):
    def hello(name):
        params = {"clientInfo": {"name": name, "version": "1"}, "protocolVersion": "2025-11-25", "capabilities": {}}
        return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}

    with answering(legacy()) as url, tapped(url) as tap:
        first, second = connect(tap), connect(tap)
        for connection, name in ((first, "barrow-bot"), (second, "press-panel")):
            post(connection, hello(name)).read()
        post(first, LIST).read()
        tap.wait_for(3)
    recording = tap.recording()
    assert [event.connection for event in recording.events if event.kind == "request"] == ["c1", "c2", "c1"]
    assert [(session.client, session.lists_asked) for session in read(recording).sessions] == [
        ("barrow-bot", 1),
        ("press-panel", 0),
    ]


def test_both_eras_are_recorded_with_their_sessions(connect):
    secret = "Bearer tok-planted-1"
    with answering(legacy(session="s-planted-2")) as url, tapped(url) as tap:
        connection = connect(tap)
        hello = {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "initialize",
            "params": {"clientInfo": INFO, "protocolVersion": "2025-11-25"},
        }
        post(connection, hello, Authorization=secret).read()
        post(connection, LIST, Authorization=secret, **{"Mcp-Session-Id": "s-planted-2"}).read()
        tap.wait_for(2)
    _, opened, listed, _ = tap.recording().events
    assert opened.session == listed.session == opened.headers["mcp-session-id"]
    assert listed.principal == listed.headers["authorization"]
    assert listed.principal.startswith("Bearer fp:")
    assert "planted" not in repr(tap.recording())
    with answering(modern()) as url, tapped(url) as tap:
        message = {**LIST, "params": {"_meta": {"io.modelcontextprotocol/clientInfo": INFO}}}
        post(connect(tap), message, **{"Mcp-Method": "tools/list"}).read()
        tap.wait_for(1)
    asked, answered = tap.recording().events
    assert asked.message == message
    assert asked.headers["mcp-method"] == "tools/list"
    assert [tool["name"] for tool in answered.message["result"]["tools"]] == ["pick_apples", "prune_tree", "ripen"]

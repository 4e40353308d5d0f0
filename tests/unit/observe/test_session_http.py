"""Sessions over HTTP: eras, sessions, streams, and servers that do everything wrong. Real sockets."""

import json
import socket
import threading
from contextlib import contextmanager

import pytest
from support.mcp_http import MODERN, TOOLS, Endpoint, Said, answering, error, events, html, legacy, modern, result
from support.sent import check_http

from diagnose.errors import CredentialRefusedError, ObservationError
from diagnose.observe.session import NoSessionError, RpcError, open_http
from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient


@pytest.fixture
def http():
    with HttpClient(timeout=5, deadline=Deadline(20), sleep=lambda _: None) as client:
        yield client


@contextmanager
def session_with(endpoint, http, **options):
    with answering(endpoint) as url, open_http(http, url, **options) as session:
        yield session


def names(session):
    return [tool["name"] for tool in session.request("tools/list").result["tools"]]


# Eras.


def test_a_modern_server(http):
    endpoint = modern()
    with session_with(endpoint, http) as session:
        assert (session.era, session.protocol_version) == ("modern", MODERN)
        assert session.server_info["name"] == "orchard"
        assert session.capabilities == {"tools": {}}
        assert len(names(session)) == 3
    assert check_http(endpoint.asked, MODERN) == ["server/discover", "tools/list"]


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
@pytest.mark.parametrize("session_id", [None, "s-1"])
def test_a_legacy_server(http, version, session_id):
    endpoint = legacy(version, session=session_id)
    with session_with(endpoint, http) as session:
        assert (session.era, session.protocol_version, session.session_id) == ("legacy", version, session_id)
        assert len(names(session)) == 3
    sent = ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    assert check_http(endpoint.asked, version) == sent
    after = endpoint.asked[2:]
    assert {asked.headers.get("mcp-session-id") for asked in after} == {session_id}
    assert [asked.verb for asked in endpoint.asked if asked.verb != "POST"] == (["DELETE"] if session_id else [])


NO_MODERN_ANSWERS = {
    "404 page": html(404),
    "405": Said(status=405),
    "400 empty": Said(status=400),
    "400 text": Said(status=400, body=b"Unsupported", kind="text/plain"),
    "415": Said(status=415),
    "200 page": html(200),
    "200 empty": Said(),
    "200 JSON that is no message": Said(body=b'{"name": "meridian"}'),
    "200 error": lambda asked: error(asked, -32601),
    "400 error": lambda asked: error(asked, -32602, status=400),
    "404 error": lambda asked: error(asked, -32601, status=404),
    "404 error without id": Said(status=404, body=b'{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":""}}'),
    "400 error with an id of its own": Said(
        status=400, body=b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Missing session ID"}}'
    ),
    "200 error 0": lambda asked: error(asked, 0),
    "code of a modern error without its data": lambda asked: error(asked, -32022, status=400),
    "draft code without versions": lambda asked: error(asked, -32004, status=400),
    "500 error": lambda asked: error(asked, -32603, status=500),
    "500": Said(status=500, body=b"oops", kind="text/plain"),
    "200 result of no discovery": lambda asked: result(asked, {}),
    "200 stream with an error": lambda asked: events(
        {"jsonrpc": "2.0", "id": asked.id, "error": {"code": -32601, "message": ""}}
    ),
}


@pytest.mark.parametrize("answer", NO_MODERN_ANSWERS.values(), ids=NO_MODERN_ANSWERS)
def test_anything_else_means_legacy(http, answer):
    with session_with(legacy(server__discover=answer), http) as session:
        assert session.era == "legacy"
        assert len(names(session)) == 3
        assert session.anomalies == []


def hang_up(asked):
    raise ConnectionAbortedError


def never(asked):
    """Answer with a stream on which nothing ever comes."""
    return Said(body=iter(lambda: threading.Event().wait(0.05) or b": \n\n", None), kind="text/event-stream")


@pytest.mark.parametrize(
    "answer",
    [
        hang_up,
        Said(body=b"{", cut=True),
        never,
        Said(body=b"x", headers={"Content-Encoding": "br"}),
        Said(body=[b": \n\n"], kind="text/event-stream"),
    ],
)
def test_no_answer_to_the_probe_means_legacy_too(http, answer):
    endpoint = legacy(server__discover=answer)
    with session_with(endpoint, http, timeout=0.5) as session:
        assert (session.era, session.probe_unanswered) == ("legacy", True)
        assert len(names(session)) == 3
        assert [note for note in session.notes if note.startswith("server/discover got no answer")]
    with answering(modern(server__discover=answer)) as url, pytest.raises(NoSessionError):
        open_http(http, url, era="modern", timeout=0.5)


def test_a_probe_leaves_time_for_the_handshake():
    with (
        HttpClient(timeout=60, deadline=Deadline(2)) as http,
        session_with(legacy(server__discover=never), http, timeout=60) as session,
    ):
        assert session.era == "legacy"


def test_who_cannot_be_reached_is_not_asked_twice(http):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(NoSessionError) as caught:
        open_http(http, f"http://127.0.0.1:{port}/mcp")
    assert (caught.value.args_by_name["kind"], caught.value.args_by_name["method"]) == ("refused", "server/discover")


def test_the_versions_of_a_modern_error_decide(http):
    refusal = {"supported": ["2025-06-18", "2025-03-26"], "requested": MODERN}
    endpoint = legacy("2025-06-18", server__discover=lambda asked: error(asked, -32022, status=400, data=refusal))
    with session_with(endpoint, http) as session:
        assert (session.era, session.protocol_version) == ("legacy", "2025-06-18")
    assert endpoint.asked[1].params["protocolVersion"] == "2025-06-18"


def test_a_discovery_that_names_legacy_versions_only(http):
    endpoint = legacy("2025-06-18", server__discover=lambda asked: result(asked, {"supportedVersions": ["2025-06-18"]}))
    with session_with(endpoint, http) as session:
        assert session.protocol_version == "2025-06-18"


@pytest.mark.parametrize(
    "answer",
    [
        lambda asked: error(asked, -32022, status=400, data={"supported": ["1900-01-01"]}),
        lambda asked: error(asked, -32022, status=400, data={"supported": [MODERN]}),
        lambda asked: error(asked, -32020, status=400),
        lambda asked: error(asked, -32021, status=400),
        lambda asked: result(asked, {"supportedVersions": ["2030-01-01"]}),
    ],
)
def test_a_recognised_modern_error_never_falls_back(http, answer):
    endpoint = modern(server__discover=answer)
    with answering(endpoint) as url, pytest.raises(NoSessionError) as caught:
        open_http(http, url)
    assert caught.value.rule == "handshake-failed"
    assert "initialize" not in endpoint.methods


def test_a_version_that_is_named_and_refused_again_is_told(http):
    def refuse(asked):
        return error(asked, -32022, status=400, data={"supported": [MODERN]})

    with answering(modern(server__discover=refuse)) as url, pytest.raises(NoSessionError) as caught:
        open_http(http, url)
    assert f"names {MODERN}" in str(caught.value)
    assert "in common" not in str(caught.value)


def refusing_once(data, endpoint):
    """Let the endpoint refuse its first list for its version."""
    listed = endpoint.answers["tools/list"]

    def answer(asked):
        again = endpoint.methods.count("tools/list") > 1
        return listed(asked) if again else error(asked, -32022, status=400, data=data)

    endpoint.answers["tools/list"] = answer
    return endpoint


def test_a_later_request_is_repeated_once_in_a_version_that_its_refusal_names(http):
    endpoint = refusing_once({"supported": ["2030-01-01", MODERN]}, modern())
    with session_with(endpoint, http) as session:
        assert len(names(session)) == 3
        assert session.protocol_version == MODERN
        assert [f"named {MODERN}" in note for note in session.notes] == [True]


def test_a_later_refusal_may_name_a_legacy_version(http):
    handshake = legacy("2025-06-18").answers["initialize"]
    endpoint = refusing_once({"supported": ["2025-06-18"]}, modern(initialize=handshake))
    with session_with(endpoint, http) as session:
        assert len(names(session)) == 3
        assert (session.era, session.protocol_version) == ("legacy", "2025-06-18")
    endpoint = refusing_once({"supported": ["2025-06-18"]}, modern())
    with session_with(endpoint, http, era="modern") as session, pytest.raises(RpcError, match="-32022"):
        names(session)


def test_a_legacy_version_that_is_named_and_not_spoken(http):
    endpoint = refusing_once({"supported": ["2025-06-18"]}, modern())
    with (
        session_with(endpoint, http) as session,
        pytest.raises(RpcError, match="tools/list with JSON-RPC error -32022"),
    ):
        names(session)
    assert any("did not speak it" in note for note in session.notes)


@pytest.mark.parametrize("data", [{"supported": [MODERN]}, {"supported": ["1900-01-01"]}, {}, None])
def test_a_refused_version_is_asked_for_again_once_at_most(http, data):
    endpoint = modern(tools__list=lambda asked: error(asked, -32022, status=400, data=data))
    with session_with(endpoint, http) as session, pytest.raises(RpcError):
        names(session)
    named = MODERN in ((data or {}).get("supported") or [])
    assert endpoint.methods.count("tools/list") == (2 if named else 1)


def test_a_server_that_names_its_modern_version_only_to_initialize(http):
    def refuse(asked):
        return error(asked, -32022, status=400, data={"supported": [MODERN]})

    with session_with(modern(server__discover=html(404), initialize=refuse), http) as session:
        assert session.era == "modern"
        assert any("refused initialize" in note for note in session.notes)
        assert len(names(session)) == 3


def test_initialize_is_repeated_with_a_version_that_the_refusal_names(http):
    agreed = legacy("2024-11-05").answers["initialize"]

    def choosy(asked):
        if asked.params["protocolVersion"] != "2024-11-05":
            return error(asked, -32602, "Unsupported protocol version", data={"supported": ["2024-11-05"]})
        return agreed(asked)

    with session_with(legacy(initialize=choosy), http) as session:
        assert session.protocol_version == "2024-11-05"


@pytest.mark.parametrize("version", ["1999-01-01", MODERN, None, 5])
def test_a_version_that_we_do_not_speak(http, version):
    endpoint = legacy(version, session="s")
    with answering(endpoint) as url, pytest.raises(NoSessionError) as caught:
        open_http(http, url)
    assert caught.value.rule == "handshake-failed"
    assert endpoint.asked[-1].verb == "DELETE"


def test_a_wanted_era_is_the_only_one_tried(http):
    endpoint = legacy()
    with session_with(endpoint, http, era="legacy") as session:
        assert session.era == "legacy"
    assert "server/discover" not in endpoint.methods
    with answering(legacy()) as url, pytest.raises(NoSessionError) as caught:
        open_http(http, url, era="modern")
    assert caught.value.rule == "handshake-failed"


def test_a_modern_server_may_lack_discovery_if_modern_is_wanted(http):
    endpoint = modern(server__discover=lambda asked: error(asked, -32601, status=404))
    with session_with(endpoint, http, era="modern") as session:
        assert len(names(session)) == 3
        assert session.handshake == {}
        assert any("does not know server/discover" in note for note in session.notes)


def test_meridian_answers_the_initialized_notification(http):
    endpoint = legacy("2025-03-26", notifications__initialized=Said(body=b'{"jsonrpc":"2.0","id":null,"result":{}}'))
    with session_with(endpoint, http) as session:
        assert session.notes == []
        assert session.anomalies == []


@pytest.mark.parametrize("initialized", [Said(status=202), Said(body=b'{"jsonrpc":"2.0","id":null,"result":{}}')])
def test_one_connection_serves_the_whole_conversation(http, initialized):
    endpoint = legacy(session="s", notifications__initialized=initialized)
    with session_with(endpoint, http) as session:
        names(session)
    assert len({asked.connection for asked in endpoint.asked}) == 1


# Credentials and servers that cannot answer.


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("method", ["server__discover", "initialize", "tools__list"])
def test_a_refused_credential_is_no_sign_of_an_era(http, status, method):
    challenge = 'Bearer realm="MCP", error="invalid_token", resource_metadata="https://x.test/meta"'
    refusal = Said(status=status, body=b'{"detail":"no"}', headers={"WWW-Authenticate": challenge})
    with pytest.raises(CredentialRefusedError) as caught, session_with(legacy(**{method: refusal}), http) as session:
        names(session)
    assert (caught.value.rule, caught.value.exit_code) == ("auth-blocked", 4)
    assert caught.value.args_by_name["resource_metadata"] == "https://x.test/meta"
    assert caught.value.args_by_name["status"] == status


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_server_that_cannot_answer_now_is_no_sign_of_an_era(http, status):
    endpoint = legacy(server__discover=Said(status=status))
    with answering(endpoint) as url, pytest.raises(NoSessionError) as caught:
        open_http(http, url)
    assert caught.value.rule == "unreachable"
    assert set(endpoint.methods) == {"server/discover"}


NO_HANDSHAKE = {
    "gate page": (html(200), "HTML page"),
    "404 page": (html(404), "HTTP 404 and an HTML page"),
    "empty": (Said(), "empty body"),
    "JSON": (Said(body=b'{"name":"x"}'), "no JSON-RPC message"),
    "500": (Said(status=500), "HTTP 500"),
    "redirect": (
        Said(status=302, headers={"Location": "https://login.test/in?token=abc"}),
        "redirect to https://login.test/in,",
    ),
    "error": (lambda asked: error(asked, -32603, "boom"), "-32603: boom"),
    "not JSON": (Said(body=b'{"jsonrpc"'), "no JSON"),
    "another id": (Said(body=b'{"jsonrpc":"2.0","id":99,"result":{}}'), "another id"),
}


@pytest.mark.parametrize(("answer", "said"), NO_HANDSHAKE.values(), ids=NO_HANDSHAKE)
def test_a_handshake_that_fails_says_why(http, answer, said):
    with answering(legacy(server__discover=answer, initialize=answer)) as url, pytest.raises(NoSessionError) as caught:
        open_http(http, url)
    assert caught.value.rule == "handshake-failed"
    assert said in str(caught.value)
    assert "abc" not in str(caught.value)


# Sessions.


def test_a_session_that_is_lost_is_begun_again_once(http):
    ids = iter(["first", "second", "third"])
    lost = []

    def listing(asked):
        if asked.headers["mcp-session-id"] == "first":
            lost.append(asked)
            return Said(status=404)
        return result(asked, {"tools": TOOLS})

    endpoint = legacy()
    agreed = endpoint.answers["initialize"]
    endpoint.answers["initialize"] = lambda asked: Said(body=agreed(asked).body, headers={"Mcp-Session-Id": next(ids)})
    endpoint.answers["tools/list"] = listing
    with session_with(endpoint, http) as session:
        assert len(names(session)) == 3
        assert session.session_id == "second"
        assert any("no longer knew the session" in note for note in session.notes)
    initializes = [asked for asked in endpoint.asked if asked.method == "initialize"]
    assert all("mcp-session-id" not in asked.headers for asked in initializes)
    assert len(lost) == 1


def test_a_session_that_is_lost_for_ever_is_an_error(http):
    endpoint = legacy(session="s", tools__list=Said(status=404))
    with session_with(endpoint, http) as session:
        with pytest.raises(ObservationError) as caught:
            names(session)
        with pytest.raises(ObservationError):
            names(session)
    assert caught.value.rule == "list-error"
    assert endpoint.methods.count("initialize") == 2


def test_no_session_is_taken_from_an_error(http):
    bad = Said(status=400, body=b"{}", headers={"Mcp-Session-Id": "from-an-error"})
    endpoint = legacy(server__discover=bad)
    with session_with(endpoint, http) as session:
        names(session)
        assert session.session_id is None
    assert all("mcp-session-id" not in asked.headers for asked in endpoint.asked)


def test_a_session_id_that_may_not_be_sent_back(http):
    with session_with(legacy(session="a b"), http) as session:
        assert session.session_id is None
        assert len(names(session)) == 3


def test_closing_twice_ends_the_session_once(http):
    endpoint = legacy(session="s")
    with answering(endpoint) as url:
        session = open_http(http, url)
        session.close()
        session.close()
    assert endpoint.methods.count("DELETE") == 1


# Streams of events.

PING = {"jsonrpc": "2.0", "id": "srv-1", "method": "ping"}
ROOTS = {"jsonrpc": "2.0", "id": 7, "method": "roots/list"}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


def streamed(*before, **options):
    def answer(asked):
        final = {"jsonrpc": "2.0", "id": asked.id, "result": {"tools": TOOLS}}
        return events(*before, final, **options)

    return answer


def test_an_answer_in_a_stream_split_at_every_byte(http):
    with session_with(legacy(tools__list=streamed("", CHANGED)), http) as session:
        heard = []
        session.on_notice = heard.append
        assert len(names(session)) == 3
        assert [notice.method for notice in session.notices] == ["notifications/tools/list_changed"]
        assert heard == session.notices
        assert session.anomalies == []


@pytest.mark.parametrize("make", [legacy, modern])
def test_an_event_of_another_type_is_no_message(http, make):
    def answer(asked):
        said = streamed()(asked)
        stray = json.dumps({"jsonrpc": "2.0", "id": asked.id, "result": {"tools": []}})
        said.body.insert(0, f"event: ping\ndata: 2026-11-30\n\nevent: foo\ndata: {stray}\n\n".encode())
        return said

    with session_with(make(tools__list=answer), http) as session:
        assert len(names(session)) == 3
        assert [(anomaly.kind, anomaly.detail) for anomaly in session.anomalies] == [("other-event", "event: foo")]


def test_requests_of_a_legacy_server_are_answered(http):
    endpoint = legacy("2025-06-18", session="s", tools__list=streamed(PING, ROOTS))
    endpoint.answers["POST"] = Said(status=202)
    with session_with(endpoint, http) as session:
        assert len(names(session)) == 3
    answers = [asked.message for asked in endpoint.asked if asked.method == "POST"]
    assert answers[0] == {"jsonrpc": "2.0", "id": "srv-1", "result": {}}
    assert (answers[1]["id"], answers[1]["error"]["code"]) == (7, -32601)
    check_http(endpoint.asked, "2025-06-18")
    assert {asked.headers.get("mcp-session-id") for asked in endpoint.asked[2:]} == {"s"}


def test_a_modern_server_gets_no_answers(http):
    endpoint = modern(tools__list=streamed(PING, CHANGED))
    with session_with(endpoint, http) as session:
        assert len(names(session)) == 3
    assert "POST" not in endpoint.methods


def test_an_answer_within_a_batch(http):
    def batch(asked):
        return Said(body=json.dumps([CHANGED, {"jsonrpc": "2.0", "id": asked.id, "result": {"tools": []}}]).encode())

    with session_with(legacy("2025-03-26", tools__list=batch), http) as session:
        assert names(session) == []
        assert len(session.notices) == 1


@pytest.mark.parametrize("cut", [False, True])
def test_a_legacy_stream_that_ends_early_is_resumed(http, cut):
    waits = []
    pending = []

    def begin(asked):
        pending.append(asked.id)
        return Said(body=[b"id: e-1\nretry: 250\ndata:\n\n"], kind="text/event-stream", cut=cut)

    def resume(asked):
        if asked.headers["last-event-id"] == "e-1":
            return Said(body=[b"id: e-2\ndata:\n\n"], kind="text/event-stream")
        return events({"jsonrpc": "2.0", "id": pending[0], "result": {"tools": TOOLS}})

    endpoint = legacy(session="s", tools__list=begin, GET=resume)
    with session_with(endpoint, http, sleep=waits.append) as session:
        assert len(names(session)) == 3
    assert waits == [0.25, 0.25]
    resumed = [asked for asked in endpoint.asked if asked.verb == "GET"]
    assert [asked.headers["last-event-id"] for asked in resumed] == ["e-1", "e-2"]
    assert {asked.headers["mcp-session-id"] for asked in resumed} == {"s"}
    assert {asked.headers["mcp-protocol-version"] for asked in resumed} == {"2025-11-25"}


@pytest.mark.parametrize(
    "endpoint",
    [
        modern(tools__list=Said(body=[b"id: 1\ndata:\n\n"], kind="text/event-stream", cut=True)),
        modern(tools__list=Said(body=[b"id: 1\ndata:\n\n"], kind="text/event-stream")),
        legacy(tools__list=Said(body=[b": nothing\n\n"], kind="text/event-stream", cut=True)),
        legacy(tools__list=Said(body=[b"id: 1\ndata:\n\n"], kind="text/event-stream"), GET=Said(status=405)),
    ],
)
def test_a_stream_that_is_lost(http, endpoint):
    with session_with(endpoint, http, sleep=lambda _: None) as session, pytest.raises(ObservationError) as caught:
        names(session)
    assert (caught.value.rule, caught.value.args_by_name["kind"]) == ("timed-out", "stream-cut")
    # The modern era knows no resuming, and without an id there is nothing to resume from.
    assert endpoint.methods.count("GET") == ("GET" in endpoint.answers and "initialize" in endpoint.methods)


def test_a_wait_that_is_longer_than_there_is_time(http):
    begin = Said(body=[b"id: 1\nretry: 86400000\ndata:\n\n"], kind="text/event-stream")
    with session_with(legacy(tools__list=begin), http) as session, pytest.raises(ObservationError, match="86400 s"):
        names(session)


def test_a_body_that_is_cut_in_the_middle(http):
    endpoint = legacy(tools__list=Said(body=b'{"jsonrpc":', cut=True))
    with session_with(endpoint, http) as session, pytest.raises(ObservationError) as caught:
        names(session)
    assert caught.value.rule == "unreachable"


def test_a_stream_without_end_is_given_up_in_time():
    def endless(asked):
        def keep_alive():
            while True:
                yield b": still here\n\n"

        return Said(body=keep_alive(), kind="text/event-stream")

    with (
        HttpClient(timeout=5, deadline=Deadline(10)) as http,
        session_with(legacy(tools__list=endless), http, timeout=5) as session,
        pytest.raises(ObservationError) as caught,
    ):
        session.request("tools/list", timeout=0.3)
    assert caught.value.rule == "timed-out"


# Answers that are wrong.


def test_an_error_keeps_code_data_and_status(http):
    endpoint = legacy(tools__list=lambda asked: error(asked, -32603, "boom", 500, {"trace": "x"}))
    with session_with(endpoint, http) as session, pytest.raises(RpcError) as caught:
        names(session)
    assert (caught.value.rule, caught.value.code, caught.value.status) == ("list-error", -32603, 500)
    assert caught.value.data == {"trace": "x"}


WRONG = {
    "page": (html(200), "list-error"),
    "empty": (Said(), "list-error"),
    "no JSON": (Said(body=b'{"jsonrpc":"2.0",'), "wire-corrupt"),
    "wrong id": (Said(body=b'{"jsonrpc":"2.0","id":77,"result":{"tools":[]}}'), "wire-corrupt"),
    "id as text": (
        lambda asked: Said(body=json.dumps({"jsonrpc": "2.0", "id": str(asked.id), "result": {}}).encode()),
        "wire-corrupt",
    ),
    "too deep": (Said(body=b'{"jsonrpc":"2.0","id":3,"result":' + b"[" * 9000 + b"]" * 9000 + b"}"), "limit-exceeded"),
    "404": (html(404), "list-error"),
    "429": (Said(status=429), "unreachable"),
    "header mismatch": (lambda asked: error(asked, -32020, status=400), "header-mismatch"),
}


@pytest.mark.parametrize(("answer", "rule"), WRONG.values(), ids=WRONG)
def test_a_list_that_cannot_be_had(http, answer, rule):
    with session_with(modern(tools__list=answer), http) as session, pytest.raises(ObservationError) as caught:
        names(session)
    assert caught.value.rule == rule


def test_a_second_answer_is_told_as_what_it_is(http):
    def twice(asked):
        answer = {"jsonrpc": "2.0", "id": asked.id, "result": {"tools": []}}
        return Said(body=json.dumps([answer, answer]).encode())

    with session_with(legacy(tools__list=twice), http) as session:
        assert names(session) == []
        assert [(seen.kind, seen.detail) for seen in session.anomalies] == [("wrong-id", "a second answer with id 3")]


def test_how_long_a_server_asks_to_wait_is_told(http):
    endpoint = legacy(server__discover=Said(status=429, headers={"Retry-After": "3600"}))
    with answering(endpoint) as url, pytest.raises(NoSessionError) as caught:
        open_http(http, url)
    assert str(caught.value) == "The server answered server/discover with HTTP 429 and asks to wait 3600 s."
    assert len(endpoint.asked) == 1


def test_a_wrong_id_in_a_stream_is_reported_and_waited_past(http):
    stray = {"jsonrpc": "2.0", "id": 99, "result": {}}
    with session_with(legacy(tools__list=streamed(stray)), http) as session:
        assert len(names(session)) == 3
        assert [anomaly.kind for anomaly in session.anomalies] == ["wrong-id"]


@pytest.mark.parametrize("kind", ["input_required", "something/else", 5, None])
def test_a_result_that_is_not_final(http, kind):
    unfinished = lambda asked: result(asked, {"resultType": kind, "tools": []})  # noqa: E731
    with session_with(modern(tools__list=unfinished), http) as session, pytest.raises(ObservationError, match="type"):
        names(session)


def test_flaws_of_an_answer_are_placed_by_its_label(http):
    body = b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"a","description":"\\ud800"}]}}'
    with session_with(modern(tools__list=lambda asked: Said(body=body % asked.id)), http) as session:
        session.request("tools/list", label="page 2")
        assert [(flaw.kind, flaw.where) for flaw in session.anomalies] == [
            ("lone-surrogate", "page 2 /tools/0/description")
        ]


def test_a_call_names_its_tool_and_mirrors_its_arguments(http):
    tool = {"name": "pick", "inputSchema": {"properties": {"row": {"type": "string", "x-mcp-header": "Row"}}}}
    endpoint = modern(tools__call=lambda asked: result(asked, {"content": []}))
    with session_with(endpoint, http) as session:
        session.request("tools/call", {"name": "pick", "arguments": {"row": "näch"}}, tool=tool)
    headers = endpoint.asked[-1].headers
    assert (headers["mcp-name"], headers["mcp-param-row"]) == ("pick", "=?base64?bsOkY2g=?=")
    check_http(endpoint.asked, MODERN)


# HTTP+SSE of 2024-11-05.


class Old(Endpoint):
    """A server of the old transport: answers go onto the stream that was opened by GET."""

    def __init__(self, *, endpoint="/messages?id=1", direct=False, status=405):
        import queue

        self.stream = queue.Queue()
        self.endpoint = endpoint
        self.direct = direct
        self.honest = legacy("2024-11-05").answers
        self.status = status
        super().__init__({})

    def answer(self, asked):
        self.asked.append(asked)
        if asked.verb == "GET":
            return Said(body=self.pieces(), kind="text/event-stream")
        if asked.path == "/mcp":
            return html(self.status)
        said = self.honest[asked.method]
        said = said(asked) if callable(said) else said
        if self.direct:
            return said
        self.stream.put(said.body)
        return Said(status=202, body=b"Accepted", kind="text/plain")

    def pieces(self):
        yield f"event: endpoint\r\ndata: {self.endpoint}\r\n\r\n".encode()
        while (body := self.stream.get()) is not None:
            yield b": ping\n\n" + (b"data: " + body + b"\n\n" if body else b"")


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("status", [400, 404, 405])
def test_the_old_transport_is_the_last_resort(http, direct, status):
    endpoint = Old(direct=direct, status=status)
    with session_with(endpoint, http, timeout=5) as session:
        assert session.protocol_version == "2024-11-05"
        assert len(names(session)) == 3
        assert any("HTTP+SSE" in note for note in session.notes)
        endpoint.stream.put(None)
    assert [asked.path for asked in endpoint.asked][3:] == ["/messages?id=1"] * 3


@pytest.mark.parametrize("elsewhere", ["http://127.0.0.1:1/messages", "https://evil.test/m", "http://[bad"])
def test_an_endpoint_on_another_origin_is_not_spoken_to(http, elsewhere):
    endpoint = Old(endpoint=elsewhere)
    with answering(endpoint) as url, pytest.raises(NoSessionError, match="another origin"):
        open_http(http, url)
    endpoint.stream.put(None)


def test_a_modern_refusal_does_not_lead_to_the_old_transport(http):
    named = {"supported": ["1900-01-01"]}
    endpoint = modern(server__discover=html(404), initialize=lambda asked: error(asked, -32022, status=400, data=named))
    with answering(endpoint) as url, pytest.raises(NoSessionError):
        open_http(http, url)
    assert "GET" not in endpoint.methods

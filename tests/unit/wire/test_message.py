"""Messages: built for both eras, and read whatever came."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.wire.message import MAX_JOINED, Message, answer, encode, notification, read, refusal, request, understand

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def kinds(payload):
    return [oddity.kind for oddity in payload.oddities]


def test_what_we_build():
    assert request(1, "tools/list") == {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert request(1, "tools/list", {}) == {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    assert "id" not in notification("notifications/initialized")
    assert answer("s-1", {}) == {"jsonrpc": "2.0", "id": "s-1", "result": {}}
    assert refusal(7, -32601, "no")["error"] == {"code": -32601, "message": "no"}


@given(JSON)
def test_what_was_built_is_read_back(value):
    message = request(3, "m", {"value": value})
    (found,) = read(encode(message), "here").messages
    assert found.raw == message
    assert (found.kind, found.id, found.method) == ("request", 3, "m")


@given(st.text(alphabet=st.characters(), max_size=30))
def test_a_message_is_one_line_of_ascii_and_keeps_every_text(cursor):
    line = encode(request(1, "tools/list", {"cursor": cursor}))
    assert b"\n" not in line
    assert line.isascii()
    assert json.loads(line)["params"]["cursor"] == cursor


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, "result"),
        ({"jsonrpc": "2.0", "id": 1, "result": None}, "result"),
        ({"jsonrpc": "2.0", "id": 1, "result": {}, "error": None}, "result"),
        ({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": ""}}, "error"),
        ({"jsonrpc": "2.0", "id": 1, "error": "no"}, "error"),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, "request"),
        ({"jsonrpc": "2.0", "method": "ping"}, "notification"),
        ({"jsonrpc": "2.0", "method": 3, "id": 1}, None),
        ({"jsonrpc": "1.0", "id": 1, "result": {}}, None),
        ({"level": "info", "method": "GET"}, None),
        ({"jsonrpc": "2.0"}, None),
        ("hello", None),
        (None, None),
    ],
)
def test_what_an_object_is(entry, kind):
    found = understand(entry)
    assert (found.kind if found else None) == kind


@pytest.mark.parametrize(
    ("given_id", "is_ours"),
    [(1, True), (1.0, True), ("1", False), (True, False), (None, False), (2, False), ([1], False)],
)
def test_an_answer_is_ours_by_value_and_type_of_its_id(given_id, is_ours):
    message = understand({"jsonrpc": "2.0", "id": given_id, "result": {}})
    assert message.answers(1) is is_ours


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ({"code": -32601, "message": "no"}, -32601, "no"),
        ({"code": "-32601", "message": 5}, None, ""),
        ({"code": True}, None, ""),
        ("broken", None, '"broken"'),
        (None, None, "null"),
    ],
)
def test_a_malformed_error_is_still_an_error(body, code, message):
    found = understand({"jsonrpc": "2.0", "id": 1, "error": body})
    assert (found.error.code, found.error.message) == (code, message)


def test_a_batch_is_read_and_what_is_none_in_it_reported():
    payload = read(b'[{"jsonrpc":"2.0","id":1,"result":{}},7,{"jsonrpc":"2.0","method":"n"}]', "body")
    assert [message.kind for message in payload.messages] == ["result", "notification"]
    assert kinds(payload) == ["junk-line"]


def test_joined_messages_are_all_read_and_reported():
    one, two = encode(request(1, "a")), encode(request(2, "b"))
    payload = read(b"\xef\xbb\xbf" + one + two + two, "line")
    assert [message.method for message in payload.messages] == ["a", "b", "b"]
    assert kinds(payload) == ["joined-json", "joined-json"]


def test_a_flood_of_joined_values_is_bounded():
    payload = read(b"{}" * 10_000, "line")
    assert len(payload.oddities) <= 2 * MAX_JOINED


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"Listening on port 3000", ["junk-line"]),
        (b'{"jsonrpc":"2.0","id":1,"res', ["invalid-json"]),
        (b"\xff\xfe", ["junk-line"]),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":NaN}}', ["non-finite-number"]),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}', ["duplicate-key"]),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800"}}', ["lone-surrogate"]),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{}}', ["bom"]),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":"\xff"}}', ["invalid-utf8", "lone-surrogate"]),
    ],
)
def test_flaws_are_named(data, expected):
    found = kinds(read(data, "line"))
    assert found[: len(expected)] == expected or set(found) <= set(expected)


def test_a_flaw_says_where_it_is():
    payload = read(b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{"n":Infinity}]}}', "stdout line 4")
    (oddity,) = payload.oddities
    assert (oddity.where, oddity.pointer) == ("stdout line 4", "/result/tools/0/n")


def test_too_deep_and_too_large_are_problems_and_no_crash():
    deep = b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert read(deep, "x").problem.reason == "too-deep"
    assert read(b"[1,2,3]", "x", max_bytes=3).problem.reason == "too-large"


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail(data):
    payload = read(data, "x")
    assert payload.size == len(data)
    assert payload.messages == () or not payload.problem or payload.oddities


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"code": -32601, "message": "no"}, "JSON-RPC error -32601: no"),
        ({"code": -32601}, "JSON-RPC error -32601"),
        ({"code": "x", "message": "no"}, "a JSON-RPC error without a valid code: no"),
        ("text", 'a JSON-RPC error without a valid code: "text"'),
    ],
)
def test_an_error_in_words(error, words):
    assert str(Message(kind="error", raw={"error": error}).error) == words

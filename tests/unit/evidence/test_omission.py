"""What of a message is recorded: no text of arguments and results, whatever their shape; all that lists depend on."""

import json

from hypothesis import given
from hypothesis import strategies as st

from diagnose.evidence.imprint import Imprint
from diagnose.evidence.omission import Omission, broken_json
from diagnose.evidence.redact import Redactor
from diagnose.surface import Tool

TEXT = st.text(st.characters(codec="utf-8", categories=["L", "N"]), max_size=8).map(lambda text: f"zq{text}")
JSON = st.recursive(
    TEXT | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)
METHODS = st.sampled_from(
    [
        "tools/call",
        "resources/read",
        "completion/complete",
        "sampling/createMessage",
        "tasks/result",
        "orchard/own",
        "zq",
    ]
)


def reduce(message, method=None, *, payloads=False):
    redactor = Redactor()
    omission = Omission(Imprint(b"k" * 32, redactor), redactor, payloads=payloads)
    return omission, omission.message(message, lambda known: method)


def kept(value):
    return json.dumps(value, ensure_ascii=False).count("zq")


@given(JSON, METHODS)
def test_no_text_of_arguments_is_toldbut_their_names(value, method):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"arguments": {"row": value}, "other": value}}
    _, reduced = reduce(message)
    assert kept({**reduced, "method": ""}) == 0
    assert set(reduced["params"]["arguments"]) <= {"row", "$omitted"}


@given(JSON, METHODS | st.none(), st.sampled_from(["content", "structuredContent", "contents", "anything"]))
def test_no_text_of_a_result_is_kept(value, method, member):
    assert kept(reduce({"jsonrpc": "2.0", "id": 1, "result": {member: value}}, method)[1]) == 0
    assert (
        kept(
            reduce({"jsonrpc": "2.0", "id": 1, "result": value if not isinstance(value, dict) else [value]}, method)[1]
        )
        == 0
    )


@given(JSON, METHODS | st.sampled_from(["tools/list", "initialize"]))
def test_no_text_of_an_error_is_kept(value, method):
    body = {"code": -32603, "message": json.dumps(value, ensure_ascii=False), "data": value, "more": value}
    assert kept(reduce({"jsonrpc": "2.0", "id": 1, "error": body}, method)[1]) == 0


@given(JSON)
def test_what_is_no_message_is_left_out_whole(value):
    wrapped = [[value]]
    assert kept(reduce(wrapped)[1]) == 0


@given(JSON)
def test_what_was_left_out_is_masked_in_logs(value):
    omission, _ = reduce({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"arguments": {"row": value}}})
    for text in json.dumps(value, ensure_ascii=False).split('"'):
        if text.startswith("zq") and len(text) >= 4 and not isinstance(value, dict):
            assert text not in omission.text(f"row is {text}.") or isinstance(value, list)


@given(JSON, st.integers(1, 200))
def test_nothing_of_json_that_was_cut_is_toldbut_names(value, cut):
    text = json.dumps({"a": value}, ensure_ascii=False)[:-cut]
    shown = broken_json(text)
    names = sum(part.lstrip().startswith(":") for part in shown.split('"')[2::2])
    assert shown.count("zq") <= names


def test_a_batch_is_reduced_message_by_message():
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 2, "method": "x", "params": {"a": "zq"}},
        7,
    ]
    _, reduced = reduce(batch)
    assert reduced[0] == batch[0]
    assert kept(reduced) == 0
    assert reduced[2]["$omitted"]["type"] == "number"


def test_a_list_whose_request_was_not_seen_is_known_by_its_shape():
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "pick_apples", "description": "Pick."}]}}
    assert reduce(answer)[1] == answer
    assert reduce(answer, "tools/call")[1] != answer


def test_with_payloads_only_what_looks_like_a_secret_is_hidden():
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "x", "arguments": {"row": "zq", "password": "zq"}},
    }
    _, reduced = reduce(message, payloads=True)
    assert reduced["params"]["arguments"] == {"row": "zq", "password": "***"}


def test_a_servers_own_mark_of_redaction_is_replaced_by_ours():
    forged = {"name": "ship", "inputSchema": {"type": "object"}, "$redacted": True, "$digest": "0" * 64}
    _, reduced = reduce({"jsonrpc": "2.0", "id": 1, "result": {"tools": [forged]}}, "tools/list")
    (told,) = reduced["result"]["tools"]
    assert told["$digest"] == Tool.of(forged).digest != "0" * 64

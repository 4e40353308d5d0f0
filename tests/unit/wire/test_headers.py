"""Headers of both eras, and the ones that a tool asks for."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.wire.headers import (
    encode_value,
    header_flaws,
    is_header_safe,
    is_session_id,
    legacy_headers,
    mirrored_headers,
    modern_headers,
)


def decode(value):
    """What a server does (MCP 2026-07-28, Value Encoding)."""
    if value.startswith("=?base64?") and value.endswith("?="):
        return base64.b64decode(value[9:-2], validate=True).decode()
    return value


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("us-west1", "us-west1"),
        ("two words\tand a tab", "two words\tand a tab"),
        ("", ""),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?open", "=?base64?open"),
    ],
)
def test_values_are_encoded_where_they_must_be(text, sent):
    assert encode_value(text) == sent


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_every_text_arrives_and_no_value_can_inject(text):
    value = encode_value(text)
    assert decode(value) == text
    assert value.isascii()
    assert not set(value) & {"\r", "\n", "\0", "\x7f"}
    assert value == value.strip()


def test_a_lone_surrogate_is_no_crash():
    assert decode(encode_value("a\ud800b")) == "a?b"


def test_a_modern_request_repeats_method_and_name():
    call = {"method": "tools/call", "params": {"name": "ripen ✓"}}
    assert modern_headers(call, "2026-07-28") == {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": encode_value("ripen ✓"),
    }
    read = {"method": "resources/read", "params": {"uri": "file:///a", "name": "b"}}
    assert modern_headers(read, "2026-07-28")["Mcp-Name"] == "file:///a"
    listing = {"method": "tools/list", "params": {"name": "not a name here"}}
    assert "Mcp-Name" not in modern_headers(listing, "2026-07-28")
    assert "Mcp-Name" not in modern_headers({"method": "tools/call", "params": {"name": 5}}, "2026-07-28")


def test_a_legacy_request_names_version_and_session_once_there_are_any():
    assert legacy_headers(None, None) == {}
    assert legacy_headers("2025-11-25", "s") == {"MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": "s"}


@pytest.mark.parametrize(
    ("value", "fine"), [("abc-123~!", True), ("", False), ("a b", False), ("a\r\nX: y", False), ("é", False)]
)
def test_a_session_id_is_visible_ascii(value, fine):
    assert is_session_id(value) is fine


@pytest.mark.parametrize(("value", "fine"), [("17", True), ("a b", True), ("", False), (" a", False), ("a\n", False)])
def test_what_a_header_can_carry(value, fine):
    assert is_header_safe(value) is fine


def tool(properties, **schema):
    return {"name": "t", "inputSchema": {"type": "object", "properties": properties, **schema}}


REGION = {"type": "string", "x-mcp-header": "Region"}


@pytest.mark.parametrize(
    ("properties", "arguments", "headers"),
    [
        ({"r": REGION}, {"r": "us"}, {"Mcp-Param-Region": "us"}),
        ({"r": REGION}, {"r": "é"}, {"Mcp-Param-Region": "=?base64?w6k=?="}),
        ({"r": REGION}, {"r": None}, {}),
        ({"r": REGION}, {}, {}),
        ({"n": {"type": "integer", "x-mcp-header": "N"}}, {"n": -7}, {"Mcp-Param-N": "-7"}),
        ({"n": {"type": "integer", "x-mcp-header": "N"}}, {"n": 42.0}, {"Mcp-Param-N": "42"}),
        ({"b": {"type": "boolean", "x-mcp-header": "B"}}, {"b": True}, {"Mcp-Param-B": "true"}),
        ({"o": {"type": "object", "properties": {"r": REGION}}}, {"o": {"r": "x"}}, {"Mcp-Param-Region": "x"}),
        ({"o": {"type": "object", "properties": {"r": REGION}}}, {"o": "no object"}, {}),
        ({"x-mcp-header": {"type": "string"}}, {"x-mcp-header": "v"}, {}),
    ],
)
def test_arguments_are_mirrored(properties, arguments, headers):
    assert header_flaws(tool(properties)) == ()
    assert mirrored_headers(tool(properties), arguments) == headers


@pytest.mark.parametrize(
    "properties",
    [
        {"r": {"type": "string", "x-mcp-header": ""}},
        {"r": {"type": "string", "x-mcp-header": "a b"}},
        {"r": {"type": "string", "x-mcp-header": "a\r\nb"}},
        {"r": {"type": "string", "x-mcp-header": "a:"}},
        {"r": {"type": "string", "x-mcp-header": 5}},
        {"r": {"type": "number", "x-mcp-header": "R"}},
        {"r": {"type": "object", "x-mcp-header": "R"}},
        {"r": {"x-mcp-header": "R"}},
        {"r": REGION, "s": {"type": "string", "x-mcp-header": "REGION"}},
        {"r": {"type": "array", "items": REGION}},
        {"r": {"anyOf": [REGION]}},
        {"r": {"type": "array", "items": {"type": "object", "properties": {"q": REGION}}}},
    ],
)
def test_wrong_annotations_are_found(properties):
    assert header_flaws(tool(properties))


@pytest.mark.parametrize(
    "schema",
    [{"$defs": {"r": REGION}}, {"allOf": [{"properties": {"r": REGION}}]}, {"if": {"properties": {"r": REGION}}}],
)
def test_annotations_that_no_chain_of_properties_reaches_are_found(schema):
    assert header_flaws(tool({}, **schema))


@pytest.mark.parametrize(
    "schema",
    [
        {"default": {"x-mcp-header": "no annotation"}},
        {"examples": [{"x-mcp-header": 5}]},
        {"$defs": {"x-mcp-header": {"type": "string"}}},
    ],
)
def test_data_and_names_are_no_annotations(schema):
    assert header_flaws(tool({}, **schema)) == ()


@pytest.mark.parametrize(
    "strange", [{}, {"inputSchema": None}, {"inputSchema": []}, {"inputSchema": {"properties": 5}}]
)
def test_strange_tools_are_no_crash(strange):
    assert header_flaws(strange) == ()
    assert mirrored_headers(strange, {"a": 1}) == {}


def test_a_very_deep_schema_is_no_crash():
    schema = {"type": "string"}
    for _ in range(3000):
        schema = {"type": "object", "properties": {"a": schema}}
    assert header_flaws({"inputSchema": schema}) == ()

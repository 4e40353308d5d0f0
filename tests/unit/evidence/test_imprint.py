"""What stands in a recording for what it must not hold."""

import pytest

from diagnose.evidence.imprint import Imprint, json_type, raw_fields
from diagnose.evidence.redact import Redactor

IMPRINT = Imprint(b"k" * 32, Redactor())


def test_equal_secrets_stay_tellable_and_no_other_machine_makes_the_same():
    assert IMPRINT.fingerprint("a") == IMPRINT.fingerprint("a") != IMPRINT.fingerprint("b")
    assert Imprint(b"o" * 32, Redactor()).fingerprint("a") != IMPRINT.fingerprint("a")


def test_only_headers_that_are_known_to_be_harmless_are_kept():
    kept = IMPRINT.headers(
        [
            ("Authorization", "Bearer s3"),
            ("X-Anything", "s3"),
            ("Cookie", "a=s3"),
            ("Mcp-Param-Row", "s3"),
            ("Accept", "a"),
            ("accept", "b"),
        ]
    )
    assert kept["accept"] == "a, b"
    assert kept["authorization"] == f"Bearer {IMPRINT.fingerprint('s3')}"
    assert kept["x-anything"] == kept["mcp-param-row"] == IMPRINT.fingerprint("s3")
    assert "s3" not in kept["cookie"]


@pytest.mark.parametrize(("method", "kept"), [("tools/call", True), ("prompts/get", True), ("resources/read", False)])
def test_a_name_is_kept_where_it_is_that_of_a_tool_or_prompt(method, kept):
    headers = IMPRINT.headers([("Mcp-Method", method), ("Mcp-Name", "orchard")])
    assert (headers["mcp-name"] == "orchard") is kept


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("/mcp", "/mcp"),
        ("/mcp?a=1&b", "/mcp?a={1}&{b}"),
        ("/mcp?", "/mcp?"),
        ("https://u:p@orchard.test/mcp#x", "https://orchard.test/mcp"),
        ("/s/abcdefgh12345678ij/mcp", "/s/{abcdefgh12345678ij}/mcp"),
        ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp"),
    ],
)
def test_a_path_is_kept_without_what_may_be_a_key(url, shown):
    for value in ("1", "b", "abcdefgh12345678ij"):
        shown = shown.replace(f"{{{value}}}", IMPRINT.fingerprint(value))
    assert IMPRINT.path(url) == shown


def test_a_value_that_is_left_out_tells_its_size_and_type():
    left = IMPRINT.omitted({"b": 1, "a": 2})["$omitted"]
    assert (left["bytes"], left["type"]) == (13, "object")
    assert left["mac"] == IMPRINT.omitted({"a": 2, "b": 1})["$omitted"]["mac"]
    assert [json_type(value) for value in (None, True, 1, 1.5, "", [], {})] == [
        "null",
        "boolean",
        "number",
        "number",
        "string",
        "array",
        "object",
    ]


def test_raw_bytes_are_text_where_they_are_text():
    assert raw_fields(b"ab", 1) == {"text": "a"}
    assert raw_fields(b"\xff", 9) == {"base64": "/w=="}

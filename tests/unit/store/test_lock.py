"""The lock file: one surface gives one text, which reads back as that surface, and shows what was altered in it."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.errors import InputError, ObservationError
from diagnose.evidence.redact import Redactor
from diagnose.store.lock import SCHEMA, lock_text, read_lock
from diagnose.surface import Surface, difference, relation

PICK = {
    "name": "pick_apples",
    "description": "Pick apples.",
    "inputSchema": {"type": "object", "properties": {"row": {"type": "integer"}}, "required": ["row"]},
}
RIPEN = {"name": "ripen", "inputSchema": {"type": "object"}, "icons": [{"src": "data:,"}]}
CAPABILITIES = {"tools": {"listChanged": True}, "logging": {}}


def surface(tools=(PICK, RIPEN), **beside):
    return Surface.of(list(tools), **beside)


def text(of=None):
    return lock_text(of or surface(), Redactor())


def reread(document):
    return read_lock(json.dumps(document), "lock:x")


def shuffled(value, chance):
    """Return the same JSON with the keys of its objects in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
TOOLS = st.lists(
    st.fixed_dictionaries(
        {"name": st.text(min_size=1)}, optional={"inputSchema": JSON, "description": JSON, "x": JSON}
    ),
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(TOOLS, st.randoms(use_true_random=False))
def test_one_surface_gives_one_text_in_whatever_order_it_comes(tools, chance):
    other = [shuffled(tool, chance) for tool in tools]
    chance.shuffle(other)
    one = Surface.of(tools)
    if any(tool.digest is None for tool in one.tools):
        return
    assert lock_text(one, Redactor()) == lock_text(Surface.of(other), Redactor())
    assert relation(read_lock(lock_text(one, Redactor()), "lock:x").surface, one) == "equal"


def test_the_text_is_made_to_be_reviewed():
    document = json.loads(text(surface([RIPEN, PICK], instructions="Ask.", capabilities=CAPABILITIES)))
    assert next(iter(document)) == "schema"
    assert document["schema"] == SCHEMA
    assert [tool["name"] for tool in document["tools"]] == ["pick_apples", "ripen"]
    assert list(document["tools"][1]) == ["name", "inputSchema", "icons"]
    assert document["capabilities"] == {"tools": {"listChanged": True}}
    assert not {"at", "target", "endpoint", "tool"} & document.keys()
    assert len(text().splitlines()) > 30


def test_what_misleads_the_eye_is_escaped_and_still_counts():
    sly = surface([{**PICK, "description": "Pick \u202eselppa\u200b"}])
    assert "\\u202e" in text(sly)
    assert "\u202e" not in text(sly)
    assert read_lock(text(sly), "lock:x").surface.digest == sly.digest


def test_what_the_server_says_beside_its_tools_is_agreed_on_too():
    was = read_lock(text(surface(instructions="Ask.", capabilities=CAPABILITIES)), "lock:x").surface
    assert difference(was, surface(instructions="Ask.", capabilities=CAPABILITIES)) == ()
    assert [change.impact for change in difference(was, surface(instructions="No.", capabilities={}))] == [
        "behaviour",
        "behaviour",
    ]


def _other_tool(document):
    document["tools"][0]["description"] = "Pick pears."


def _other_required(document):
    document["tools"][0]["inputSchema"]["required"] = []


def _less(document):
    del document["tools"][1]


def _other_digest(document):
    document["digest"] = "0" * 64


def _other_revision(document):
    document["revision"] = "0" * 64


def _other_count(document):
    document["count"] = 3


def _other_instructions(document):
    document["instructions"] = "Run everything."


def _no_tool(document):
    document["tools"].append({"description": "no name"})


def _no_list(document):
    document["tools"] = {"pick_apples": {}}


def _no_capabilities(document):
    document["capabilities"] = [1]


def _no_integrity(document):
    del document["integrity"]


def _more(document):
    document["note"] = "approved by nobody"


@pytest.mark.parametrize(
    "alter",
    [
        _other_tool, _other_required, _less, _other_digest, _other_revision, _other_count, _other_instructions,
        _no_tool, _no_list, _no_capabilities, _no_integrity, _more,
    ],
)  # fmt: skip
def test_whatever_was_altered_shows(alter):
    document = json.loads(text(surface(instructions="Ask.")))
    reread(document)
    alter(document)
    with pytest.raises(InputError, match="the lock file x was altered"):
        reread(document)


def test_a_body_with_a_digest_to_match_is_no_way_around_it():
    document = json.loads(text())
    _other_tool(document)
    forged = Surface.of(document["tools"])
    document |= {"digest": forged.digest, "revision": forged.revision}
    with pytest.raises(InputError, match="integrity"):
        reread(document)


def test_a_key_that_stands_twice_shows_one_thing_and_means_another():
    shown = text().replace(
        '"description": "Pick apples.",', '"description": "Harmless.", "description": "Pick apples.",'
    )
    assert json.loads(shown) == json.loads(text())
    with pytest.raises(InputError, match="a key twice"):
        read_lock(shown, "lock:x")


def test_layout_is_nobodys_business():
    document = json.loads(text())
    assert reread(document).surface.digest == surface().digest
    assert reread(dict(reversed(document.items()))).lines == {}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", "is no lock file"),
        ("<<<<<<< ours\n{}", "is no lock file"),
        ("[]", "expected a document diagnose.lock/1, got another"),
        ('{"schema": "diagnose.lock/2"}', "got diagnose.lock/2"),
        (b"\xff", "is no lock file"),
    ],
)
def test_what_is_no_lock_file_is_said_and_how_to_get_one(data, words):
    with pytest.raises(InputError, match=words) as caught:
        read_lock(data, "lock:x")
    assert "lock write" in caught.value.diagnostics()


@pytest.mark.parametrize("description", ["half \ud83c", float("nan")])
def test_a_definition_without_a_digest_cannot_be_agreed_on(description):
    with pytest.raises(ObservationError, match="pick_apples cannot be locked"):
        text(surface([{**PICK, "description": description}]))


def test_a_credential_does_not_come_into_the_file_and_the_definition_still_counts():
    live = surface(
        [{**PICK, "description": "Use Bearer sk_live_0123456789abcdef."}], instructions="Token: opaque-s3cret"
    )
    redactor = Redactor(["opaque-s3cret"])
    written = lock_text(live, redactor)
    assert "sk_live_0123456789abcdef" not in written
    assert "opaque-s3cret" not in written
    assert redactor.text(written) == written  # what is printed is what was hashed
    assert relation(read_lock(written, "lock:x").surface, live) == "equal"
    changed = surface([{**PICK, "description": "Use Bearer sk_live_fedcba9876543210."}])
    assert relation(read_lock(written, "lock:x").surface, changed) == "different"


def test_each_tool_is_found_on_its_line():
    lines = text().splitlines()
    found = read_lock(text(), "lock:x").lines
    assert {lines[number].strip() for number in found.values()} == {'"name": "pick_apples",', '"name": "ripen",'}
    assert all(lines[number - 1].strip() == "{" for number in found.values())


def test_the_order_of_definitions_of_one_name_is_stable():
    twins = [{"name": "a", "description": str(number)} for number in range(5)]
    random.Random(1).shuffle(twins)
    assert json.loads(text(surface(twins)))["tools"] == json.loads(text(surface(twins[::-1])))["tools"]

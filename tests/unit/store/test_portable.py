"""Snapshots go from machine to machine in one document, and come out of it as they went in, or not at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnose.errors import InputError
from diagnose.store.portable import read_document, write_document
from diagnose.store.snapshots import SnapshotStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from diagnose.store.snapshot import Snapshot

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=4), children, max_size=3),
    max_leaves=8,
)


def text_of(value: Any) -> str:
    """Return a text that is equal for equal JSON, NaN included."""
    return json.dumps(value)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tools=st.lists(_VALUES | st.dictionaries(st.sampled_from(["name", "x"]), _VALUES), max_size=4), said=_VALUES)
def test_every_snapshot_survives_the_way(snapshot: Callable[..., Snapshot], tools: list[Any], said: Any) -> None:
    sent = snapshot(tools, ttl_ms=said, server_info={"x": said})
    data = write_document([sent])
    json.loads(data, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    (got,) = read_document(data, "a.json")
    assert got.id == sent.id
    assert got.bodies == sent.bodies
    assert text_of(got.record.ttl_ms) == text_of(sent.record.ttl_ms)
    assert text_of(got.record.server_info) == text_of(sent.record.server_info)


def test_the_document_does_not_depend_on_the_order_and_holds_each_definition_once(
    snapshot: Callable[..., Snapshot],
) -> None:
    one, two = snapshot(), snapshot([{"name": "other"}], minute=5)
    data = write_document([one, two, snapshot(minute=1)])
    assert data == write_document([snapshot(minute=1), two, one])
    parsed = json.loads(data)
    assert parsed["schema"] == "diagnose.snapshots/1"
    assert next(iter(parsed)) == "schema"
    assert [each["at"][14:16] for each in parsed["snapshots"]] == ["00", "01", "05"]
    assert len(parsed["definitions"]) == 3


def test_a_document_is_taken_in_once(snapshot: Callable[..., Snapshot], place: Path) -> None:
    data = write_document([snapshot(), snapshot(minute=1)])
    with SnapshotStore.open(place) as store:
        assert store.add(read_document(data, "a.json")) == 2
        assert store.add(read_document(data, "a.json")) == 0
        assert write_document(store.get(record.id) for record in store.list()) == data


def _edited(data: bytes, edit: Callable[[dict[str, Any]], object]) -> bytes:
    parsed = json.loads(data)
    edit(parsed)
    return json.dumps(parsed).encode()


def _first(parsed: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = parsed["snapshots"][0]
    return entry


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda parsed: parsed.pop("definitions"), "come without definitions"),
        (lambda parsed: parsed.update(schema="diagnose.diff/1"), "expected a document diagnose.snapshots/1"),
        (lambda parsed: parsed.pop("snapshots"), "not complete"),
        (lambda parsed: parsed.update(snapshots=7), "not complete"),
        (lambda parsed: parsed.update(definitions=[]), "not complete"),
        (lambda parsed: parsed["definitions"].popitem(), "not complete"),
        (lambda parsed: next(iter(parsed["definitions"].values()))["body"].update(x=1), "was altered"),
        (lambda parsed: next(iter(parsed["definitions"].values())).update(text="{"), "was altered"),
        (lambda parsed: _first(parsed)["entries"].reverse(), "was altered"),
        (lambda parsed: _first(parsed).update(at="2026-11-30T12:00:00.001Z"), "was altered"),
        (lambda parsed: _first(parsed).update(digest="0" * 64), "was altered"),
        (lambda parsed: _first(parsed).update(principal="sk_live_1"), "expected the principal"),
        (lambda parsed: _first(parsed).update(at=7), "not complete"),
        (lambda parsed: _first(parsed).update(era="roman"), "no valid era"),
        (lambda parsed: _first(parsed).update(capabilities=[]), "no valid capabilities"),
        (lambda parsed: _first(parsed).update(instructions=1), "no valid instructions"),
        (lambda parsed: _first(parsed).update(revision="x"), "no valid revision"),
        (lambda parsed: _first(parsed).update(count=1.5), "no valid count"),
        (lambda parsed: _first(parsed).update(complete="yes"), "no valid complete"),
        (lambda parsed: _first(parsed).update(target=None), "not complete"),
        (lambda parsed: _first(parsed)["target"].update(id=7), "not complete"),
    ],
)
def test_a_document_that_was_altered_is_refused_whole(
    snapshot: Callable[..., Snapshot], edit: Callable[[dict[str, Any]], object], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        read_document(_edited(write_document([snapshot()]), edit), "a.json")


def test_a_forged_digest_is_found_even_with_its_own_id(snapshot: Callable[..., Snapshot]) -> None:
    """The id covers what a snapshot says of itself; that its digest is that of its tools is checked beside that."""
    from dataclasses import replace

    from diagnose.store.snapshot import identified

    honest = snapshot()
    forged = identified(replace(honest.record, digest="0" * 64), honest.bodies)
    with pytest.raises(InputError, match="its digest or revision is not that of its tools"):
        read_document(write_document([forged]), "a.json")


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"schema": 1}', b"\xff", b"[" * 5000])
def test_what_is_no_such_document_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^a\.json "):
        read_document(data, "a.json")

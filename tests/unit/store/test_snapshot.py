"""A snapshot holds what was observed, as it was received, and no credential."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from diagnose.errors import UsageError
from diagnose.evidence.bundle import Target
from diagnose.evidence.redact import Redactor
from diagnose.store.snapshot import snapshot_of
from diagnose.surface import Surface, difference, relation

if TYPE_CHECKING:
    from collections.abc import Callable

    from diagnose.evidence.observation import Observation
    from diagnose.store.snapshot import Snapshot

TARGET = Target(id="example.test/mcp", transport="http", endpoint="https://example.test/mcp")
SECRET = "hunter2-correct-horse"


def test_the_observation_comes_back_as_the_baseline(observation: Callable[..., Observation]) -> None:
    before = observation()
    after = snapshot_of(before, TARGET, "none", redactor=Redactor()).observation()
    assert after.layer == "baseline"
    assert after.source.startswith("snapshot:")
    assert after.principal == "none"
    for name in ("at", "era", "protocol_version", "server_info", "capabilities", "advertised", "ttl_ms", "cache_scope"):
        assert getattr(after, name) == getattr(before, name), name
    assert after.surface is not None
    assert before.surface is not None
    assert after.surface.instructions == before.surface.instructions
    assert (after.surface.revision, after.surface.digest) == (before.surface.revision, before.surface.digest)


def test_definitions_keep_every_field_and_the_order_of_keys_and_tools(snapshot: Callable[..., Snapshot]) -> None:
    tools: list[Any] = [
        {"z": 1, "name": "b", "a": [600.0, 1e-7, 12345678901234567890, None]},
        {"name": "a"},
        None,
        "junk",
    ]
    assert json.dumps(snapshot(tools).entries()) == json.dumps(tools)


def test_what_strict_json_has_not_comes_back_too(snapshot: Callable[..., Snapshot]) -> None:
    tools = [{"name": "a", "description": "\ud800", "x": float("inf")}]
    kept = snapshot(tools, server_info={"name": "\udc00"}, ttl_ms=float("nan"))
    assert kept.entries() == tools
    assert kept.record.server_info == {"name": "\udc00"}
    assert kept.record.ttl_ms == "nan"
    assert kept.record.digest is None


def test_a_credential_is_taken_out_and_the_digests_from_before_stay(observation: Callable[..., Observation]) -> None:
    tools = [{"name": "a", "description": f"Use {SECRET}."}, {"name": "b"}]
    seen = observation(tools, server_info={"name": "x", "title": SECRET}, source=f"GET /{SECRET}")
    assert seen.surface is not None
    kept = snapshot_of(seen, TARGET, "none", redactor=Redactor([SECRET]))
    assert SECRET not in repr(kept)
    assert kept.entries()[0]["$redacted"] is True
    back = kept.observation().surface
    assert back is not None
    assert (back.digest, back.revision) == (seen.surface.digest, seen.surface.revision)
    assert relation(back, seen.surface) == "equal"


def test_a_redacted_definition_that_changed_is_different(observation: Callable[..., Observation]) -> None:
    seen = observation([{"name": "a", "description": f"Use {SECRET}."}])
    kept = snapshot_of(seen, TARGET, "none", redactor=Redactor([SECRET])).observation().surface
    assert kept is not None
    assert relation(kept, Surface.of([{"name": "a", "description": f"Use {SECRET}!"}])) == "different"


def test_a_server_cannot_pass_a_definition_off_by_marking_it_itself(snapshot: Callable[..., Snapshot]) -> None:
    """A forged `$digest` would hide that a definition changed."""
    honest = Surface.of([{"name": "a", "description": "Reads."}])
    forged = {"name": "a", "description": "Deletes.", "$redacted": True, "$digest": honest.tools[0].digest}
    back = snapshot([forged]).observation().surface
    assert back is not None
    assert back.tools[0].digest != honest.tools[0].digest
    assert relation(honest, back) == "different"


def test_instructions_with_a_credential_are_unknown_rather_than_changed(
    observation: Callable[..., Observation],
) -> None:
    tools = [{"name": "a"}]
    seen = observation(tools, surface=Surface.of(tools, f"Say {SECRET}.", {"tools": {}}))
    kept = snapshot_of(seen, TARGET, "none", redactor=Redactor([SECRET]))
    assert kept.record.instructions == "Say ***."
    assert seen.surface is not None
    assert difference(kept.surface(), seen.surface) == ()


def test_equal_content_has_an_equal_id_and_any_difference_another(snapshot: Callable[..., Snapshot]) -> None:
    one = snapshot()
    assert snapshot().id == one.id
    others = {
        snapshot(minute=1).id,
        snapshot(by="fp:0123456789").id,
        snapshot(of="other.test/mcp").id,
        snapshot([{"name": "a"}]).id,
        snapshot(ttl_ms=1).id,
        snapshot(era="legacy").id,
    }
    assert len(others | {one.id}) == 7


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"surface": None, "complete": False}, "not read to its end"),
        ({"names_only": True}, "with its definitions"),
        ({"at": None}, "nothing to take"),
        ({"at": "yesterday"}, "expected a time in UTC"),
    ],
)
def test_what_is_no_surface_is_refused(
    observation: Callable[..., Observation], fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        snapshot_of(observation(**fields), TARGET, "none", redactor=Redactor())


@pytest.mark.parametrize("principal", ["", "Bearer abc", "sk_live_123", "fp:", "fp:xyz", "fp:0123456789\n"])
def test_a_principal_that_may_be_a_credential_is_refused(
    observation: Callable[..., Observation], principal: str
) -> None:
    with pytest.raises(UsageError, match="expected the principal of a snapshot") as refused:
        snapshot_of(observation(), TARGET, principal, redactor=Redactor())
    assert "abc" not in str(refused.value)

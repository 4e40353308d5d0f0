"""The store finds what it was given, keeps each definition once, and lets go of what nobody refers to."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from diagnose.errors import InputError, UsageError
from diagnose.evidence.bundle import Target
from diagnose.evidence.redact import Redactor
from diagnose.store.errors import StoreError
from diagnose.store.snapshot import identified
from diagnose.store.snapshots import SnapshotStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from diagnose.evidence.observation import Observation
    from diagnose.store.snapshot import Snapshot

TARGET = Target(id="example.test/mcp", transport="http", endpoint="https://example.test/mcp")
ALICE, BOB = "fp:aaaaaaaaaa", "fp:bbbbbbbbbb"


@pytest.fixture
def store(place: Path) -> Iterator[SnapshotStore]:
    with SnapshotStore.open(place) as opened:
        yield opened


def _count(place: Path, table: str) -> int:
    connection = sqlite3.connect(place)
    try:
        found: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return found
    finally:
        connection.close()


def _minutes(records: tuple[Any, ...]) -> list[int]:
    return [int(record.at[14:16]) for record in records]


def test_what_was_taken_is_found_by_target_id_and_prefix(
    store: SnapshotStore, observation: Callable[..., Observation]
) -> None:
    taken = store.take(observation(), TARGET, ALICE, redactor=Redactor())
    assert store.latest(TARGET.id, ALICE) == taken
    assert store.get(taken.id) == taken
    assert store.get(taken.id[:4]) == taken
    assert store.list() == (taken.record,)


def test_the_latest_is_of_one_principal_and_complete(store: SnapshotStore, snapshot: Callable[..., Snapshot]) -> None:
    old, new = snapshot(minute=1, by=ALICE), snapshot(minute=2, by=ALICE)
    store.add([new, old, snapshot(minute=3, by=BOB), snapshot(minute=4, by=ALICE, complete=False)])
    assert store.latest(TARGET.id, ALICE) == new
    assert store.latest(TARGET.id, "none") is None
    assert store.latest("other.test/mcp", ALICE) is None


def test_the_latest_may_be_asked_for_in_one_era(store: SnapshotStore, snapshot: Callable[..., Snapshot]) -> None:
    legacy = snapshot(era="legacy")
    store.add([legacy, snapshot(minute=1)])
    assert store.latest(TARGET.id, "none", era="legacy") == legacy


def test_of_two_at_one_moment_the_one_stored_last_is_the_latest(
    store: SnapshotStore, snapshot: Callable[..., Snapshot]
) -> None:
    last = snapshot([{"name": "b"}])
    store.add([snapshot([{"name": "a"}]), last])
    assert store.latest(TARGET.id, "none") == last


@pytest.mark.parametrize("name", ["", "latest", "A1", "0" * 13, "%", "_", "' OR 1"])
def test_what_is_no_id_is_refused(store: SnapshotStore, name: str) -> None:
    with pytest.raises(InputError, match="no snapshot id"):
        store.get(name)


def test_an_unknown_and_an_ambiguous_id_are_told_apart(store: SnapshotStore, snapshot: Callable[..., Snapshot]) -> None:
    with pytest.raises(InputError, match="there is no snapshot abc"):
        store.get("abc")
    store.add([snapshot(minute=minute) for minute in range(40)])  # more than there are hex digits
    first = store.list()[0].id
    crowded = next(digit for digit in "0123456789abcdef" if sum(r.id.startswith(digit) for r in store.list()) > 1)
    with pytest.raises(InputError, match=f"several snapshots start with {crowded}"):
        store.get(crowded)
    assert store.get(first).id == first


def test_a_definition_is_kept_once_however_often_it_is_seen(
    store: SnapshotStore, place: Path, snapshot: Callable[..., Snapshot]
) -> None:
    tools = [{"name": f"t{number}"} for number in range(50)]
    store.add([snapshot(tools, minute=minute) for minute in range(5)])
    store.add([snapshot([*tools, {"name": "more"}], minute=6)])
    store.add([snapshot(list(reversed(tools)), minute=7), snapshot([tools[0], tools[0]], minute=8)])
    assert _count(place, "definitions") == 51
    assert _count(place, "surfaces") == 4
    assert [entry["name"] for entry in store.get(store.list()[-2].id).entries()] == [f"t{n}" for n in range(49, -1, -1)]
    assert len(store.get(store.list()[-1].id).entries()) == 2


def test_adding_the_same_again_changes_nothing(store: SnapshotStore, snapshot: Callable[..., Snapshot]) -> None:
    assert store.add([snapshot(), snapshot()]) == 1
    assert store.add([snapshot()]) == 0
    assert len(store.list()) == 1


def test_all_are_added_or_none(store: SnapshotStore, snapshot: Callable[..., Snapshot]) -> None:
    def half() -> Iterator[Snapshot]:
        yield snapshot()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.add(half())
    assert store.list() == ()
    assert store.add([snapshot()]) == 1


@pytest.mark.parametrize(
    ("keep", "before", "gone"),
    [
        (2, None, [0, 1]),
        (0, None, [0, 1, 2, 3]),
        (9, None, []),
        (None, 2, [0, 1]),
        (1, 2, [0, 1]),
        (3, 2, [0]),
        (1, 9, [0, 1, 2]),
    ],
)
def test_what_goes_is_beyond_the_newest_and_older_than_the_limit(
    store: SnapshotStore, snapshot: Callable[..., Snapshot], keep: int | None, before: int | None, gone: list[int]
) -> None:
    store.add([snapshot(minute=minute) for minute in range(4)])
    limit = None if before is None else f"2026-11-30T12:{before:02d}:00.000Z"
    assert _minutes(store.prunable(keep=keep, before=limit)) == gone
    assert len(store.list()) == 4
    assert _minutes(store.prune(keep=keep, before=limit)) == gone
    assert _minutes(store.list()) == [minute for minute in range(4) if minute not in gone]


def test_the_newest_are_counted_for_each_target_and_principal(
    store: SnapshotStore, snapshot: Callable[..., Snapshot]
) -> None:
    store.add([snapshot(minute=minute, by=who) for minute in range(3) for who in (ALICE, BOB)])
    store.add([snapshot(of="other.test/mcp")])
    assert len(store.prune(keep=1)) == 4
    assert len(store.prune(keep=0, target_id="other.test/mcp")) == 1
    assert _minutes(store.list()) == [2, 2]


def test_pruning_without_a_limit_is_refused(store: SnapshotStore) -> None:
    with pytest.raises(UsageError, match="nothing says which"):
        store.prune()


def test_what_is_pruned_is_gone_from_the_file(
    store: SnapshotStore, place: Path, snapshot: Callable[..., Snapshot]
) -> None:
    shared, own = {"name": "shared"}, {"name": "own", "description": "only here " * 5000}
    store.add([snapshot([shared, own]), snapshot([shared], minute=1)])
    size = place.stat().st_size
    store.prune(keep=1)
    assert _count(place, "definitions") == _count(place, "surfaces") == _count(place, "members") == 1
    assert b"only here" not in place.read_bytes()
    assert place.stat().st_size < size
    assert store.get(store.list()[0].id).entries() == [shared]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE definitions SET body = replace(body, 'Wait', 'Rush')",
        "UPDATE definitions SET body = CAST(x'ff' AS TEXT)",
        "UPDATE definitions SET body = x'00'",
        "UPDATE members SET position = 1 - position + 10",
        "DELETE FROM members WHERE position = 1",
        "UPDATE snapshots SET principal = 'sk_live_1'",
        "UPDATE snapshots SET at = 7",
        "UPDATE snapshots SET said = '{'",
        "UPDATE snapshots SET said = '[]'",
        "UPDATE snapshots SET said = '{}'",
    ],
)
def test_a_row_that_was_changed_behind_our_back_is_damage(
    store: SnapshotStore, place: Path, snapshot: Callable[..., Snapshot], statement: str
) -> None:
    name = snapshot().id
    store.add([snapshot()])
    connection = sqlite3.connect(place)
    connection.execute(statement)
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="is damaged"):
        store.get(name)


def test_a_target_that_is_no_text_is_refused(store: SnapshotStore, observation: Callable[..., Observation]) -> None:
    """An argument that is no UTF-8 reaches Python as lone surrogates, which SQLite cannot hold."""
    odd = Target(id="\udcff", transport="stdio", endpoint="server")
    with pytest.raises(UsageError, match="no text that can be stored"):
        store.take(observation(), odd, "none", redactor=Redactor())


def test_ids_of_one_machine_do_not_depend_on_it(snapshot: Callable[..., Snapshot]) -> None:
    one = snapshot()
    assert identified(one.record, one.bodies).id == one.id
    assert len(one.id) == 12

"""Operands mean what they look like, and a pair knows which snapshot is the newest one of the server beside it."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from diagnose.errors import DiagnoseError, InputError, UsageError
from diagnose.evidence.bundle import Target
from diagnose.evidence.observation import Observation
from diagnose.evidence.redact import Redactor
from diagnose.jobs.access import Surroundings
from diagnose.jobs.operands import Reader, parse_operand, read_bytes, read_operand, read_surface
from diagnose.store.lock import lock_text
from diagnose.store.snapshot import Snapshot
from diagnose.store.snapshots import SnapshotStore
from diagnose.surface import Surface

if TYPE_CHECKING:
    from collections.abc import Callable


def _around() -> Surroundings:
    return Surroundings(
        env={}, redactor=Redactor(), note=lambda _: None, log=lambda *_: None, now=lambda: "2026-11-30T12:00:00.000Z"
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "snapshots.sqlite3"


@pytest.fixture
def take(place: Path) -> Callable[..., Snapshot]:
    """Store a list of one tool, of some server and principal, at a minute past noon."""

    def store(name: str, *, of: str = "a.test", by: str = "none", minute: int = 0) -> Snapshot:
        seen = Observation(
            layer="origin", surface=Surface.of([{"name": name}]), at=f"2026-11-30T12:{minute:02d}:00.000Z"
        )
        with SnapshotStore.open(place) as opened:
            return opened.take(seen, Target(id=of, transport="http", endpoint=of), by, redactor=Redactor())

    return store


@pytest.fixture
def reader(place: Path) -> Reader:
    return Reader(store=lambda: place, around=_around)


def _names(observation: Observation) -> tuple[str, ...]:
    assert observation.surface is not None
    return observation.surface.names


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("-", "stdin", ""),
        ("a.json", "file", "a.json"),
        ("./snapshot:latest", "file", "./snapshot:latest"),
        ("http://x/mcp", "url", "http://x/mcp"),
        ("https://x/mcp", "url", "https://x/mcp"),
        ("snapshot:ab12", "snapshot", "ab12"),
        ("snapshot:latest", "latest", "latest"),
        ("lock:a.json", "lock", "a.json"),
        ("C:\\a.json", "file", "C:\\a.json"),
        ("odd:name.json", "file", "odd:name.json"),
    ],
)
def test_an_operand_means_what_it_looks_like(text: str, kind: str, value: str) -> None:
    operand = parse_operand(text)
    assert (operand.kind, operand.value) == (kind, value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing that can be compared"),
        ("ftp://x", "nothing that can be compared"),
        ("lock:", "nothing that can be compared"),
    ],
)
def test_what_is_no_operand_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_operand(text)


def test_the_latest_is_of_the_server_and_the_credential_of_the_other_side(
    reader: Reader, take: Callable[..., Snapshot]
) -> None:
    old = take("old", by="fp:aaaaaaaa")
    take("new", by="fp:aaaaaaaa", minute=1)
    take("other credential", minute=2)
    take("other server", of="b.test", by="fp:aaaaaaaa", minute=3)
    one, two = reader.pair(f"snapshot:{old.id}", "snapshot:latest")
    assert (_names(one.observation), _names(two.observation)) == (("old",), ("new",))
    two, one = reader.pair("snapshot:latest", f"snapshot:{old.id}")
    assert (_names(one.observation), _names(two.observation)) == (("old",), ("new",))


def test_beside_a_file_the_latest_is_of_the_only_server_there_is(
    reader: Reader, take: Callable[..., Snapshot], tmp_path: Path
) -> None:
    file = tmp_path / "a.json"
    file.write_text("[]")
    with pytest.raises(InputError, match="there is no snapshot in"):
        reader.pair(str(file), "snapshot:latest")
    take("a")
    take("b", minute=1)
    assert _names(reader.pair("snapshot:latest", str(file))[0].observation) == ("b",)
    take("c", by="fp:aaaaaaaa")
    with pytest.raises(InputError, match="any of 2 servers and credentials"):
        reader.pair(str(file), "snapshot:latest")


@pytest.mark.parametrize("pair", [("-", "-"), ("snapshot:latest", "snapshot:latest")])
def test_two_sides_that_cannot_both_be_are_refused(reader: Reader, pair: tuple[str, str]) -> None:
    with pytest.raises(UsageError):
        reader.pair(*pair)


def test_a_lock_file_is_an_operand_and_is_checked_by_whatever_name(reader: Reader, tmp_path: Path) -> None:
    place = tmp_path / "a.lock.json"
    place.write_text(lock_text(Surface.of([{"name": "x"}]), Redactor()))
    one, two = reader.pair(f"lock:{place}", str(place))
    assert _names(one.observation) == _names(two.observation) == ("x",)
    assert one.observation.source == f"lock:{place}"
    place.write_text(place.read_text().replace('"name": "x"', '"name": "y"'))
    for name in (f"lock:{place}", str(place)):
        with pytest.raises(InputError, match="was altered"):
            reader.pair(name, name)
    place.write_text("[]")
    with pytest.raises(InputError, match="is no lock file"):
        reader.pair(f"lock:{place}", "-")


def test_a_list_of_two_files_opens_no_database_and_asks_nobody(tmp_path: Path) -> None:
    def never() -> Any:
        pytest.fail("asked for")

    for name in ("a", "b"):
        (tmp_path / name).write_text('[{"name": "x"}]')
    one, two = Reader(store=never, around=never).pair(str(tmp_path / "a"), str(tmp_path / "b"))
    assert _names(one.observation) == _names(two.observation) == ("x",)


def test_reading_a_snapshot_makes_no_database(reader: Reader, place: Path) -> None:
    with pytest.raises(InputError, match="there is no snapshot abc"):
        reader.pair("snapshot:abc", "snapshot:latest")
    assert not place.exists()


def test_a_baseline_is_any_operand_but_standard_input(take: Callable[..., Snapshot], place: Path) -> None:
    assert _names(read_operand(f"snapshot:{take('a').id}", store=place, around=_around())) == ("a",)
    with pytest.raises(UsageError, match="standard input"):
        read_operand("-", store=place, around=_around())


def test_a_url_is_asked_and_nothing_of_ours_is_sent_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DIAGNOSE_TOKEN belongs to TARGET, which an operand never is."""
    asked: list[Any] = []

    def look(spec: Any, options: Any, around: Surroundings) -> Any:
        asked.append((spec.id, options.auth, dict(around.env)))
        raise InputError("seen enough")

    monkeypatch.setattr("diagnose.jobs.steps.look_at_revision", look)
    env = {"DIAGNOSE_TOKEN": "x", "DIAGNOSE_SERVER": "https://other.test", "HOME": "/h"}
    around = replace(_around(), env=env)
    with pytest.raises(DiagnoseError, match="seen enough"):
        read_operand("https://a.test/mcp", store=tmp_path / "none", around=around)
    assert asked == [("a.test/mcp", "auto", {"DIAGNOSE_SERVER": "https://other.test", "HOME": "/h"})]


def test_standard_input_is_read_as_bytes_and_up_to_a_bound() -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b'[{"name": "\xff"}]'))
    surface = read_surface("-", stdin=stdin)
    assert surface.digest is None  # what is no UTF-8 was not replaced unseen
    with pytest.raises(InputError, match="standard input is larger than 3 bytes"):
        read_bytes("-", stdin=io.StringIO("[1, 2]"), max_bytes=3)
    assert read_surface("-", stdin=io.StringIO(json.dumps([{"name": "é"}]))).names == ("é",)

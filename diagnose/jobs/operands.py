"""What can be compared: a file, standard input, a live server, a snapshot, a lock file; and how each is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TextIO

from diagnose.errors import InputError, UsageError
from diagnose.jobs.documents import read_document
from diagnose.store.files import MAX_DOCUMENT, read_bounded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from diagnose.evidence.observation import Observation
    from diagnose.jobs.access import Surroundings
    from diagnose.store.snapshot import Snapshot
    from diagnose.store.snapshots import SnapshotStore
    from diagnose.surface import Surface

Kind = Literal["stdin", "file", "url", "snapshot", "latest", "lock"]

#: How standard input is named in what is said of it.
STDIN = "standard input"
_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One side of a comparison, as it was typed. ``value`` is the path, the URL or the snapshot's id."""

    kind: Kind
    value: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a comparison, as it was read. ``target`` and ``principal`` are known of servers and snapshots only."""

    observation: Observation
    target: str | None = None
    principal: str | None = None


def parse_operand(text: str) -> Operand:
    """Return what an operand means; raises `UsageError` for one that no version of ours, or not this one, can read.

    A file whose name looks like another operand is written with a folder: `./snapshot:latest`.
    """
    if text == "-":
        return Operand(kind="stdin", value="", text=text)
    if text.startswith(("http://", "https://")):
        return Operand(kind="url", value=text, text=text)
    match = _SCHEME.match(text)
    if match and match["scheme"] == "snapshot":
        kind: Kind = "latest" if match["rest"] == "latest" else "snapshot"
        return Operand(kind=kind, value=match["rest"], text=text)
    if match and match["scheme"] == "lock" and match["rest"]:
        return Operand(kind="lock", value=match["rest"], text=text)
    if not text or text == "lock:" or (match and match["rest"].startswith("//")):
        raise UsageError(
            f"{text!r} is nothing that can be compared",
            advice="Name a file, -, an http or https URL, snapshot:ID, snapshot:latest or lock:FILE.",
        )
    return Operand(kind="file", value=text, text=text)


class Reader:
    """Reads operands. What only some of them need (the place of the database, the surroundings) is made when asked for."""

    def __init__(
        self, *, store: Callable[[], Path], around: Callable[[], Surroundings], stdin: TextIO | None = None
    ) -> None:
        self.store = store
        self.around = around
        self.stdin = stdin

    def pair(self, first: str, second: str) -> tuple[Side, Side]:
        """Return both sides. `snapshot:latest` is the newest one of the server that the other side is of.

        Raises `DiagnoseError` where one cannot be read.
        """
        one, two = parse_operand(first), parse_operand(second)
        if one.kind == two.kind == "stdin":
            raise UsageError("standard input can be one of the two sides, not both")
        if one.kind == two.kind == "latest":
            raise UsageError("snapshot:latest is the newest one of the other side's server, and both sides are that")
        if one.kind == "latest":
            other = self.read(two)
            return self.read(one, beside=other), other
        side = self.read(one)
        return side, self.read(two, beside=side)

    def read(self, operand: Operand, *, beside: Side | None = None) -> Side:
        """Return one side; `beside` is the other one, if it was read already. Raises `DiagnoseError`."""
        if operand.kind == "stdin":
            assert self.stdin is not None
            return Side(observation=read_document(read_bytes("-", stdin=self.stdin), STDIN))
        if operand.kind == "file":
            return Side(observation=read_document(read_bounded(operand.value), operand.text))
        if operand.kind == "lock":
            from diagnose.store.lock import read_lock

            return Side(observation=read_lock(read_bounded(operand.value), operand.text).observation())
        if operand.kind == "url":
            return self._live(operand.value)
        return self._snapshot(operand, beside)

    def _snapshot(self, operand: Operand, beside: Side | None) -> Side:
        from diagnose.store.snapshots import SnapshotStore

        with SnapshotStore.open(self.store(), write=False) as store:
            snapshot = store.get(operand.value) if operand.kind == "snapshot" else _newest(store, beside)
        record = snapshot.record
        return Side(observation=snapshot.observation(), target=record.target.id, principal=record.principal)

    def _live(self, url: str) -> Side:
        """Read a server's whole list once. DIAGNOSE_TOKEN is for TARGET, and no operand is that."""
        from diagnose.jobs.access import ConnectOptions
        from diagnose.jobs.config import Config
        from diagnose.jobs.steps import look_at_revision
        from diagnose.jobs.target import resolve_target

        around = self.around()
        env = {name: value for name, value in around.env.items() if name != "DIAGNOSE_TOKEN"}
        spec = resolve_target(url, None, config=Config(), env=env)
        step = look_at_revision(spec, ConnectOptions(), replace(around, env=env))
        return Side(
            observation=replace(step.observation, layer="baseline", source=step.target.endpoint),
            target=step.target.id,
            principal=step.observation.principal,
        )


def read_operand(text: str, *, store: Path, around: Surroundings) -> Observation:
    """Return what `--baseline` names, any operand of `diff` but `-`. Raises `DiagnoseError` where it cannot be read."""
    operand = parse_operand(text)
    if operand.kind == "stdin":
        raise UsageError("a baseline cannot come from standard input", advice="Name a file or a snapshot.")
    return Reader(store=lambda: store, around=lambda: around).read(operand).observation


def read_surface(path: str, *, stdin: TextIO) -> Surface:
    """Return the surface in a file, or with `-` in standard input. Raises `InputError` where there is none."""
    surface = read_document(read_bytes(path, stdin=stdin), STDIN if path == "-" else path).surface
    assert surface is not None
    return surface


def read_bytes(path: str, *, stdin: TextIO, max_bytes: int = MAX_DOCUMENT) -> bytes:
    """Return the content of a file, or with `-` of standard input. Raises `InputError` where it cannot be had."""
    if path != "-":
        return read_bounded(path, max_bytes)
    # As bytes where they can be had: decoding would hide what is no UTF-8.
    data: bytes | str = getattr(stdin, "buffer", stdin).read(max_bytes + 1)
    if len(data) > max_bytes:
        raise InputError(f"{STDIN} is larger than {max_bytes} bytes, which is the most that is read")
    return data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")


def _newest(store: SnapshotStore, beside: Side | None) -> Snapshot:
    """Return what `snapshot:latest` is: the newest of the other side's server, else of the only one that was ever seen.

    Raises `InputError` where there is none, or where it is open which server is meant.
    """
    if beside is not None and beside.target is not None and beside.principal is not None:
        owners = {(beside.target, beside.principal)}
    else:
        owners = {(record.target.id, record.principal) for record in store.list()}
    if len(owners) > 1:
        raise InputError(
            f"snapshot:latest could be of any of {len(owners)} servers and credentials, and a file does not say which",
            advice="Name the snapshot by its id; `diagnose snapshot list` shows them.",
        )
    found = [store.latest(target, principal) for target, principal in owners]
    if found and found[0] is not None:
        return found[0]
    whose = f" of {beside.target} with this credential" if beside is not None and beside.target is not None else ""
    raise InputError(f"there is no snapshot{whose} in {store.path}", advice="Take one with `diagnose snapshot take`.")

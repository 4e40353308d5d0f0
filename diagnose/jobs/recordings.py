"""Recordings read event by event, however long they are: a file with its later parts, standard input, other captures."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, AnyStr, TextIO

from diagnose.errors import InputError
from diagnose.evidence.recording import SCHEMA, Event, Header, RecordingReader
from diagnose.judge.case import frame_name
from diagnose.judge.timeline import Reader, Timeline
from diagnose.judge.words import counted
from diagnose.record import record
from diagnose.store.files import reason
from diagnose.surface import JsonError, parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The longest line that is read, in bytes; what is longer is read in pieces, none of which is an event.
MAX_LINE = 64 * 1024 * 1024
#: So many files of one folder are looked at for later parts.
_MOST_FILES = 10_000
_FIRST_PEEK = 64 * 1024
_NUMBERED = re.compile(r"(?P<stem>.+)-(?P<number>\d{1,6})")


@record
class Part:
    """A file of a recording that goes over several; ``number`` counts from 1."""

    path: Path
    number: int


def read_timelines(operands: Sequence[str], *, stdin: TextIO) -> tuple[Timeline, ...]:
    """Return the timeline of each recording; a later part of one that was named before it is no recording of its own.

    Raises `InputError` for what cannot be read, or is no recording.
    """
    lines: list[Timeline] = []
    taken: set[Path] = set()
    for operand in operands:
        if operand != "-" and Path(operand).resolve() in taken:
            continue
        name = frame_name(len(lines))
        if operand == "-":
            lines.append(_of_stream(getattr(stdin, "buffer", stdin), name, "standard input"))
            continue
        line, files = _of_path(Path(operand), name)
        taken.update(file.resolve() for file in files)
        lines.append(line)
    return tuple(lines)


def later_parts(path: Path, header: Mapping[str, Any]) -> list[Part]:
    """Return the files that continue a recording, by their headers: of the same start, with a higher number."""
    numbered = _NUMBERED.fullmatch(path.stem)
    stem = numbered["stem"] if numbered is not None else path.stem
    here = _part_number(header)
    found: list[Part] = []
    with contextlib.suppress(OSError):
        for place, file in enumerate(path.parent.iterdir()):
            if place >= _MOST_FILES:
                break
            if file.suffix == path.suffix and file.stem.startswith((f"{stem}-", f"{path.stem}-")):
                other = peek(file)
                if other.get("startedAt") == header.get("startedAt") and _part_number(other) > here:
                    found.append(Part(path=file, number=_part_number(other)))
    return sorted(found, key=lambda part: part.number)


def peek(path: Path) -> Mapping[str, Any]:
    """Return the header of a recording of ours; nothing where the file is none."""
    try:
        with path.open("rb") as file:
            value = parse_json(file.readline(_FIRST_PEEK)).value
    except (OSError, JsonError):
        return {}
    return value if isinstance(value, dict) and value.get("schema") == SCHEMA else {}


def _part_number(header: Mapping[str, Any]) -> int:
    number = header.get("part")
    return number if isinstance(number, int) and not isinstance(number, bool) else 1


def lines_of(file: IO[AnyStr]) -> Iterator[AnyStr]:
    """Yield the lines of a stream, none longer than `MAX_LINE`."""
    while line := file.readline(MAX_LINE + 1):
        yield line


def _of_stream(file: IO[Any], name: str, source: str) -> Timeline:
    reading = RecordingReader(lines_of(file))
    reader = Reader(reading.header)
    for event in reading.events():
        reader.feed(event)
    return reader.timeline(name=name, notes=tuple(reading.notes), source=source)


def _of_path(path: Path, name: str) -> tuple[Timeline, list[Path]]:
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("rb") as stream:  # such as <(zcat session.jsonl.gz)
            return _of_stream(stream, name, "a stream"), [path]
    if not peek(path):
        return _other(path, name), [path]
    told = Chain(path)
    reader = Reader(told.header)
    for event in told.events():
        reader.feed(event)
    return reader.timeline(name=name, notes=tuple(told.notes), source=path.name), told.files


def _other(path: Path, name: str) -> Timeline:
    """Read a capture that another program made, whole; raises `InputError` where it is none that is known."""
    from diagnose.jobs.evidence import read_recording
    from diagnose.judge.timeline import read

    return read(read_recording(str(path)), name)


class Chain:
    """The events of a recording over all its parts. ``notes`` and ``files`` are whole once all events were walked."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = _opened(path)
        self._reading = RecordingReader(self._lines)
        self.header: Header = self._reading.header
        self.notes: list[str] = []
        self.files = [path]

    def events(self) -> Iterator[Event]:
        """Yield the events; the `end` of a part that another one continues is none of the recording."""
        number = _part_number(self.header.raw)
        if number > 1:
            self.notes.append(f"{self._path.name} is part {number} of its recording; what came before it was not read")
        while True:
            last: Event | None = None
            for event in self._reading.events():
                if last is not None:
                    yield last
                last = event
            self.notes.extend(self._reading.notes)
            following = self._next(number) if last is not None and last.reason == "limit" else None
            if following is None:
                if last is not None:
                    yield last
                return
            number = following.number

    def _next(self, number: int) -> Part | None:
        following = next(iter(later_parts(self._path, {**self.header.raw, "part": number})), None)
        if following is None:
            return None
        missing = following.number - number - 1
        if missing:
            self.notes.append(f"{counted(missing, 'part')} of the recording before {following.path.name} not there")
        before = self._reading.frame
        self.notes.append(f"frames from {before + 1} on are lines of {following.path.name}: take {before} away")
        self.files.append(following.path)
        self._reading = RecordingReader(_opened(following.path), before=before)
        return following


def _opened(path: Path) -> Iterator[bytes | str]:
    try:
        with path.open("rb") as file:
            yield from lines_of(file)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {reason(error)}") from error

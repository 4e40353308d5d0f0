"""The file of a recording: whole lines, however it ends; parts of a bounded size; nothing is written over."""

import errno
import json
import os

import pytest

from diagnose.evidence.recording import SCHEMA, Recording
from diagnose.tap.writer import SMALLEST, Limits, Writer, encode

HEADER = {"schema": SCHEMA, "transport": "stdio", "startedAt": "2026-11-30T12:00:00.000Z"}


def event(number, size=0):
    return {"from": "client", "kind": "message", "message": {"id": number, "text": "x" * size}}


def recording(path):
    return Recording.of_lines(path.read_bytes().splitlines(keepends=True))


def test_every_line_is_in_the_file_at_once(tmp_path):
    writer = Writer(tmp_path / "a.jsonl", HEADER, Limits())
    for number in range(5):
        writer.write(number, event(number))
        assert [e.message["id"] for e in recording(writer.path).events] == list(range(number + 1))
    writer.close()


def test_a_full_part_ends_with_its_reason_and_the_next_says_what_it_follows(tmp_path):
    writer = Writer(tmp_path / "a.jsonl", HEADER, Limits(size=1, parts=3))
    for number in range(12):
        writer.write(number, event(number, size=SMALLEST // 2))
    writer.close()
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert len(kept) == 3
    assert "a.jsonl" in kept
    assert all(path.stat().st_size <= SMALLEST for path in tmp_path.iterdir())
    first, last = recording(tmp_path / "a.jsonl"), recording(writer.path)
    assert first.ended == "limit"
    assert (last.ended, last.header.started_at) == (None, HEADER["startedAt"])
    assert (last.header.raw["part"], last.events[-1].message["id"]) == (12, 11)


def test_a_part_lasts_only_so_long(tmp_path):
    writer = Writer(tmp_path / "a.jsonl", HEADER, Limits(seconds=10))
    for t in (1, 9, 11, 12, 22):
        writer.write(t, event(t))
    writer.close()
    ids = [
        [e.message["id"] for e in recording(path).events if e.message]
        for path in sorted(tmp_path.iterdir(), key=lambda p: (len(p.name), p.name))
    ]
    assert ids == [[1, 9], [11, 12], [22]]


def test_what_was_there_stays(tmp_path):
    (tmp_path / "a.jsonl").write_text("mine")
    writer = Writer(tmp_path / "a.jsonl", HEADER, Limits())
    writer.close()
    assert writer.path.name == "a-2.jsonl"
    assert (tmp_path / "a.jsonl").read_text() == "mine"
    assert writer.path.stat().st_mode & 0o777 == 0o600


def test_a_link_that_somebody_left_there_is_not_followed(tmp_path):
    (tmp_path / "a.jsonl").symlink_to(tmp_path / "elsewhere")
    writer = Writer(tmp_path / "a.jsonl", HEADER, Limits())
    writer.close()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("written", [0, 10])
def test_a_write_that_fails_leaves_whole_lines(tmp_path, monkeypatch, written):
    writer = Writer(tmp_path / "a.jsonl", HEADER, Limits())
    writer.write(0, event(0))
    real = os.write

    def full(descriptor, data):
        if written and not full.done:
            full.done = True
            return real(descriptor, bytes(data)[:written])
        raise OSError(errno.ENOSPC, "No space left on device")

    full.done = False
    monkeypatch.setattr(os, "write", full)
    writer.write(1, event(1))
    monkeypatch.undo()
    writer.write(2, event(2))
    assert writer.failure.errno == errno.ENOSPC
    assert [e.message["id"] for e in recording(writer.path).events] == [0]
    assert recording(writer.path).notes == ()


def test_what_utf8_cannot_carry_is_escaped():
    line = encode({"text": "half \ud83d emoji ü"})
    assert json.loads(line)["text"] == "half \ud83d emoji ü"
    assert "ü".encode() in encode({"text": "ü"})

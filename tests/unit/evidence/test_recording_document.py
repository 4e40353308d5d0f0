"""A recording becomes objects, and those the same recording again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from diagnose.evidence.recording import Recording
from diagnose.evidence.recording_document import recording_document

FOLDER = Path(__file__).resolve().parents[2] / "recordings"
HEADER = {"schema": "diagnose.recording/1", "transport": "stdio", "notes": ["a client's log", 3, "x" * 900]}
RAW = {"t": 1, "from": "server", "kind": "raw", "base64": "/wA="}


@pytest.mark.parametrize("file", sorted(FOLDER.rglob("*.jsonl")), ids=lambda file: file.stem)
def test_a_recording_comes_back(file):
    recording = Recording.of_lines(file.read_bytes().split(b"\n"), source="x")
    again = Recording.of_objects(recording_document(recording), source="x")
    # Frames are counted by line: what was no event on the way left a gap in them.
    assert [replace(event, frame=0) for event in again.events] == [
        replace(event, frame=0) for event in recording.events
    ]
    assert again.header == recording.header


def test_bytes_that_are_no_text_and_notes_of_a_header_come_back():
    asked = {"t": 0, "from": "client", "kind": "request", "method": "GET", "connection": "c1"}
    recording = Recording.of_objects([HEADER, asked, RAW, {"t": 2, "from": "tap", "kind": "end", "reason": "stopped"}])
    again = Recording.of_objects(recording_document(recording))
    assert again == recording
    assert (again.events[1].data, again.ended) == (b"\xff\x00", "stopped")
    assert again.notes == ("a client's log", "x" * 500)

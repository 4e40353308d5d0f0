"""The pipe to the recorder: handing over never waits, and whatever happens to the recorder is said once."""

import io
import json
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.evidence.recording import Recording
from diagnose.tap import feed as feeding
from diagnose.tap.feed import Feed
from diagnose.tap.frames import CLIENT, FACT, SERVER, Frame, pack, unpack
from diagnose.tap.recorder import record

FRAMES = st.lists(
    st.tuples(
        st.sampled_from([CLIENT, SERVER, FACT]), st.floats(0, 1e6), st.integers(0, 2**32 - 1), st.binary(max_size=50)
    )
)


@given(FRAMES, st.integers(0, 30))
def test_frames_come_out_as_they_went_in_and_a_cut_one_never_was(frames, cut):
    stream = b"".join(pack(*frame) for frame in frames)
    assert list(unpack(io.BytesIO(stream).read)) == [Frame(*frame) for frame in frames]
    shortened = stream[: len(stream) - cut]
    assert (
        list(unpack(io.BytesIO(shortened).read))
        == [Frame(*frame) for frame in frames][: len(list(unpack(io.BytesIO(shortened).read)))]
    )


def settings(path, **more):
    limits = {"size": 1 << 20, "seconds": 100.0, "parts": 3}
    header = {
        "startedAt": "2026-11-30T12:00:00.000Z",
        "transport": "stdio",
        "hop": "client-server",
        "client": {},
        "target": {},
    }
    return {
        "path": str(path),
        "transport": "stdio",
        "key": "00" * 32,
        "payloads": False,
        "limits": limits,
        "secrets": [],
        "header": header,
        **more,
    }


def recorded(path):
    return Recording.of_lines(path.read_bytes().splitlines(keepends=True))


def test_what_is_handed_over_is_recorded_and_where_is_said(tmp_path):
    said = []
    feed = Feed(settings(tmp_path / "a.jsonl"), said.append)
    feed.put(CLIENT, b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')  # before there is anybody to take it
    feed.start({})
    feed.put(SERVER, b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n')
    assert feed.wait_until_open(20)
    feed.close("closed")
    recording = recorded(tmp_path / "a.jsonl")
    assert [e.sender for e in recording.events] == ["client", "server", "tap"]
    assert recording.ended == "closed"
    assert said == [f"recording to {tmp_path / 'a.jsonl'}"]


def test_a_recorder_that_falls_behind_gets_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(feeding, "MAX_BACKLOG", 1000)
    feed = Feed(settings(tmp_path / "a.jsonl"), lambda text: None)
    for number in range(100):
        feed.put(CLIENT, json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode() + b"\n")
    feed.start({})
    feed.close("closed")
    recording = recorded(tmp_path / "a.jsonl")
    assert recording.ended == "limit"
    assert [e.message["id"] for e in recording.events[:-1]] == list(range(len(recording.events) - 1))
    assert 5 < len(recording.events) < 50


def test_without_a_recorder_the_session_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    said = []
    feed = Feed(settings(tmp_path / "a.jsonl"), said.append)
    feed.start({})
    feed.put(CLIENT, b"x" * 100)
    assert not feed.wait_until_open(20)
    feed.close()
    assert len(said) == 1
    assert "unrecorded" in said[0]


@pytest.mark.parametrize("end", [b"", b"\x00\x01\x02"])
def test_a_stream_that_ends_without_a_word_leaves_a_recording_without_an_end(tmp_path, end):
    stream = json.dumps(settings(tmp_path / "a.jsonl")).encode() + b"\n"
    stream += pack(CLIENT, 0.5, 0, b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n') + end
    said = []
    assert record(io.BytesIO(stream), lambda **news: said.append(news)) == 0
    recording = recorded(tmp_path / "a.jsonl")
    assert [e.message["id"] for e in recording.events] == [1]
    assert recording.ended is None
    assert said == [{"open": str(tmp_path / "a.jsonl")}]


def test_what_the_recorder_writes_is_for_its_owner_alone(tmp_path):
    former = os.umask(0)
    try:
        record(io.BytesIO(json.dumps(settings(tmp_path / "a.jsonl")).encode() + b"\n"), lambda **news: None)
    finally:
        os.umask(former)
    assert (tmp_path / "a.jsonl").stat().st_mode & 0o777 == 0o600

"""News of a recording: the same whether it is read as it grows or a year later, and decided by the wire's clock alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.judge.looks import PICK, PRESS, PRUNE
from unit.judge.timeline.play import MODERN, Play
from unit.judge.timeline.test_hostile import EVENTS, HEADER, STORY
from unit.judge.timeline.test_recordings import EXPECTED, SESSIONS

from diagnose.evidence.recording import Recording
from diagnose.judge.timeline import read
from diagnose.judge.timeline.news import Teller
from diagnose.report.live import said


def told(recording, **how):
    teller = Teller(recording.header, **how)
    return [news for event in recording.events for news in teller.feed(event)]


def kinds(play):
    return [news.kind for news in told(play.recording)]


def recorded(name):
    return Recording.of_lines((SESSIONS / f"{name}.jsonl").read_bytes().splitlines())


def test_a_signal_that_is_not_heeded_is_told_once_the_wait_is_over_on_the_wire():
    play = Play().handshake().lists(PICK).signals().wait(9).calls("pick_apples").wait(3).calls("pick_apples")
    news = told(play.recording)
    late = [each for each in news if each.kind == "overdue"]
    assert len(late) == 1
    assert late[0].at.frame == play.frame - 1  # the first frame after the wait, not the one before it was over
    assert late[0].since > 10
    assert "overdue" not in kinds(Play().handshake().lists(PICK).signals().wait(9).lists(PRUNE).wait(20).calls("x"))


def test_a_list_is_new_or_the_same_and_odd_calls_are_told():
    play = Play().handshake().lists(PICK, PRUNE).lists(PICK, PRUNE).lists(PICK, PRESS).calls("prune_tree")
    news = told(play.recording)
    assert [each.known for each in news if each.kind == "list"] == [False, True, False]
    (call,) = [each for each in news if each.kind == "call"]
    assert "no more" in said(call)[0]


@pytest.mark.parametrize("version", ["2025-11-25", MODERN])
def test_a_stream_is_told_when_it_opens_and_when_it_is_closed(version):
    play = Play("http", version=version).handshake().listens().lists(PICK).wait(3).closes().wait(1).ends()
    assert [kind for kind in kinds(play) if kind.startswith("stream")] == ["stream-open", "stream-close"]


def test_a_stream_that_is_refused_is_told_once():
    play = Play("http").handshake()
    play.requests("GET").answers(status=405)
    assert kinds(play.lists(PICK).ends()).count("refused") == 1


@pytest.mark.parametrize("name", EXPECTED)
def test_live_and_replay_agree(name):
    """Frame by frame, as it grows, the timeline at the end is that of the whole file; and the news are told twice alike."""
    agree(recorded(name))


def test_a_refusal_whose_words_come_in_the_next_event_is_one_live_as_well():
    play = Play("http").handshake().lists(PICK)
    play.asks("tools/list")
    play.write("server", "response", channel=f"h{play.channels}", status=404, headers={})
    message = {"jsonrpc": "2.0", "id": play.ids, "error": {"code": -32001, "message": "Session not found"}}
    agree(play.write("server", channel=f"h{play.channels}", message=message).ends().recording)


def agree(recording):
    teller = Teller(recording.header)
    seen = []
    for event in recording.events:
        seen += [(news.kind, news.at, said(news)) for news in teller.feed(event)]
        teller.timeline(final=False)  # as the lanes on a terminal are drawn in between
    assert seen == [(news.kind, news.at, said(news)) for news in told(recording)]
    whole, live = read(recording), teller.timeline()
    assert [session.walks.total for session in live.sessions] == [session.walks.total for session in whole.sessions]
    assert [session.verdict_frames for session in map(Frames, live.sessions)] == [
        session.verdict_frames for session in map(Frames, whole.sessions)
    ]


class Frames:
    """What verdicts stand on, of one session."""

    def __init__(self, session):
        self.verdict_frames = (
            [walk.frames for walk in session.walks],
            [signal.at for signal in session.signals],
            [(stream.opened, stream.closed, stream.refusal) for stream in session.streams],
            [(loss.asked, loss.refusal) for loss in session.losses],
        )


@settings(max_examples=60, deadline=None)
@given(st.permutations(STORY[1:]), st.lists(EVENTS, max_size=12), st.sampled_from(["stdio", "http"]))
def test_whatever_comes_is_told_in_words(story, events, transport):
    for news in told(Recording.of_objects([{**HEADER, "transport": transport}, *story[:25], *events])):
        words, _ = said(news)
        assert words

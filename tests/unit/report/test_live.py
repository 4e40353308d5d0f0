"""News of a recording that grows, as lines and as documents: whole, narrow enough, and with nothing in them that acts."""

from __future__ import annotations

import copy
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.schemas import validated
from unit.judge.looks import PICK, PRESS, PRUNE
from unit.judge.timeline.play import MODERN, Play
from unit.judge.timeline.test_news import told
from unit.report.test_timeline import EVIL, judged, poisoned

from diagnose.evidence.harmless import display_width
from diagnose.evidence.recording import Recording
from diagnose.evidence.redact import Redactor
from diagnose.report.live import MOST_LANES, lanes_text, news_json, news_text
from diagnose.report.timeline_terminal import ASCII


def session(version="2025-11-25"):
    play = Play("http", version=version).handshake().listens().lists(PICK, PRUNE).signals().wait(20)
    play.calls("prune_tree").lists(PICK, PRESS).asks("tools/call", {"name": "x"}).error(
        -32602, "Unknown tool", status=400
    )
    return play.acts("refresh").closes().deletes().ends()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(EVIL) | st.text(max_size=12), min_size=1, max_size=30),
    st.sampled_from(["2025-11-25", MODERN]),
)
def test_no_text_of_a_stranger_can_act(texts, version):
    recording = Recording.of_objects(poisoned(copy.deepcopy(session(version).lines), itertools.cycle(texts)))
    for news in told(recording):
        for line in news_text(news, Redactor(), width=60).split("\n"):
            assert display_width(line) <= 60
            assert line.isprintable()
        assert validated(news_json(news, Redactor()))["frame"] == news.at.frame
    lanes = lanes_text(judged(recording), Redactor(), width=60)
    assert all(line.isprintable() and display_width(line) <= 60 for line in lanes.split("\n"))


@pytest.mark.parametrize("version", ["2025-11-25", MODERN])
def test_a_session_is_told_from_its_beginning_to_its_end(version):
    kinds = [news.kind for news in told(session(version).recording)]
    assert kinds[0] == "session"
    assert {"handshake", "stream-open", "list-asked", "list", "signal", "overdue", "call", "action", "stopped"} <= set(
        kinds
    )


def test_each_session_has_one_lane_and_the_newest_are_shown():
    play = Play("http")
    for number in range(MOST_LANES + 3):
        play.client = f"desk-{number}"
        play.handshake(session=f"fp:{number}").lists(PICK)
    lanes = lanes_text(judged(play.recording), Redactor(), width=80, strokes=ASCII)
    assert [line.split()[1] for line in lanes.split("\n")[2:]] == [
        f"desk-{number}" for number in range(3, MOST_LANES + 3)
    ]
    assert lanes.isascii() or "+" in lanes


def test_a_secret_is_in_no_line():
    play = Play().acts("signed in with sk_live_ZYX987abc654QRS321tuv")
    for news in told(play.recording):
        assert "ZYX987abc654" not in news_text(news, Redactor()) + news_json(news, Redactor())

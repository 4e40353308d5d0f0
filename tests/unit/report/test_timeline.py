"""Reports of recorded sessions: whatever a recording holds, each format is whole, and nothing in it can act."""

from __future__ import annotations

import copy
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.schemas import validated
from unit.judge.looks import PICK, PRESS, PRUNE, tool
from unit.judge.timeline.play import MODERN, Play
from unit.judge.timeline.test_hostile import EVENTS, HEADER, STORY
from unit.report.browsed import browsed

from diagnose.evidence.harmless import display_width
from diagnose.evidence.recording import Recording
from diagnose.evidence.redact import Redactor
from diagnose.jobs.timeline import TimelineRequest, judge_timelines
from diagnose.judge.timeline import read
from diagnose.report.formats import Look
from diagnose.report.timeline_formats import TIMELINE_FORMATS, render_timeline
from diagnose.report.timeline_picture import picture_of
from diagnose.report.timeline_scale import Scale
from diagnose.report.timeline_svg import hatch

NOW = "2026-11-30T13:00:00.000Z"
EVIL = [
    "\x1b[31mred\x1b[0m",
    "</svg><script>alert(1)</script>",
    '" onload="alert(1)',
    "a\u202egnp.exe",
    "\ud800half",
    "]]>&lt;",
    "\x00\x07\r\n\t",
    "w" * 400,
    "",
]


def judged(*recordings):
    lines = [read(each, "wire" if not place else f"wire#{place + 1}") for place, each in enumerate(recordings)]
    return judge_timelines(lines, TimelineRequest(), now=NOW)


def held_harmless(diagnosis):
    """Render a diagnosis in every format, and look at what came out."""
    shown = {name: render_timeline(diagnosis, name, Redactor(), Look(width=60)) for name in TIMELINE_FORMATS}
    for name, text in shown.items():
        strange = {char for char in text if not char.isprintable() and char != "\n"}
        assert not strange, (name, strange)
    assert all(display_width(line) <= 60 for line in shown["text"].split("\n"))
    plain = render_timeline(diagnosis, "text", Redactor(), Look(width=80, unicode=False))
    assert plain.startswith(shown["text"].split(" ")[0])
    validated(shown["json"])
    browsed(shown["html"])
    assert "<script" not in shown["svg"]
    ET.fromstring(shown["svg"])
    return shown


@settings(max_examples=20, deadline=None)
@given(
    st.permutations(STORY[1:]),
    st.integers(0, len(STORY)),
    st.lists(EVENTS, max_size=15),
    st.sampled_from(["stdio", "http"]),
    st.sampled_from(["client-server", "client-gateway"]),
)
def test_whatever_a_recording_holds_every_format_is_whole(story, cut, events, transport, hop):
    one = Recording.of_objects([{**HEADER, "transport": transport, "hop": hop}, *story[:cut], *events])
    two = Recording.of_objects([{**HEADER, "transport": transport, "hop": "gateway-server"}, *events, *story[cut:]])
    held_harmless(judged(one, two))


def poisoned(value, words):
    """Return a value with every text that a stranger chose put out of these words, but for those that say what it is."""
    kept = {"message", "request", "response", "stream-open", "client", "server", "tap", "http", "POST", "GET", "2.0"}
    if isinstance(value, dict):
        known = ("kind", "from", "method", "channel", "protocolVersion", "schema", "jsonrpc", "id", "session")
        return {key: each if key in known else poisoned(each, words) for key, each in value.items()}
    if isinstance(value, list):
        return [poisoned(each, words) for each in value]
    return next(words) if isinstance(value, str) and value not in kept else value


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from(EVIL) | st.text(max_size=12), min_size=1, max_size=40),
    st.sampled_from(["2025-11-25", MODERN]),
)
def test_no_text_of_a_stranger_can_act(texts, version):
    play = Play("http", version=version).handshake().listens().lists(PICK, PRUNE).signals().lists(PICK, PRESS)
    play.calls("prune_tree").asks("tools/call", {"name": "press_cider"}).error(-32602, "Unknown tool").acts("refresh")

    def words():
        while True:
            yield from texts

    lines = poisoned(copy.deepcopy(play.lines), words())
    held_harmless(judged(Recording.of_objects(lines)))


@pytest.mark.parametrize("t", [1e9, -1e9, 1e-9, 0])
def test_any_time_has_its_place(t):
    play = Play().handshake().lists(PICK)
    play.lines.append(
        {"t": t, "from": "server", "message": {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}}
    )
    held_harmless(judged(play.ends().recording))


@pytest.mark.parametrize("t", [float("nan"), float("inf"), 1e300, 10**400, True, "1", None])
def test_what_states_no_time_is_no_event(t):
    recording = Recording.of_objects([HEADER, {"t": t, "from": "client", "message": {}}])
    assert recording.events == ()
    assert "time" in recording.notes[0]


@given(st.lists(st.floats(-1e9, 1e9), max_size=40), st.floats(-2e9, 2e9))
def test_the_axis_keeps_the_order_of_all_moments(times, other):
    scale = Scale(times)
    places = [scale.place(t) for t in sorted([*times, other])]
    assert all(0 <= place <= 1 for place in places)
    assert all(left <= right + 1e-9 for left, right in pairwise(places))
    ticks = scale.ticks(0.1)
    assert all(left[1] < right[1] for left, right in pairwise(ticks))


def test_a_longer_wait_is_drawn_longer_and_both_fit():
    scale = Scale([0.0, 1.0, 2.0, 62.0])
    first, second, third = (right - left for left, right in pairwise(map(scale.place, (0.0, 1.0, 2.0, 62.0))))
    assert first == pytest.approx(second)
    assert first < third < 20 * first


def spans(play, kind):
    lanes = picture_of(play.judged()).lanes
    return [(lane.role, span.name, round(span.start, 1), round(span.end, 1)) for lane in lanes for span in lane.spans if span.kind == kind]  # fmt: skip


def test_lanes_tell_who_had_which_catalogue_when():
    play = Play("http").handshake().listens().lists(PICK).wait(5).signals().wait(2).lists(PICK, PRUNE).wait(3)
    assert spans(play, "catalogue") == [
        ("server", "A", 0.1, 7.1),
        ("server", "B", 7.1, 10.1),
        ("client", "A", 0.1, 7.1),
        ("client", "B", 7.1, 10.1),
    ]
    assert spans(play, "stale") == [("client", "old list", 5.1, 7.1)]
    assert spans(play, "stream") == [("path", "get", 0.0, 10.1)]


def test_a_list_that_is_not_read_again_is_old_to_the_end():
    play = Play().handshake().lists(PICK).wait(5).signals().wait(20)
    assert spans(play, "stale") == [("client", "old list", 5.1, 25.1)]
    assert spans(Play().handshake().lists(PICK).signals().lists(PICK).wait(20), "stale") == []


def test_behind_a_gateway_a_list_is_old_from_when_it_changed_before_the_gateway():
    up = Play("http", hop="gateway-server", client="gateway").handshake().listens().lists(PICK).wait(20)
    up.signals().lists(PICK, PRESS).wait(100)
    down = Play("http", hop="client-gateway", started="2026-11-30T12:00:05.000Z").handshake().listens()
    lanes = picture_of(down.lists(PICK).wait(60).judged(up)).lanes
    assert [lane.title for lane in lanes if lane.session is None] == ["server", "gateway"]
    (old,) = [span for span in lanes[-1].spans if span.kind == "stale"]
    assert (round(old.start, 1), round(old.end, 1)) == (15.1, 60.1)  # in seconds after the first recording's start


def test_a_list_that_was_not_read_to_its_end_is_told_as_a_part():
    play = Play().handshake().page([PICK], following="2").wait(20)
    assert spans(play, "stale") == [("client", "only a part", 0.1, 20.1)]
    assert "held only a part of the list" in render_timeline(play.judged(), "text", Redactor(), Look(width=200))


def test_a_session_that_another_one_follows_holds_nothing_any_more():
    play = Play("http").handshake(session="fp:1").lists(PICK).wait(5).handshake(session="fp:2").lists(PRUNE).wait(5)
    held = [span for span in spans(play, "catalogue") if span[0] == "client"]
    assert held == [("client", "A", 0.0, 0.0), ("client", "B", 5.1, 10.1)]


def test_many_sessions_leave_the_picture_small_and_say_so():
    play = Play("http")
    for number in range(30):
        play.client = f"desk-{number}"
        play.handshake(session=f"fp:{number}").lists(PICK)
    shown = held_harmless(play.judged())
    assert "18 more sessions not drawn" in " ".join(shown["text"].split())
    assert "22 more" in shown["text"]


def test_many_signals_that_were_heeded_are_one_row():
    play = Play().handshake().lists(PICK)
    for number in range(20):
        play.signals().lists(PICK, tool(f"new_{number}"))
    text = render_timeline(play.judged(), "text", Redactor(), Look(width=200))
    assert "20 signals until" in text
    assert "and 8 more catalogues" not in text.split("Why")[0]
    assert "9 more catalogues" in text


def test_hatching_stays_within_its_box():
    path = hatch(10, 20, 33, 16)
    for piece in path.split("M")[1:]:
        for corner in piece.split("L"):
            x, y = map(float, corner.split())
            assert 10 <= x <= 43
            assert 20 <= y <= 36

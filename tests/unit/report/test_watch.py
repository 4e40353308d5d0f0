"""A watch in words and as JSON lines: each kind of event, and nothing in them that could act."""

import json
from dataclasses import replace

import pytest

from diagnose.evidence.redact import Redactor
from diagnose.jobs.watching import Standing, WatchEvent
from diagnose.report.watch import event_json, event_text, view
from diagnose.surface import difference

STANDING = Standing(
    state="fresh",
    era="modern",
    protocol_version="2026-07-28",
    channel="listen",
    connected=True,
    listening=True,
    signals=2,
    refreshes=3,
    changes=1,
    revision="ab" * 32,
    digest="cd" * 32,
    count=3,
    age=12.34,
    ttl_left=47.7,
)
OLD = [{"name": "pick_apples", "inputSchema": {"type": "object"}}]
NEW = [*OLD, {"name": "ripen", "inputSchema": {"type": "object"}}]


def event(kind, **facts):
    return WatchEvent(kind=kind, at="2026-11-30T12:34:56.789Z", t=1.23456, standing=STANDING, **facts)


def text(told, **options):
    return event_text(told, Redactor(), **{"width": 100, **options})


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (event("connected"), "12:34:56  connected  a modern session, version 2026-07-28"),
        (event("channel-open"), "12:34:56  listening  signals can be heard on a subscription"),
        (
            event("channel-open", deaf_for=2.5),
            "12:34:56  listening  signals can be heard on a subscription, after 2.5 s in which nothing could be",
        ),
        (
            event("channel-closed", why="it broke off", again_in=0.5),
            "12:34:56  deaf       it broke off; again in 0.5 s",
        ),
        (event("channel-absent", why="HTTP 405."), "12:34:56  deaf       HTTP 405; it is not tried again"),
        (event("signal"), "12:34:56  signal     the server says that its list has changed"),
        (event("listed", reason="connected"), f"12:34:56  listed     3 tools, revision {'ab' * 6}"),
        (event("unchanged", reason="poll"), "12:34:56  unchanged  the same list, read by asking again"),
        (event("failed", why="no", rule="list-error", again_in=60.0), "12:34:56  failed     no; again in 60 s"),
        (event("lost", why="HTTP 404.", again_in=1.0), "12:34:56  lost       HTTP 404; again in 1.0 s"),
        (event("ended", why="the time is over"), "12:34:56  ended      the time is over"),
    ],
)
def test_an_event_is_a_line(told, says):
    assert text(told) == says + "\n"


@pytest.mark.parametrize(("announced", "word"), [(True, "announced"), (False, "NOT announced")])
def test_a_change_is_told_with_its_impact_and_whether_it_was_announced(announced, word):
    told = event("changed", reason="signal", announced=announced, changes=difference(OLD, NEW))
    first, second, *_ = text(told, width=120).splitlines()
    assert first == f"12:34:56  CHANGED    1 tool added (compatible), {word}, seen after a signal; revision {'ab' * 6}"
    assert second.split() == ["compatible", "+", "ripen", "added"]


def test_lines_keep_to_the_width():
    told = event("changed", reason="signal", announced=True, changes=difference(OLD, NEW))
    assert max(map(len, text(told, width=60).splitlines())) <= 60


def test_colour_says_nothing_that_the_words_do_not():
    told = event("lost", why="gone", again_in=1.0)
    coloured = text(told, colour=True)
    assert "\x1b[1;31mlost\x1b[0m" in coloured
    assert coloured.replace("\x1b[1;31m", "").replace("\x1b[0m", "") == text(told)


def test_what_a_server_says_can_do_nothing():
    told = event("failed", why="\x1b[2J\u202egone\nover", again_in=None)
    said = text(told)
    assert "\x1b" not in said
    assert "\u202e" not in said
    line = event_json(told, "here", Redactor())
    assert "\n" not in line
    assert "\x1b" not in line
    assert json.loads(line)["why"] == "\x1b[2J\u202egone\nover"


def test_a_secret_stays_one():
    redactor = Redactor()
    redactor.learn("s3cret-value")
    told = event("failed", why="the server said s3cret-value")
    assert "s3cret-value" not in event_text(told, redactor)
    assert "s3cret-value" not in event_json(told, "here", redactor)


def test_an_event_as_json_has_its_schema_first_and_no_keys_of_other_kinds():
    document = json.loads(event_json(event("signal"), "example.test/mcp", Redactor()))
    assert next(iter(document.items())) == ("schema", "diagnose.event/1")
    assert document["event"] == "signal"
    assert document["target"] == "example.test/mcp"
    assert (document["t"], document["age"], document["ttlLeft"]) == (1.235, 12.34, 47.7)
    assert (document["signals"], document["lists"], document["changesSeen"]) == (2, 3, 1)
    assert not {"why", "changes", "againIn", "deafFor", "announced", "reason", "rule"} & document.keys()


def test_a_change_as_json_has_its_changes():
    told = event("changed", reason="poll", announced=False, changes=difference(OLD, NEW))
    document = json.loads(event_json(told, "here", Redactor()))
    assert document["announced"] is False
    assert document["changes"] == [
        {"tool": "ripen", "was": None, "kind": "added", "confidence": "proven", "impact": "compatible", "details": []}
    ]


def test_what_is_not_known_yet_is_null():
    early = replace(STANDING, revision=None, digest=None, count=None, age=None, ttl_left=None)
    document = json.loads(event_json(replace(event("connected"), standing=early), "here", Redactor()))
    assert [document[key] for key in ("revision", "digest", "count", "age", "ttlLeft")] == [None] * 5


def test_the_view_shows_how_it_stands():
    last = event("changed", reason="signal", announced=True, changes=difference(OLD, NEW))
    assert view(STANDING, "example.test/mcp", last, Redactor()).splitlines() == [
        "── example.test/mcp  modern 2026-07-28  fresh",
        "   revision abababababab  3 tools  age 12 s  TTL left 48 s",
        "   listening on a subscription  2 signals  3 lists",
        "   last difference: 12:34:56 1 tool added",
    ]


def test_the_view_hides_no_silence():
    deaf = replace(STANDING, listening=False)
    assert "nothing can be heard" in view(deaf, "here", None, Redactor())
    assert "the session is lost" in view(replace(deaf, connected=False), "here", None, Redactor())


def test_the_view_keeps_to_its_lines():
    lines = view(STANDING, "a" * 300, None, Redactor(), width=60).splitlines()
    assert len(lines) == 4
    assert max(map(len, lines)) <= 60

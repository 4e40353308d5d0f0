"""Each question of the bench, answered by frames that were written for it."""

from __future__ import annotations

import pytest
from unit.judge.timeline.play import MODERN, Play

from diagnose.judge.bench import MEASURES, Held, Trial
from diagnose.judge.bench.definitions import KINDS
from diagnose.judge.bench.paging import ENDLESS
from diagnose.judge.bench.trial import ASKED, CHANGED, FORGOT, LEFT
from diagnose.judge.timeline import read
from diagnose.reference.scenes import SPOILS

NAMES = ("pick_apples", "prune_tree", "ripen")
OLD = [{"name": name, "inputSchema": {"type": "object"}} for name in NAMES]
NEW = [*OLD, {"name": "press_cider", "inputSchema": {"type": "object"}}]


def answer(name, play, *held, asks=False):
    """Return what a measure says of one trial, and how many frames show it."""
    trial = Trial(
        name=MEASURES[name].trial,
        timeline=read(play.recording, MEASURES[name].trial),
        names=NAMES,
        held=tuple(Held(after=play.frame, names=tuple(names)) for names in held),
        asks=asks,
    )
    found = MEASURES[name].measure(trial)
    known = {f"{trial.name}:{number}" for number in range(1, len(play.lines) + 1)}
    assert set(found.evidence) <= known
    return found.answer, found.says


def open_session(**options):
    """A session of the handshake era with its list read and its channel open."""
    return Play("http", **options).handshake().lists(*OLD).listens()


def test_pages_are_followed_or_not():
    whole = Play("http").handshake()
    for number, tool in enumerate(OLD):
        whole.page([tool], f"c{number}" if number else None, f"c{number + 1}" if number < 2 else None)
    first = Play("http").handshake().page(OLD[:1], None, "c1")
    assert answer("pages", whole) == ("yes", "3 of 3 pages")
    assert answer("pages", first) == ("no", "1 of 3 pages")
    assert answer("aggregates", whole, NAMES) == ("yes", "it holds 3 of 3 tools")
    assert answer("aggregates", first, NAMES[:1]) == ("no", "it holds 1 of 3 tools")
    assert answer("aggregates", whole)[0] == "not-shown"


def test_the_era_is_that_of_the_first_session_that_has_one():
    assert answer("era", Play("http", version=MODERN).handshake().lists(*OLD)) == ("yes", MODERN)
    assert answer("era", Play("http").handshake().lists(*OLD)) == ("no", "2025-11-25")
    assert answer("era", Play("http"))[0] == "not-shown"


def test_a_cursor_that_leads_nowhere_ends_a_walk_or_does_not():
    stops = Play("http").handshake().page(OLD, None, "").page(OLD, "", "")
    round_and_round = Play("http").handshake().page(OLD[:2], None, "c")
    for _ in range(ENDLESS):
        round_and_round.page(OLD[2:], "c", "c")
    once = Play("http").handshake().page(OLD, None, "")
    assert answer("empty-cursor", stops, NAMES)[0] == "yes"
    assert answer("empty-cursor", stops, ())[0] == "no"
    assert answer("empty-cursor", once, NAMES) == ("yes", "asks for nothing behind it, and holds every tool")
    assert answer("repeated-cursor", round_and_round)[0] == "no"
    assert answer("repeated-cursor", once)[0] == "not-shown"


@pytest.mark.parametrize("name", ["declared", "undeclared"])
def test_a_signal_is_heeded_or_not(name):
    heeds = open_session().acts(CHANGED).signals().wait(0.3).lists(*NEW)
    deaf = open_session().acts(CHANGED).signals().wait(10)
    assert answer(name, heeds)[0] == "yes"
    assert answer(name, heeds, [*NAMES, "press_cider"])[1].endswith(", and holds the new list")
    assert answer(name, deaf, NAMES) == ("no", "not in 10 s, and holds the old list")


def test_the_first_page_after_a_signal_is_no_whole_list():
    half = open_session().acts(CHANGED).signals().wait(0.3).page(OLD[:2], None, "c")
    assert answer("declared", half) == ("yes", "0.3 s after the signal, 1 of 2 pages")


def test_who_opens_no_channel_is_not_told():
    alone = Play("http").handshake().lists(*OLD).acts(CHANGED).wait(10)
    assert answer("declared", alone) == ("no", "it opened no channel to be told on")
    assert answer("listens", alone)[0] == "no"
    assert answer("early", alone)[0] == "not-shown"
    assert answer("listens", open_session().acts(CHANGED)) == ("yes", "a GET stream")
    assert answer("listens", open_session(version=MODERN).acts(CHANGED)) == ("yes", "subscriptions/listen")


def test_who_ends_after_the_list_shows_nothing_of_signals():
    gone = Play("http").handshake().lists(*OLD).acts(LEFT)
    for name in ("declared", "undeclared", "early", "failed-refresh", "ttl", "lost-session"):
        assert answer(name, gone)[0] == "not-shown"


def test_a_signal_that_came_early_is_made_up_for_or_not():
    assert answer("early", open_session().acts(CHANGED).signals().lists(*OLD))[0] == "no"
    assert answer("early", open_session().acts(CHANGED).signals().lists(*OLD).wait(0.5).lists(*NEW))[0] == "yes"


def test_a_storm_is_weathered_or_answered_one_by_one():
    calm, wild = open_session(), open_session()
    late = Play("http").handshake().listens()
    for _ in range(10):
        calm.signals()
        wild.signals().lists(*OLD)
        late.signals()
    assert answer("storm", calm)[0] == "not-shown"
    assert answer("storm", late.lists(*OLD))[0] == "not-shown"
    assert answer("storm", calm.lists(*OLD)) == ("yes", "1 list for 10 signals")
    assert answer("storm", wild) == ("no", "10 lists for 10 signals")


def test_a_refresh_that_fails_leaves_the_old_list_or_none():
    failed = open_session().acts(CHANGED).signals().asks("tools/list").error(-32603)
    assert answer("failed-refresh", failed, NAMES) == ("yes", "asked once in vain, and holds 3 of 3 tools")
    assert answer("failed-refresh", failed, ()) == ("no", "asked once in vain, and holds none of 3 tools")
    assert answer("failed-refresh", failed)[0] == "not-shown"


def test_a_ttl_is_kept_when_the_list_is_used_within_it_and_read_after_it():
    def aged():
        return Play("http", version=MODERN).handshake().lists(*OLD, ttlMs=5000).acts(ASKED)

    kept = aged().acts(CHANGED).wait(6).acts(ASKED).lists(*NEW)
    assert answer("ttl", kept, asks=True)[0] == "yes"
    assert answer("ttl", aged().lists(*OLD).acts(CHANGED).wait(6).acts(ASKED).lists(*NEW), asks=True)[0] == "no"
    assert answer("ttl", aged().acts(CHANGED).wait(6).acts(ASKED), asks=True)[0] == "no"
    assert answer("ttl", aged().wait(6).lists(*OLD).acts(CHANGED).acts(ASKED), asks=True)[0] == "not-shown"
    assert answer("ttl", open_session().acts(CHANGED), asks=True)[0] == "not-shown"


def test_a_lost_session_is_got_over_by_a_handshake():
    def lost():
        return Play("http").handshake().lists(*OLD).acts(FORGOT).asks("tools/list").answers(status=404)

    assert answer("lost-session", lost().handshake(session="fp:s2").lists(*OLD)) == (
        "yes",
        "shook hands anew and listed",
    )
    kept = ("yes", "shook hands anew, and kept the list that it had")
    assert answer("lost-session", lost().handshake(session="fp:s2")) == kept
    assert answer("lost-session", lost()) == ("no", "was refused once, and did not shake hands anew")
    assert answer("lost-session", Play("http").handshake().lists(*OLD).acts(FORGOT))[0] == "not-shown"


def test_an_odd_definition_costs_every_tool_or_its_own_or_none():
    listed = Play("http").handshake().lists(*OLD, {"name": "graft_tree"})
    name = "schema-no-schema"
    assert answer(name, listed, [*NAMES, "graft_tree"]) == ("yes", "keeps all")
    assert answer(name, listed, NAMES) == ("yes", "drops that tool alone")
    assert answer(name, listed, NAMES[:1])[0] == "no"
    assert answer(name, listed, ()) == ("no", "drops every tool")
    assert answer(name, listed)[0] == "not-shown"


def test_every_definition_that_is_played_is_measured():
    assert set(KINDS) == set(SPOILS)

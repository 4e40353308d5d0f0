"""Which session a modern request belongs to, where it does not say which client sends it."""

from dataclasses import replace

import pytest
from unit.judge.looks import PICK, PRUNE, origin
from unit.judge.timeline.play import META, MODERN, Play


def nameless(play: Play, *methods: str) -> Play:
    """Take the client's name out of the requests with these methods."""
    for line in play.lines[1:]:
        message = line.get("message") or {}
        if message.get("method") in methods:
            message["params"]["_meta"].pop(f"{META}clientInfo")
    return play


def dropped() -> Play:
    return Play("http", version=MODERN).handshake().listens().lists(PICK).wait(60).closes().wait(240).ends()


@pytest.mark.parametrize("methods", [(), ("subscriptions/listen",), ("tools/list",), ("server/discover",)])
def test_requests_with_and_without_a_name_are_of_one_client(methods):
    play = nameless(dropped(), *methods)
    assert len(play.timeline.sessions) == 1
    later = replace(origin([PICK, PRUNE], era="modern", protocol_version=MODERN), at="2026-11-30T12:04:00.000Z")
    verdict = play.judged(origin=later).verdict
    assert (verdict.state, verdict.layer, verdict.cause) == ("stale", "wire", "stream-dropped")


def test_another_name_is_another_client():
    play = Play("http", version=MODERN).handshake().lists(PICK)
    play.client = "orchard-phone"
    assert len(play.lists(PICK).timeline.sessions) == 2


def test_who_authorizes_otherwise_is_another_client():
    play = Play("http", version=MODERN).handshake().lists(PICK)
    play.asks("tools/list", authorization="fp:0123456789").result(tools=[PICK])
    assert len(nameless(play, "tools/list").timeline.sessions) == 2

"""The ways in which one rule can be broken on the wire: for each a recording that does, and one close to it that does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from unit.judge.looks import ORCHARD, PICK, PRESS, PRUNE, seen, tool
from unit.judge.timeline.play import MODERN, Play

from diagnose.judge import Diagnosis

A, B, D = PICK, PRUNE, PRESS


def modern(**how: Any) -> Play:
    return Play("http", version=MODERN, **how).handshake()


def http(**how: Any) -> Play:
    return Play("http", **how).handshake()


def origin(*tools: Any, t: float) -> dict[str, Any]:
    return {"origin": replace(seen("origin", list(tools)), at=f"2026-11-30T12:{int(t // 60):02d}:{t % 60:06.3f}Z")}


def expired(*, again: bool) -> tuple[Any, ...]:
    play = modern().lists(A, B, ttlMs=5000).wait(20).calls("pick_apples")
    return (play.lists(A, B, D, ttlMs=5000).wait(2) if again else play.wait(20), origin(A, B, D, t=15))


def anew(*, lists: bool) -> tuple[Any, ...]:
    play = http().listens().lists(A, B).wait(5).closes("client").handshake(session="fp:s2").listens()
    return (play.lists(A, B, D).wait(20) if lists else play.wait(20), origin(A, B, D, t=4))


def used(*, late: bool) -> Play:
    play = modern().listens().lists(A, B, ttlMs=5000).wait(9 if late else 2).calls("pick_apples")
    return play.wait(8).lists(A, B, ttlMs=5000).wait(1)


def borrowed(*, by_another: bool) -> Play:
    play = Play("http", version=MODERN, principal="A").handshake().page([A], following="k", cacheScope="private")
    play.principal = "B" if by_another else "A"
    return play.page([B], "k", cacheScope="private")


def gateway(
    second: list[Any], *, scope: str = "private", asks_for_both: bool = True, own: list[Any] = ORCHARD
) -> tuple[Play, ...]:
    """A gateway that passes authorizations on: what the server gives A and B, and what B is sent behind it."""
    up = Play("http", version=MODERN, hop="gateway-server", client="gateway", principal="A").handshake()
    up.lists(A, B, cacheScope=scope)
    down = Play("http", version=MODERN, hop="client-gateway", principal="A").handshake().lists(A, B, cacheScope=scope)
    up.principal = down.principal = "B"
    if asks_for_both:
        up.lists(*own, cacheScope=scope)
    return down.lists(*second, cacheScope=scope).wait(1), up


def overlapping(*, differ: bool) -> Play:
    play = Play().handshake()
    play.asks("tools/list").asks("tools/list")
    first, second = play.ids - 1, play.ids
    play.answers({"result": {"tools": [A, B, D]}}, ask=second)
    return play.answers({"result": {"tools": [A, B] if differ else [A, B, D]}}, ask=first).wait(1)


def removed(*, back: bool) -> Play:
    play = Play().handshake().lists(A, B).signals().lists(A)
    if back:
        play.signals().lists(A, B)
    return play.calls("prune_tree").wait(20)


def discarded(*, kept: bool) -> tuple[Any, ...]:
    play = Play(client="codex-mcp-client").handshake().lists(A, B).signals().lists(A, B, D).wait(20)
    return play, {"registry": replace(seen("registry", [A, B] if kept else [A, B, D], session="running"), at=None)}


def dropped(client: str) -> tuple[Any, ...]:
    return (http(client=client).listens().lists(A, B).wait(30).closes().wait(60), origin(A, B, D, t=60))


#: What is looked for, its rule, a recording that shows it, and one close to it that does not.
VARIANTS = {
    "the TTL was over and no list followed": ("client-no-relist", expired(again=False), expired(again=True)),
    "a new session and no list in it": ("client-no-relist", anew(lists=False), anew(lists=True)),
    "a list that was used after it had expired": ("ttl-misuse", used(late=True), used(late=False)),
    "a cursor of another authorization": ("scope-leak", borrowed(by_another=True), borrowed(by_another=False)),
    "a list of another authorization, through a gateway": ("scope-leak", gateway([A, B]), gateway(ORCHARD)),
    "a private list that the server was not asked for": (
        "scope-leak",
        gateway([A, B], asks_for_both=False),
        gateway([A, B], own=[A, B]),
    ),
    "lists that overtook each other": ("lists-overtook", overlapping(differ=True), overlapping(differ=False)),
    "a tool that is gone": ("call-of-removed-tool", removed(back=False), removed(back=True)),
    "a list that was sent and is not held": ("client-discards-fresh", discarded(kept=True), discarded(kept=False)),
}


def judged(given: Any) -> Diagnosis:
    parts = given if isinstance(given, tuple) else (given,)
    plays = [part for part in parts if isinstance(part, Play)]
    layers = {key: value for part in parts if isinstance(part, dict) for key, value in part.items()}
    return plays[0].judged(*plays[1:], **layers)


@pytest.mark.parametrize("name", VARIANTS)
def test_it_is_seen_with_its_frames_and_not_where_it_is_not(name):
    rule, broken, kept = VARIANTS[name]
    found = [each for each in judged(broken).findings if each.rule == rule and each.severity != "note"]
    assert found, name
    assert any(piece.startswith("wire") for each in found for piece in each.evidence)
    assert not [each for each in judged(kept).findings if each.rule == rule and each.severity != "note"]


def test_a_private_list_that_a_gateway_asks_for_in_its_own_name_is_no_leak():
    up = Play("http", version=MODERN, hop="gateway-server", client="gateway", principal="G").handshake().lists(A, B)
    down = Play("http", version=MODERN, hop="client-gateway", principal="A").handshake().lists(A, B)
    down.principal = "B"
    diagnosis = down.lists(A, B).wait(1).judged(up)
    assert "scope-leak" not in {each.rule for each in diagnosis.findings}


def message(play: Play, rule: str) -> str:
    return next(each.message for each in play.judged().findings if each.rule == rule)


def test_the_wait_and_the_end_of_a_session_are_told_apart():
    waited = message(Play().handshake().lists(A).signals().wait(20), "client-ignores-signal")
    ended = message(Play().handshake().lists(A).signals().wait(2).exits().ends("closed"), "client-ignores-signal")
    assert "in the 20.0 s that followed" in waited
    assert "before its session ended 2.0 s later" in ended


def test_a_dropped_stream_names_how_often_the_client_would_open_it_again():
    known = judged(dropped("claude-code"))
    unknown = judged(dropped("orchard-desk"))
    said = [
        next(each.message for each in found.findings if each.rule == "stream-dropped") for found in (known, unknown)
    ]
    assert "by its documentation" in said[0]
    assert "by its documentation" not in said[1]


def test_a_definition_that_was_redacted_is_compared_by_the_digest_that_it_had():
    def kept(digest: str) -> dict[str, Any]:
        return {**tool("ship", "Ships to ***."), "$redacted": True, "$digest": digest * 64}

    same = Play().handshake().lists(kept("a")).signals().lists(kept("a")).wait(20).judged()
    assert same.verdict.state == "in-sync"
    other = Play().handshake().lists(kept("a")).wait(5).lists(kept("b")).wait(20).judged()
    assert other.verdict.cause == "server-no-signal"

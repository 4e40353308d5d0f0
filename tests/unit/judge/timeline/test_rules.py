"""Each rule of the wire: a recording that breaks it, and the nearest one that does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from unit.judge.looks import PICK, PRESS, PRUNE, RIPEN, bundle, rules, seen, tool
from unit.judge.timeline.play import MODERN, Play

from diagnose.judge import Diagnosis, diagnose
from diagnose.judge.checks import CHECKS
from diagnose.judge.checks.probed import probed

A, B, C, D = PICK, PRUNE, RIPEN, PRESS
BOTH = (A, B)


def stdio(**how: Any) -> Play:
    return Play(**how).starts().handshake()


def http(**how: Any) -> Play:
    return Play("http", **how).handshake()


def modern(**how: Any) -> Play:
    return Play("http", version=MODERN, **how).handshake()


def origin(*tools: Any, t: float = 40.0, **rest: Any) -> dict[str, Any]:
    """A list that an own session read, so many seconds after the recording began."""
    look = seen("origin", list(tools), **rest)
    return {"origin": replace(look, at=f"2026-11-30T12:{int(t // 60):02d}:{t % 60:06.3f}Z")}


def storm(rounds: int) -> Play:
    play = stdio().lists(*BOTH)
    for _ in range(rounds):
        play.signals().lists(*BOTH)
    return play.wait(20)


def polling(*gaps: float) -> Play:
    play = modern().listens().lists(*BOTH, ttlMs=5000)
    for gap in gaps:
        play.wait(gap - 0.02).lists(*BOTH, ttlMs=5000)
    return play


def lost(*, anew: bool) -> Play:
    play = http().lists(*BOTH).wait(5)
    play.asks("tools/list").error(-32600, "Session not found", status=404)
    if anew:
        play.handshake(session="fp:s2").lists(*BOTH).wait(1).lists(*BOTH)
    else:
        play.asks("tools/list").error(-32600, "Session not found", status=404)
    return play.wait(20)


def refused_handshake(*, again: bool) -> Play:
    play = Play("http", version=MODERN)
    play.asks("server/discover").error(-32600, "Unsupported protocol version", status=400)
    if again:
        play.version = "2025-11-25"
        play.handshake().lists(*BOTH)
    return play.wait(20)


def after_probe(*, restarted: bool) -> Play:
    play = Play(version=MODERN).starts()
    play.asks("server/discover").exits(1)
    play.version = "2025-11-25"
    if restarted:
        return play.starts().handshake().lists(*BOTH).wait(20)
    return play.asks("initialize", {"protocolVersion": "2025-11-25"}).wait(20)


def header(version: str, *, then: bool = False) -> Play:
    play = Play("http", version="2025-06-18").handshake()
    play.asks("tools/list", mcp_protocol_version=version)
    play.error(-32000, "Bad Request", status=400) if version != "2025-06-18" else play.result(tools=[A])
    return play.asks("tools/list", mcp_protocol_version="2025-06-18").result(tools=[A]) if then else play


def denied(*, then: bool) -> Play:
    play = http().lists(*BOTH).wait(60).asks("tools/list").answers(status=401)
    return play.lists(*BOTH).wait(20) if then else play.wait(20)


def two_callers(scope: str) -> tuple[Play, ...]:
    play = Play("http", version=MODERN, principal="A").handshake()
    play.lists(*BOTH, cacheScope=scope)
    play.principal = "B"
    play.lists(A, cacheScope=scope)
    play.principal = "A"
    return (play.lists(*BOTH, cacheScope=scope),)


def gateway(*, told: bool, at: float = 20.0) -> tuple[Play, ...]:
    """The server's side of a gateway, where the list changes and a signal comes; and the client's side of it."""
    up = http(hop="gateway-server", client="gateway").listens().lists(*BOTH).wait(20)
    up.signals().lists(A, B, D).wait(100)
    down = http(hop="client-gateway").listens().lists(*BOTH)
    if told:
        down.wait(at).signals().lists(A, B, D)
    return down.wait(60), up


def cut_gateway(*, cut: bool) -> tuple[Play, ...]:
    up = http(hop="gateway-server", client="gateway").listens().lists(*BOTH).wait(20)
    up.signals().lists(A, B, D).wait(100)
    down = http(hop="client-gateway").listens().lists(*BOTH).wait(10)
    if cut:
        down.closes("server").wait(60)
    else:
        down.wait(10.2).signals().lists(A, B, D).wait(60)
    return down, up


def frozen_gateway(*, frozen: bool) -> tuple[Play, ...]:
    up = http(hop="gateway-server", client="gateway").lists(*BOTH).wait(10).lists(A, B, D).wait(100)
    down = (
        http(hop="client-gateway").wait(30).lists(*BOTH)
        if frozen
        else http(hop="client-gateway").wait(30).lists(A, B, D)
    )
    return down.wait(60), up


def filtered(*, granted: bool | None) -> Play:
    return modern().lists(*BOTH).listens(granted=granted).wait(3).signals()


def overtaken(*, crossed: bool) -> Play:
    play = stdio()
    play.asks("tools/list").asks("tools/list")
    first, second = play.ids - 1, play.ids
    for ask, tools in ((second, [A, B, D]), (first, [A, B])) if crossed else ((first, [A, B]), (second, [A, B, D])):
        play.answers({"result": {"tools": tools}}, ask=ask)
    return play.wait(1)


def old_schema(*, old: bool) -> Play:
    def ship(key: str) -> dict[str, Any]:
        return tool("ship", inputSchema={"type": "object", "properties": {key: {"type": "string"}}})

    return stdio().lists(ship("to")).signals().lists(ship("region")).calls("ship", **{"to" if old else "region": "x"})


def mixed(*, mixed_up: bool) -> Play:
    play = stdio().page([A, B], following="2")
    return play.page([B, C] if mixed_up else [C], "2").wait(20)


def scoped(second: str) -> Play:
    play = modern().page([A], following="2", cacheScope="public", ttlMs=60_000)
    return play.page([B], "2", cacheScope=second, ttlMs=60_000)


def manifest(revision: Any, count: int = 2) -> Play:
    return stdio().lists(*BOTH, _meta={"meridian/toolManifest": {"revision": revision, "count": count}})


Made = Callable[[], Any]

#: rule -> a recording (or several, or one with layers beside it) that breaks it, and one close to it that does not.
TRIALS: dict[str, tuple[Made, Made]] = {
    "auth-blocked": (lambda: denied(then=False), lambda: denied(then=True)),
    "call-by-old-schema": (lambda: old_schema(old=True), lambda: old_schema(old=False)),
    "call-of-removed-tool": (
        lambda: (
            stdio()
            .lists(A, B)
            .signals()
            .lists(A)
            .asks("tools/call", {"name": "prune_tree"})
            .error(-32602, "Unknown tool")
        ),
        lambda: stdio().lists(A, B).asks("tools/call", {"name": "prune_tree"}).error(-32602, "row is missing"),
    ),
    "capability-false-claim": (
        lambda: Play("http").handshake(session=None).requests("GET").answers(status=405),
        lambda: Play("http").handshake(list_changed=False, session=None).requests("GET").answers(status=405),
    ),
    "capability-undeclared": (
        lambda: Play().handshake(list_changed=False).lists(*BOTH).signals().wait(20),
        lambda: Play().handshake(list_changed=True).lists(*BOTH).signals().lists(*BOTH).wait(20),
    ),
    "client-ignores-signal": (
        lambda: stdio().lists(*BOTH).signals().wait(20),
        lambda: stdio().lists(*BOTH).signals().wait(3).lists(*BOTH).wait(20),
    ),
    "client-no-relist": (
        lambda: (http().listens().lists(*BOTH).signals().asks("tools/list").answers(status=502).wait(20),),
        lambda: (http().listens().lists(*BOTH).signals().asks("tools/list").answers(status=502).lists(*BOTH).wait(20),),
    ),
    "count-mismatch": (lambda: manifest(None, 3), lambda: manifest(None, 2)),
    "cursor-empty-string": (
        lambda: stdio().page([A], following="").page([A], "", ""),
        lambda: stdio().page([A], following="").page([B], ""),
    ),
    "cursor-invented": (
        lambda: stdio().asks("tools/list", {"cursor": "0"}).error(-32602, "Invalid cursor"),
        lambda: stdio().asks("tools/list", {"cursor": "0"}).error(-32602, "Invalid cursor").lists(*BOTH),
    ),
    "cursor-loop": (
        lambda: stdio().page([A], following="k").page([B], "k", "k"),
        lambda: stdio().page([A], following="k").page([B], "k"),
    ),
    "cursor-rejected": (
        lambda: stdio().page([A], following="k").asks("tools/list", {"cursor": "k"}).error(-32602, "Invalid cursor"),
        lambda: (
            stdio().page([A], following="k").asks("tools/list", {"cursor": "k"}).error(-32602, "Bad cursor").lists(A, B)
        ),
    ),
    "era-fallback-fail": (lambda: refused_handshake(again=False), lambda: refused_handshake(again=True)),
    "era-probe-kills-server": (lambda: after_probe(restarted=False), lambda: after_probe(restarted=True)),
    "header-mismatch": (lambda: header("2025-11-25"), lambda: header("2025-11-25", then=True)),
    "invalid-definition": (
        lambda: stdio().lists(A, {"name": "b", "inputSchema": {"anyOf": []}}),
        lambda: stdio().lists(A, {"name": "b", "inputSchema": {"type": "object"}}),
    ),
    "list-error": (
        lambda: stdio().asks("tools/list").error(-32603, "'_zod'"),
        lambda: stdio().asks("tools/list").error(-32603, "'_zod'").lists(*BOTH),
    ),
    "lists-overtook": (lambda: overtaken(crossed=True), lambda: overtaken(crossed=False)),
    "name-collision": (lambda: stdio().lists(A, tool("pick_apples", "Another.")), lambda: stdio().lists(A, B)),
    "order-unstable": (
        lambda: stdio().lists(A, B).lists(B, A),
        lambda: stdio().lists(A, B).lists(A, B),
    ),
    "page-mixed-snapshot": (lambda: mixed(mixed_up=True), lambda: mixed(mixed_up=False)),
    "page-scope-differs": (lambda: scoped("private"), lambda: scoped("public")),
    "page-truncated": (
        lambda: stdio().page([A], following="2").wait(20),
        lambda: stdio().page([A], following="2").wait(3).page([B], "2").wait(20),
    ),
    "proxy-buffers": (lambda: cut_gateway(cut=True), lambda: cut_gateway(cut=False)),
    "proxy-drops-signal": (lambda: gateway(told=False), lambda: gateway(told=True)),
    "proxy-frozen": (lambda: frozen_gateway(frozen=True), lambda: frozen_gateway(frozen=False)),
    "revision-mismatch": (lambda: manifest("0" * 64), lambda: manifest(None)),
    "scope-leak": (lambda: two_callers("public"), lambda: two_callers("private")),
    "server-no-signal": (
        lambda: stdio().lists(A).wait(5).lists(A, B).wait(20),
        lambda: stdio().lists(A).wait(5).signals().lists(A, B).wait(20),
    ),
    "server-frozen-snapshot": (
        lambda: (http().lists(*BOTH).wait(60).lists(*BOTH), origin(A, B, C, t=30)),
        lambda: (http().lists(*BOTH).wait(60).lists(A, B, C), origin(A, B, C, t=30)),
    ),
    "server-signal-early": (
        lambda: stdio().lists(A).signals().lists(A).wait(1).lists(A, B).wait(20),
        lambda: stdio().lists(A).signals().lists(A).wait(1).signals().lists(A, B).wait(20),
    ),
    "server-signal-storm": (lambda: storm(4), lambda: storm(1)),
    "session-lost": (lambda: lost(anew=False), lambda: lost(anew=True)),
    "startup-race": (
        lambda: (Play().handshake(list_changed=False).lists().wait(30), origin(*BOTH, t=20)),
        lambda: (Play().handshake(list_changed=False).wait(20).lists().wait(30), origin(*BOTH, t=40)),
    ),
    "stream-dropped": (
        lambda: (http().listens().lists(*BOTH).wait(5).closes().wait(60), origin(A, B, D)),
        lambda: (http().listens().lists(*BOTH).wait(5).closes().listens().wait(60), origin(A, B, D)),
    ),
    "stream-no-ack": (lambda: filtered(granted=False), lambda: filtered(granted=True)),
    "stream-not-opened": (
        lambda: (http().lists(*BOTH).wait(60), origin(A, B, D)),
        lambda: (http().listens().lists(*BOTH).wait(60), origin(A, B, D)),
    ),
    "timed-out": (
        lambda: stdio().asks("tools/list").wait(20).ends(),
        lambda: stdio().asks("tools/list").wait(5).ends(),
    ),
    "ttl-misuse": (lambda: polling(5, 5, 5, 5, 5), lambda: polling(5, 9, 5, 7, 5)),
    "ttl-window": (
        lambda: (modern().lists(*BOTH, ttlMs=600_000).wait(60), origin(A, B, D)),
        lambda: (modern().lists(*BOTH, ttlMs=20_000).wait(60), origin(A, B, D)),
    ),
    "wire-corrupt": (
        lambda: Play().write("server", "raw", text="Starting orchard\n").handshake().lists(*BOTH),
        lambda: Play().write("server", "stderr", text="Starting orchard\n").handshake().lists(*BOTH),
    ),
}


def judged(made: Made) -> Diagnosis:
    given = made()
    parts = given if isinstance(given, tuple) else (given,)
    plays = [part for part in parts if isinstance(part, Play)]
    layers = {key: value for part in parts if isinstance(part, dict) for key, value in part.items()}
    return plays[0].judged(*plays[1:], **layers)


def weight(diagnosis: Diagnosis) -> set[str]:
    return rules(diagnosis) | rules(diagnosis, "warning")


@pytest.mark.parametrize("rule", TRIALS)
def test_a_recording_that_breaks_the_rule_is_found(rule):
    diagnosis = judged(TRIALS[rule][0])
    found = [finding for finding in diagnosis.findings if finding.rule == rule]
    assert found, [finding.rule for finding in diagnosis.findings]
    assert found[0].severity in {"error", "warning"}
    assert any("wire" in each for finding in found for each in finding.evidence)
    assert all("{" not in finding.message for finding in found)
    assert [check.outcome for check in diagnosis.checks if check.rule == rule] == ["failed"]


@pytest.mark.parametrize("rule", TRIALS)
def test_one_close_to_it_is_not(rule):
    diagnosis = judged(TRIALS[rule][1])
    assert rule not in weight(diagnosis)
    assert not [check for check in diagnosis.checks if "fault of diagnose" in (check.why or "")]


def test_every_rule_of_the_wire_has_its_trial():
    of_the_wire = {
        name
        for name, each in CHECKS.items()
        # What needs an experiment or a probe of our own is tried where these are.
        if any(
            ".timeline." in eye.look.__module__
            and not eye.look.__module__.endswith((".subscriptions", ".held"))
            and probed not in eye.needs
            for eye in each.eyes
        )
    }
    assert of_the_wire == set(TRIALS)


@pytest.mark.parametrize("rule", TRIALS)
def test_without_a_recording_a_rule_of_the_wire_is_not_verified(rule):
    outcome = next(check for check in diagnose(bundle()).checks if check.rule == rule)
    assert outcome.outcome == "not-verified" or not CHECKS[rule].needs


OPEN = ("inconclusive", None, None)
IN_SYNC = ("in-sync", None, None)
#: Sessions in which nothing, or not enough, is wrong; or where the reading is not the first that comes to mind.
SUBTLE: list[tuple[str, Made, tuple[Any, ...], str | None]] = [
    (
        "a stream that is closed because its client said goodbye was there",
        lambda: http().listens().lists(*BOTH).deletes().closes("server"),
        OPEN,
        None,
    ),
    ("one list alone is no pair", lambda: stdio().lists(A).wait(200), OPEN, None),
    ("two lists that agree are one", lambda: stdio().lists(A).wait(20).lists(A), IN_SYNC, None),
    ("a debounced refresh", lambda: stdio().lists(A).signals().wait(0.3).lists(A, B).wait(20), IN_SYNC, None),
    (
        "a burst, and a list after its last",
        lambda: stdio().lists(A).signals().signals().lists(A, B).wait(20),
        IN_SYNC,
        None,
    ),
    ("a needless signal", lambda: stdio().lists(A).signals().lists(A).wait(20), IN_SYNC, None),
    (
        "a session that ended before the wait was over",
        lambda: stdio().lists(A).signals().wait(2).exits().ends("closed"),
        ("stale", "wire", "client-ignores-signal"),
        "likely",
    ),
    ("a recording that stopped sooner", lambda: stdio().lists(A).signals().wait(2), OPEN, None),
    ("a reaction that came late", lambda: stdio().lists(A).signals().wait(42).lists(A, B).wait(20), IN_SYNC, None),
    (
        "a client that lists again at an undeclared signal",
        lambda: Play().handshake(list_changed=False).lists(A).signals().lists(A, B).wait(20),
        ("broken", "origin", "capability-undeclared"),
        "proven",
    ),
    (
        "an undeclared signal, and the list unchanged",
        lambda: Play().handshake(list_changed=False).lists(A).signals().lists(A).wait(20),
        IN_SYNC,
        None,
    ),
    (
        "a signal ends the TTL",
        lambda: modern().lists(A, ttlMs=600_000).listens().wait(3).signals().wait(30),
        ("stale", "wire", "client-ignores-signal"),
        "proven",
    ),
    ("a normal fallback", lambda: refused_handshake(again=True).lists(*BOTH), IN_SYNC, None),
    (
        "a client that keeps its list when the eras no longer meet",
        lambda: (
            Play("http")
            .handshake()
            .lists(A)
            .asks("initialize", {"protocolVersion": "2026-05-11"})
            .error(-32602, "Unsupported", status=400)
            .wait(20)
        ),
        ("stale", "wire", "era-fallback-fail"),
        "proven",
    ),
    (
        "a list that was read after the client's session",
        lambda: (stdio().lists(A).wait(5).exits(), origin(A, B, t=60)),
        OPEN,
        None,
    ),
    (
        "a list that was read before the client's own",
        lambda: (stdio().wait(100).lists(A).wait(60), origin(A, B, t=20)),
        OPEN,
        None,
    ),
    (
        "a change that nobody was told of, seen from outside",
        lambda: (stdio().lists(A).wait(60), origin(A, B)),
        ("broken", "origin", "server-no-signal"),
        "likely",
    ),
    (
        "a change without any promise",
        lambda: (Play().handshake(list_changed=False).lists(A).wait(60), origin(A, B)),
        ("stale", "wire", "client-no-relist"),
        "possible",
    ),
    (
        "a failed refresh, and no sign of a change",
        lambda: http().lists(A).asks("tools/list").answers(status=502).wait(20),
        OPEN,
        None,
    ),
    (
        "a page that cannot be had",
        lambda: stdio().page([A], following="2").asks("tools/list", {"cursor": "2"}).error(-32603, "No.").wait(20),
        ("broken", "origin", "list-error"),
        "proven",
    ),
    (
        "a credential that is asked for first",
        lambda: Play("http").asks("initialize").answers(status=401).wait(1),
        OPEN,
        None,
    ),
    (
        "a stream that was cut, and nothing missed",
        lambda: (http().listens().lists(A).wait(5).closes().wait(60), origin(A)),
        IN_SYNC,
        None,
    ),
    (
        "what the server does at the hop of a gateway is the gateway's",
        lambda: Play(hop="client-gateway").handshake().page([A], following="k").page([A], "k", "k"),
        ("broken", "path", "cursor-loop"),
        "proven",
    ),
    (
        "what the client does at the hop to the server is the gateway's as well",
        lambda: stdio(hop="gateway-server").page([A], following="2").wait(20),
        ("stale", "path", "page-truncated"),
        "proven",
    ),
]


@pytest.mark.parametrize(
    ("made", "expected", "confidence"), [row[1:] for row in SUBTLE], ids=[row[0] for row in SUBTLE]
)
def test_a_subtle_session_gets_its_verdict(made, expected, confidence):
    verdict = judged(made).verdict
    assert (verdict.state, verdict.layer, verdict.cause) == expected
    assert confidence in {None, verdict.confidence}


def test_of_several_clients_the_worst_is_named():
    play = Play("http", client="well").handshake(session="fp:1").listens().lists(A).wait(1)
    deaf = Play("http", client="deaf").handshake(session="fp:2").listens().lists(A).wait(1)
    lines = [*play.lines, *({**line, "channel": f"x{line.get('channel')}"} for line in deaf.lines[1:])]
    play.lines = lines
    play.stream = "xh2"
    play.session = "fp:2"
    play.signals()
    play.stream, play.session = "h2", "fp:1"
    play.channels = 50
    diagnosis = play.signals().lists(A, B).wait(30).judged()
    assert (diagnosis.verdict.cause, diagnosis.verdict.layer) == ("client-ignores-signal", "wire")
    assert diagnosis.verdict.summary.startswith("deaf ")
    told = {entry["client"]["name"]: entry["verdict"]["state"] for entry in diagnosis.sessions}
    assert told == {"well": "in-sync", "deaf": "stale"}

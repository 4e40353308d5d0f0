"""Whatever a recording holds, in whatever order: it is read, judged, and never raises."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from unit.judge.looks import PICK, PRESS, PRUNE
from unit.judge.timeline.play import META, MODERN, Play

from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.recording import Recording
from diagnose.judge import Diagnosis, diagnose
from diagnose.judge.timeline import listing

TARGET = Target(id="orchard", transport="http", endpoint="https://orchard.test/mcp")
HEADER = {"schema": "diagnose.recording/1", "startedAt": "2026-11-30T12:00:00Z"}


def judged(*recordings: Recording) -> Diagnosis:
    return diagnose(Bundle(created_at="2026-11-30T13:00:00Z", target=TARGET, wire=recordings))


def whole(diagnosis: Diagnosis) -> None:
    crashed = [check for check in diagnosis.checks if "fault of diagnose" in (check.why or "")]
    assert not crashed
    assert diagnosis.exit_code in {0, 1, 3}
    verdict = diagnosis.verdict
    assert (verdict.cause is None) == (verdict.state in {"in-sync", "inconclusive"})


def story() -> list[dict[str, Any]]:
    """A long session with nearly everything in it, over HTTP and in both eras."""
    play = Play("http").handshake().listens().lists(PICK).signals().page([PICK], following="2").page([PRUNE], "2", "")
    play.calls("press_cider").asks("tools/list").error(-32600, "Session not found", status=404).closes()
    play.version = MODERN
    play.handshake().listens(granted=False).lists(PICK, PRUNE, ttlMs=1.5).signals().lists(PICK, PRESS, ttlMs=60_000)
    play.calls("pick_apples").acts("user refresh").deletes().write("server", "raw", text="junk\r\n")
    return play.starts().exits(3).ends("closed").lines


STORY = story()


@settings(max_examples=150, deadline=None)
@given(st.permutations(range(1, len(STORY))), st.integers(0, len(STORY)), st.sampled_from(["stdio", "http"]))
def test_any_order_and_any_cut(order, length, transport):
    lines = [STORY[place] for place in order][:length]
    whole(judged(Recording.of_objects([{**HEADER, "transport": transport}, *lines])))


def test_every_cut_of_a_session_is_judged():
    for length in range(1, len(STORY) + 1):
        whole(judged(Recording.of_objects(STORY[:length])))


def test_an_inconclusive_beginning_says_what_it_suspects():
    cut = Play().handshake().lists(PICK).lists(PICK).signals().cut
    verdict = judged(cut).verdict
    assert verdict.state == "inconclusive"
    assert [candidate.cause for candidate in verdict.candidates] == ["client-ignores-signal"]
    assert any("cut" in limit for limit in verdict.limits)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=True)
    | st.sampled_from(["", "2", "tools/list"])
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "tools", "id", "_meta"]), inner, max_size=3), max_leaves=6)  # fmt: skip
METHODS = ("initialize", "server/discover", "tools/list", "tools/call", "subscriptions/listen", "notifications/tools/list_changed", "notifications/subscriptions/acknowledged", "notifications/cancelled")  # fmt: skip
FIELDS = ("protocolVersion", "cursor", "name", "arguments", "notifications", "_meta", "clientInfo", "requestId")
RESULTS = ("tools", "nextCursor", "ttlMs", "cacheScope", "capabilities", "serverInfo", "supportedVersions", "isError", "content", "_meta")  # fmt: skip
ASKS = st.fixed_dictionaries({"method": st.sampled_from(METHODS), "params": st.dictionaries(st.sampled_from(FIELDS), VALUES)}, optional={"id": VALUES})  # fmt: skip
TELLS = st.fixed_dictionaries({"id": VALUES}, optional={"result": st.dictionaries(st.sampled_from(RESULTS), VALUES), "error": VALUES})  # fmt: skip
EVENTS = st.fixed_dictionaries(
    {
        "t": st.floats(0, 100),
        "from": st.sampled_from(["client", "server", "tap"]),
        "kind": st.sampled_from(
            ["message", "request", "response", "stream-open", "stream-close", "raw", "process", "end"]
        ),
    },
    optional={
        "message": ASKS | TELLS | VALUES | st.lists(ASKS, max_size=2),
        "channel": st.sampled_from(["h1", "h2"]),
        "session": st.sampled_from(["fp:1", "fp:2"]),
        "status": st.sampled_from([200, 400, 401, 404, 405, 502]),
        "method": st.sampled_from(["GET", "POST", "DELETE"]),
        "text": st.sampled_from(["{", "{}\r\n", ": ping", '{"a":1}{"b":2}']),
        "event": st.sampled_from(["start", "exit"]),
        "by": st.sampled_from(["client", "server"]),
        "headers": st.dictionaries(
            st.sampled_from(["mcp-session-id", "mcp-protocol-version", "authorization"]), st.sampled_from(["a", MODERN])
        ),
    },
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(EVENTS, max_size=20),
    st.sampled_from(["stdio", "http"]),
    st.sampled_from(["client-server", "client-gateway"]),
)
def test_any_events_at_all(events, transport, hop):
    one = Recording.of_objects([{**HEADER, "transport": transport, "hop": hop}, *events])
    whole(judged(one, Recording.of_objects([{**HEADER, "transport": transport, "hop": "gateway-server"}, *events])))


def test_a_storm_of_different_things_stays_small():
    lines: list[dict[str, Any]] = [{**HEADER, "transport": "http"}]
    for number in range(3_000):
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": {"cursor": str(number), "_meta": {f"{META}protocolVersion": MODERN}}}  # fmt: skip
        lines.append({"t": number, "from": "client", "kind": "request", "channel": f"h{number}", "message": message})
    diagnosis = judged(Recording.of_objects(lines))
    whole(diagnosis)
    assert len(str(diagnosis.sessions)) < 200_000


def test_a_walk_that_never_ends_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(listing, "_MOST_PAGES", 5)
    play = Play().handshake().page([PICK], following="k")
    for _ in range(20):
        play.page([PICK], "k", "k")
    (walk,) = play.timeline.sessions[0].walks
    assert len(walk.pages) == 5
    assert (walk.pages[0].answered.frame, walk.pages[-1].answered.frame) == (6, play.frame)
    assert play.judged().verdict.cause == "cursor-loop"

"""What a gateway, a client and a model show: each cause with the evidence that it demands, and beside it the same without."""

from dataclasses import replace

import pytest
from unit.judge.looks import ORCHARD, PICK, PRESS, PRUNE, RIPEN, tool
from unit.judge.looks import origin as looked_at
from unit.judge.looks import seen as seen_now
from unit.judge.timeline.play import MODERN, STARTED, Play

from diagnose.evidence.bundle import Bundle, ClientEntry, Target
from diagnose.evidence.observation import Page
from diagnose.judge import diagnose

FOUR = [*ORCHARD, PRESS]
BARE = tool("b", inputSchema={"anyOf": [{"type": "object"}]})
LONG = tool("guide", "Walk along the rows and look. " * 200)
SESSION = {"at": "2026-11-30T12:00:50.000Z", "session": "running"}


def seen(layer, tools, *, at=None, **rest):
    found = seen_now(layer, tools, **rest)
    return found if at is None else replace(found, at=at)


def origin(tools=ORCHARD, *, at=None, **rest):
    found = looked_at(tools, **rest)
    return found if at is None else replace(found, at=at)


def client(name="codex", **rest):
    return ClientEntry(id=name, server_key=rest.pop("key", "orchard"), **rest)


def registry(tools, **rest):
    return seen("registry", tools, **{"session": "running", **rest})


def model(tools, **rest):
    return seen("model", tools, **rest)


def path(tools, **rest):
    return seen("path", tools, era="legacy", **rest)


def pages(*lists):
    ends = [f"p{place}" for place in range(1, len(lists))]
    pairs = zip([None, *ends], [*ends, None], lists, strict=True)
    return tuple(Page(cursor=cursor, next_cursor=after, names=tuple(names)) for cursor, after, names in pairs)


def judged(*plays, http=True, **layers):
    target = Target(id="orchard", transport="http" if http else "stdio", endpoint="https://orchard.test/mcp")
    wire = tuple(play.recording for play in plays)
    return diagnose(Bundle(created_at=STARTED, target=target, wire=wire, **layers))


def named(diagnosis):
    verdict = diagnosis.verdict
    return "/".join(str(each) for each in (verdict.state, verdict.layer, verdict.cause) if each is not None)


def talk(*lists, name="orchard-desk", version="2025-11-25", transport="http"):
    play = Play(transport, client=name, version=version).handshake(list_changed=None)
    for tools in lists:
        play.lists(*tools).wait(20)
    return play


#: A cause, the evidence that shows it, and the nearest evidence that does not: what is named then.
PAIRS = [
    ("stale/path/proxy-frozen", {"origin": origin(FOUR), "path": path(ORCHARD)}, {"path": path(FOUR)}, "in-sync"),
    (
        "stale/path/page-truncated",
        {"origin": origin(FOUR, pages=pages(["pick_apples", "prune_tree"], ["ripen", "press_cider"])), "path": path([PICK, PRUNE])},
        {"path": path(ORCHARD)},
        "stale/path/proxy-frozen",
    ),
    (
        "stale/registry/client-registry-stale",
        {"origin": origin(FOUR), "registry": registry(ORCHARD), "client": client()},
        {"registry": registry(FOUR)},
        "in-sync",
    ),
    (
        "stale/registry/client-registry-stale",
        {"origin": origin(FOUR), "registry": registry([each["name"] for each in ORCHARD], names_only=True)},
        {"registry": registry([each["name"] for each in FOUR], names_only=True)},
        "inconclusive",
    ),
    (
        "stale/registry/page-truncated",
        {"origin": origin(FOUR, pages=pages(["pick_apples", "prune_tree"], ["ripen", "press_cider"])), "registry": registry([PICK, PRUNE])},
        {"registry": registry([PICK])},
        "stale/registry/client-registry-stale",
    ),
    (
        "broken/registry/schema-rejects-all",
        {"origin": origin([PICK, BARE]), "registry": registry([])},
        {"origin": origin(ORCHARD)},
        "stale/registry/client-registry-stale",
    ),
    (
        "broken/registry/schema-rejects-one",
        {"origin": origin([PICK, BARE]), "registry": registry([PICK])},
        {"registry": registry([BARE])},
        "broken/origin/invalid-definition",
    ),
    (
        "stale/registry/policy-stale",
        {"origin": origin(ORCHARD), "registry": registry(ORCHARD), "client": client(deny=("press_cider",))},
        {"client": client(deny=("mcp__pear__press_cider", "Bash(git:*)")), "registry": registry(ORCHARD)},
        "in-sync",
    ),
    (
        "stale/registry/client-cap",
        {"origin": origin([tool(f"row_{place}") for place in range(60)]), "registry": registry([tool(f"row_{place}") for place in range(40)]), "client": client("cursor")},
        {"registry": registry([tool(f"row_{place}") for place in range(41)])},
        "stale/registry/client-registry-stale",
    ),
    (
        "stale/registry/startup-race",
        {"origin": origin(ORCHARD), "registry": registry([], meta={"status": "pending"})},
        {"registry": registry([], meta={"status": "connected"})},
        "stale/registry/client-registry-stale",
    ),
    (
        "stale/registry/ttl-window",
        {"origin": origin(FOUR), "registry": registry(ORCHARD, ttl_ms=3_600_000)},
        {"registry": registry(ORCHARD, ttl_ms=0)},
        "stale/registry/client-registry-stale",
    ),
    (
        "stale/model/client-index-stale",
        {"origin": origin(FOUR), "registry": registry(FOUR), "model": model(ORCHARD)},
        {"model": model(FOUR)},
        "in-sync",
    ),
    (
        "stale/model/startup-race",
        {"origin": origin(ORCHARD), "model": model([], names_only=True, servers=({"name": "orchard", "status": "pending"},)), "client": client()},
        {"model": model([], names_only=True, servers=({"name": "orchard", "status": "connected"},))},
        "inconclusive",
    ),
    (
        "in-sync",
        {"origin": origin([LONG]), "model": model([{**LONG, "description": LONG["description"][:2048]}]), "client": client("claude-code")},
        {"model": model([{**LONG, "description": LONG["description"][:2048] + " And more."}])},
        "stale/model/client-index-stale",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cause", "shows", "near", "otherwise"), PAIRS, ids=[f"{place} {row[0]}" for place, row in enumerate(PAIRS)]
)
def test_a_cause_and_what_comes_near_it(cause, shows, near, otherwise):
    assert named(judged(**shows)) == cause
    assert named(judged(**{**shows, **near})) == otherwise


def test_what_was_sent_and_not_kept_is_discarded():
    sent = talk(ORCHARD, FOUR)
    assert named(judged(sent, registry=registry(ORCHARD, **SESSION))) == "stale/registry/client-discards-fresh"
    assert named(judged(sent, registry=registry(FOUR, **SESSION))) == "in-sync"
    # A view from before the second list was sent says nothing about it.
    assert named(judged(sent, registry=registry(ORCHARD, at="2026-11-30T12:00:05.000Z"))) == "in-sync"


def test_old_and_new_together_are_told_as_a_union():
    diagnosis = judged(talk([PICK], [PRESS]), registry=registry([PICK, PRESS], **SESSION))
    assert named(diagnosis) == "stale/registry/client-discards-fresh"
    assert "joined" in diagnosis.verdict.summary


def test_a_vendor_keeps_its_own_list():
    sent = talk(FOUR, name="claude-ai")
    old = registry([PICK, RIPEN, PRESS], **SESSION)
    assert named(judged(sent, registry=old, client=client("claude-ai"))) == "stale/registry/hosted-snapshot"
    assert named(judged(sent, registry=old, client=client("cline"))) == "stale/registry/client-discards-fresh"


def test_a_failed_refresh_of_a_hosted_client_is_the_wire_s():
    play = talk([PICK, RIPEN], name="claude-ai").wait(4000).acts("user refresh").asks("tools/list").answers(status=502)
    now = origin(FOUR, at="2026-11-30T13:10:00.000Z")
    old = registry([PICK, RIPEN], at="2026-11-30T13:09:00.000Z", session="running")
    found = judged(play.wait(60), origin=now, registry=old, client=client("claude-ai"))
    assert named(found) == "stale/wire/client-no-relist"


def test_an_empty_list_that_outlives_its_session_is_poisoned():
    play = Play("stdio").starts().handshake(list_changed=None).lists().wait(3).exits().ends("closed")
    late = origin(ORCHARD, at="2026-11-30T12:10:00.000Z")
    after = {"at": "2026-11-30T12:11:00.000Z"}
    assert (
        named(judged(play, origin=late, registry=registry([], **after), http=False)) == "stale/registry/empty-poisoned"
    )
    full = judged(play, origin=late, registry=registry(ORCHARD, **after), http=False)
    assert full.verdict.cause != "empty-poisoned"


def test_a_turn_that_began_before_the_refresh_is_its_boundary():
    def play(turns):
        began = Play("stdio").handshake().lists(*ORCHARD).acts("turn 4 begins").wait(5).signals().lists(*FOUR)
        return (began.wait(5).acts("turn 5 begins") if turns else began).wait(20)

    old = model(ORCHARD, at="2026-11-30T12:00:25.000Z", turn=4)
    assert named(judged(play(False), model=old, http=False)) == "stale/model/turn-boundary"
    later = model(ORCHARD, at="2026-11-30T12:00:25.000Z", turn=5)
    assert named(judged(play(True), model=later, http=False)) == "stale/model/client-index-stale"


def test_a_cut_name_that_is_called_reaches_nothing():
    name = "pick_apples_of_every_row_of_the_orchard"
    play = Play("stdio").handshake(list_changed=None).lists(tool(name)).wait(5)
    play.asks("tools/call", {"name": name[:24], "arguments": {}}).error(-32602, f"Unknown tool: {name[:24]}")
    found = judged(play.wait(20), http=False)
    assert "name-mangled" in {each.rule for each in found.findings}
    other = Play("stdio").handshake(list_changed=None).lists(tool(name)).wait(5)
    other.asks("tools/call", {"name": "list_pears", "arguments": {}}).error(-32602, "Unknown tool: list_pears")
    assert "name-mangled" not in {each.rule for each in judged(other.wait(20), http=False).findings}


def test_an_older_grant_is_told_by_its_list():
    before, after = origin([PICK], principal="before"), origin([PICK, PRESS], principal="after")
    both = replace(after, samples=(before, after))
    assert named(judged(origin=both, registry=registry([PICK]))) == "stale/registry/auth-view-diff"
    assert named(judged(origin=both, registry=registry([PICK, PRESS]))) == "in-sync"


def test_a_view_of_a_new_session_clears_no_running_one():
    found = judged(origin=origin(FOUR), registry=registry(FOUR, session="new"))
    assert named(found) == "in-sync"
    assert any("running session" in limit for limit in found.verdict.limits)
    running = judged(origin=origin(FOUR), registry=registry(FOUR, session="running"))
    assert not any("running session" in limit for limit in running.verdict.limits)


def test_a_gateway_s_prefix_and_foreign_tools_are_taken_out():
    through = [*({**each, "name": f"orchard_{each['name']}"} for each in ORCHARD), tool("pear_list")]
    found = judged(origin=origin(ORCHARD), path=path(through))
    assert named(found) == "in-sync"
    pair = next(each for each in found.comparisons if each.newer == "path")
    assert pair.relation == "equivalent"
    assert "orchard_" in pair.why
    assert named(judged(origin=origin(FOUR), path=path(through))) == "stale/path/proxy-frozen"


def test_a_playbook_speaks_for_its_client_alone():
    old = {"origin": origin(FOUR), "registry": registry(ORCHARD)}
    steps = [judged(**old, client=client(name)).verdict.next for name in ("codex", "vscode", "nobody-knows-it")]
    assert any("Codex" in step for step in steps[0])
    assert any("VS Code" in step for step in steps[1])
    assert not any("Codex" in step or "VS Code" in step for step in steps[2])


def test_two_servers_of_one_client_are_not_one_list():
    plays = []
    for name in ("orchard", "pears"):
        play = Play("stdio", client="desk")
        play.lines[0]["target"] = name
        plays.append(play.handshake(list_changed=None).lists(tool("search", f"Search {name}.")).wait(20))
    one = registry([tool("search", "Search orchard.")], **SESSION)
    assert named(judged(*plays, registry=one, http=False)) == "broken/registry/name-collision"
    apart = registry(
        [tool("mcp__orchard__search", "Search orchard."), tool("mcp__pears__search", "Search pears.")], **SESSION
    )
    own = client("claude-code", other_server_keys=("pears",))
    assert "name-collision" not in named(judged(*plays, registry=apart, client=own, http=False))


@pytest.mark.parametrize("version", ["2025-11-25", MODERN])
def test_both_eras_are_judged_alike(version):
    sent = talk(ORCHARD, FOUR, version=version)
    assert named(judged(sent, registry=registry(ORCHARD, **SESSION))) == "stale/registry/client-discards-fresh"


def test_another_tool_than_the_one_that_was_asked_for():
    def play(called):
        return (
            Play("stdio")
            .handshake(list_changed=None)
            .lists(*ORCHARD)
            .acts("the model chose ripen")
            .calls(called)
            .wait(20)
        )

    assert named(judged(play("prune_tree"), http=False)) == "broken/wire/wrong-tool-called"
    assert named(judged(play("ripen"), http=False)) == "inconclusive"


def test_a_view_that_is_ahead_of_the_recording_has_lost_nothing():
    late = origin(FOUR, at="2026-11-30T12:00:30.000Z")
    found = judged(
        talk(ORCHARD).wait(20), origin=late, registry=registry(FOUR, at="2026-11-30T12:00:40.000Z", session="new")
    )
    assert found.verdict.layer == "wire"
    assert not [each for each in found.findings if each.rule == "client-discards-fresh"]
    both = judged(talk(ORCHARD).wait(20), origin=late, registry=registry(ORCHARD, at="2026-11-30T12:00:40.000Z"))
    assert both.verdict.layer == "wire"
    assert not [each for each in both.findings if each.rule == "client-discards-fresh"]

"""Odd requests: what is sent, and how the answers are kept. Against small servers of the test's own, over real sockets."""

import sys
from contextlib import contextmanager

import pytest
from support.mcp_http import MODERN, TOOLS, Said, answering, error, html, legacy, modern, result

from diagnose.errors import ObservationError
from diagnose.observe.experiments.asking import ask_modern
from diagnose.observe.experiments.cursors import INVENTED, cursor_again, invented_cursor
from diagnose.observe.experiments.dialogues import over_http, over_stdio
from diagnose.observe.experiments.hints import other_hints
from diagnose.observe.experiments.refusals import NO_METHOD, NO_VERSION, contradictions, removed_methods
from diagnose.observe.experiments.versions import handshake, modern_versions, tried_versions
from diagnose.observe.session import open_http
from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient

LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")


@contextmanager
def talking(endpoint, http):
    with answering(endpoint) as url, over_http(http, url, timeout=5) as dialogue:
        yield dialogue


@contextmanager
def session(endpoint, http, era):
    with answering(endpoint) as url, open_http(http, url, era=era, timeout=5) as opened:
        yield opened


def now():
    return "2026-11-30T12:00:00.000Z"


# Cursors.


@pytest.mark.parametrize(("make", "era"), [(modern, "modern"), (legacy, "legacy")])
def test_an_invented_cursor_is_asked_with_and_the_answer_kept(make, era, http):
    refusing = make(tools__list=lambda asked: error(asked, -32602, "unknown cursor", 400))
    with session(refusing, http, era) as opened:
        answer = invented_cursor(opened)
    assert (answer.refused, answer.code, answer.status, answer.result) == (True, -32602, 400, None)
    assert [asked.params["cursor"] for asked in refusing.asked if "cursor" in asked.params] == [INVENTED]


def test_a_page_for_an_invented_cursor_is_kept(http):
    with session(modern(), http, "modern") as opened:
        answer = invented_cursor(opened)
    assert answer.result["tools"] == TOOLS


def _paged(fresh_cursors):
    """Two pages; with ``fresh_cursors`` a cursor is good for one request."""
    issued = []

    def answer(asked):
        cursor = asked.params.get("cursor")
        if cursor is None:
            issued.append(f"c{len(issued)}" if fresh_cursors else "c")
            return result(asked, {"tools": TOOLS[:2], "nextCursor": issued[-1]})
        if cursor != issued[-1]:
            return error(asked, -32602, "expired", 400)
        return result(asked, {"tools": TOOLS[2:]})

    return answer


@pytest.mark.parametrize(("fresh", "now_names", "reissued"), [(False, ("ripen",), True), (True, None, False)])
def test_a_cursor_is_used_again_after_the_next_walk(http, fresh, now_names, reissued):
    with session(modern(tools__list=_paged(fresh)), http, "modern") as opened:
        again = cursor_again(opened, now=now)
    assert (again.then, again.now, again.reissued) == (("ripen",), now_names, reissued)


def test_where_there_is_one_page_there_is_no_cursor_to_use_again(http):
    with session(modern(), http, "modern") as opened:
        assert cursor_again(opened, now=now) == "the list has one page"


def test_a_list_that_changes_says_nothing_of_cursors(http):
    lists = iter([TOOLS[:2], TOOLS[2:], TOOLS[:1], TOOLS[2:]])

    def answer(asked):
        following = {} if "cursor" in asked.params else {"nextCursor": "c"}
        return result(asked, {"tools": next(lists), **following})

    with session(modern(tools__list=answer), http, "modern") as opened:
        assert cursor_again(opened, now=now) == "the list changed between two walks"


# Refusals.


def test_headers_contradict_the_body_one_at_a_time(http):
    endpoint = modern()
    with talking(endpoint, http) as dialogue:
        answers = contradictions(dialogue, MODERN)
    sent = [(asked.headers.get("mcp-method"), asked.headers["mcp-protocol-version"]) for asked in endpoint.asked]
    assert sent == [("prompts/list", MODERN), (None, MODERN), ("tools/list", NO_VERSION)]
    for asked in endpoint.asked:
        assert asked.method == "tools/list"
        assert asked.params["_meta"]["io.modelcontextprotocol/protocolVersion"] == MODERN
    assert [answer.result is not None for answer in answers] == [True, True, True]
    assert len({answer.what for answer in answers}) == 3


def test_removed_and_unknown_methods_are_asked_for(http):
    endpoint = modern(ping=lambda asked: error(asked, -32601, "Method not found", 404))
    with talking(endpoint, http) as dialogue:
        ping, unknown = removed_methods(dialogue, MODERN)
    assert endpoint.methods == ["ping", NO_METHOD]
    assert (ping.code, ping.status, ping.refused) == (-32601, 404, True)
    assert (unknown.code, unknown.status, unknown.refused) == (None, 404, False)
    assert unknown.why == "HTTP 404 and no JSON-RPC answer"


@pytest.mark.parametrize(
    ("said", "why"),
    [(Said(status=401), "asks for a credential"), (Said(status=200, body=b"[]"), "no JSON-RPC answer")],
)
def test_whatever_comes_is_an_answer(http, said, why):
    with talking(modern(ping=said), http) as dialogue:
        answer = ask_modern(dialogue, "ping", version=MODERN)
    assert why in answer.why
    assert answer.status == said.status


def test_a_deadline_that_is_over_ends_it():
    with (
        HttpClient(timeout=5, deadline=Deadline(0.001)) as http,
        answering(modern()) as url,
        pytest.raises(ObservationError) as caught,
        over_http(http, url, timeout=5) as dialogue,
    ):
        ask_modern(dialogue, "ping", version=MODERN)
    assert caught.value.rule == "timed-out"


# Hints.


def test_the_other_lists_are_walked_for_their_hints(http):
    def prompts(asked):
        if "cursor" in asked.params:
            return result(asked, {"prompts": [], "ttlMs": 1, "cacheScope": "private"})
        return result(asked, {"prompts": [], "nextCursor": "", "ttl": 60, "cacheScope": "public"})

    endpoint = modern(prompts__list=prompts, resources__list=lambda asked: error(asked, -32603, "no", 500))
    found = {"capabilities": {"prompts": {}, "resources": {}}, "ttlMs": 5, "supportedVersions": [MODERN]}
    with talking(endpoint, http) as dialogue:
        hints = {each.method: each for each in other_hints(dialogue, found, MODERN)}
    assert hints["server/discover"].pages == ({"ttlMs": 5},)
    assert hints["prompts/list"].pages == (
        {"ttl": 60, "cacheScope": "public"},
        {"ttlMs": 1, "cacheScope": "private"},
    )
    assert (hints["prompts/list"].why, hints["resources/list"].pages) == (None, ())
    assert "-32603" in hints["resources/list"].why
    assert hints["resources/templates/list"].why == "HTTP 404 and no JSON-RPC answer"


def test_what_is_not_declared_is_not_asked_for(http):
    endpoint = modern()
    with talking(endpoint, http) as dialogue:
        assert [each.method for each in other_hints(dialogue, {"capabilities": {"tools": {}}}, MODERN)] == [
            "server/discover"
        ]
    assert endpoint.asked == []


@pytest.mark.parametrize("following", ["c", 7])
def test_cursors_that_lead_nowhere_end_the_walk(http, following):
    endless = modern(prompts__list=lambda asked: result(asked, {"prompts": [], "nextCursor": following}))
    with talking(endless, http) as dialogue:
        _, prompts = other_hints(dialogue, {"capabilities": {"prompts": {}}}, MODERN)
    assert prompts.why == "the cursors of prompts/list lead nowhere"
    assert len(endless.asked) <= 2


# Versions.


def _dual(taken, *, named, session=None):
    """A server that takes some handshakes, answers others with its newest, and names what it is told to name."""

    def initialize(asked):
        version = asked.params["protocolVersion"]
        agreed = version if version in taken else taken[0]
        headers = {"Mcp-Session-Id": session} if session else {}
        return result(asked, {"protocolVersion": agreed, "capabilities": {}, "serverInfo": {}}, **headers)

    return modern(initialize=initialize, DELETE=Said(status=204)), {
        "supportedVersions": named,
        "capabilities": {"tools": {}},
    }


def versions(endpoint, found, http):
    with answering(endpoint) as url:
        return {
            each.version: (each.named, each.accepted)
            for each in tried(lambda: over_http(http, url, timeout=5), found, "http")
        }


def tried(open_dialogue, found, transport, then=None):
    with open_dialogue() as dialogue:
        used = modern_versions(dialogue, found)
    return tried_versions(lambda version: handshake(open_dialogue, version, then), found, used, transport)


def test_each_version_is_used_once_and_each_session_is_ended(http):
    endpoint, found = _dual(LEGACY[:2], named=[MODERN, LEGACY[0], LEGACY[2]], session="s1")
    assert versions(endpoint, found, http) == {
        MODERN: (True, True),
        LEGACY[0]: (True, True),
        LEGACY[1]: (False, True),
        LEGACY[2]: (True, False),
        LEGACY[3]: (False, False),
    }
    ended = [asked.headers.get("mcp-session-id") for asked in endpoint.asked if asked.verb == "DELETE"]
    assert ended == ["s1"] * 4


def test_a_modern_version_is_refused_only_where_another_one_works(http):
    def listing(asked):
        version = asked.params["_meta"]["io.modelcontextprotocol/protocolVersion"]
        return result(asked, {"tools": []}) if version == MODERN else error(asked, -32022, "no", 400)

    found = {"supportedVersions": [MODERN, "2099-01-01", 5], "capabilities": {"tools": {}}}
    used = versions(modern(tools__list=listing), found, http)
    assert used["2099-01-01"] == (True, False)
    broken = modern(tools__list=lambda asked: error(asked, -32603, "no", 500))
    assert versions(broken, found, http)[MODERN] == (True, None)


def test_a_page_for_an_answer_tells_nothing_of_a_version(http):
    assert versions(modern(initialize=html(404)), {"supportedVersions": [MODERN]}, http)[LEGACY[0]] == (False, None)


CHILD = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    version = asked["params"].get("protocolVersion")
    said = {"result": {"protocolVersion": version}} if version == "2025-11-25" else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}), flush=True)
"""


def test_over_stdio_a_child_is_started_for_each_handshake_and_few_are_tried():
    deadline = Deadline(20)
    found = {"supportedVersions": [MODERN, "2025-06-18", "2025-03-26", "2024-10-07"], "capabilities": {}}
    went_on = []
    used = tried(
        lambda: over_stdio([sys.executable, "-c", CHILD], timeout=5, deadline=deadline),
        found,
        "stdio",
        lambda _, result: went_on.append(result["protocolVersion"]),
    )
    assert went_on == ["2025-11-25"]
    assert [(each.version, each.accepted) for each in used] == [
        (MODERN, None),
        ("2024-10-07", False),
        ("2025-11-25", True),
    ]

"""The live list: pages, what the server says of it, several walks, and how each failure is told. Real sockets."""

import json
from contextlib import contextmanager
from itertools import count

import pytest
from support.mcp_http import INFO, MODERN, TOOLS, Endpoint, Said, answering, error, events, html, legacy, modern, result
from support.sent import check_http

from diagnose.errors import CredentialRefusedError
from diagnose.judge.walks import Walks
from diagnose.observe.origin import observe_origin
from diagnose.observe.session import open_http, open_stdio
from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient
from diagnose.wire.paging import Limits

A = TOOLS
B = [*TOOLS, {"name": "press_cider", "inputSchema": {"type": "object"}}]


@contextmanager
def serving(endpoint):
    with (
        answering(endpoint) as url,
        HttpClient(timeout=5, deadline=Deadline(20), sleep=lambda _: None) as http,
    ):
        yield http, url


def look(endpoint, *, era="auto", **options):
    clock = count()
    with serving(endpoint) as (http, url):
        return observe_origin(
            lambda: open_http(http, url, era=era, timeout=5), now=lambda: f"t{next(clock)}", **options
        )


def paged(size, tools=TOOLS, **more):
    """Answer `tools/list` in pages of ``size``, with the offset as the cursor."""

    def answer(asked):
        start = int(asked.params.get("cursor", 0))
        following = {"nextCursor": str(start + size)} if start + size < len(tools) else {}
        return result(asked, {"resultType": "complete", "tools": tools[start : start + size], **following, **more})

    return answer


def in_turn(*lists):
    """Answer each `tools/list` with the next of the lists; the last one stays."""
    left = list(lists)

    def answer(asked):
        tools = left.pop(0) if len(left) > 1 else left[0]
        return result(asked, {"resultType": "complete", "tools": tools})

    return answer


def surfaces(seen):
    return ["B" if sample.surface.count == len(B) else "A" for sample in seen.samples]


def test_definitions_of_several_walks_are_in_memory_once():
    known = json.loads(json.dumps(TOOLS[:1]))
    seen = look(modern(tools__list=in_turn(A, B)), walks=2, known=known)
    assert surfaces(seen)[:2] == ["A", "B"]
    first, second = (sample.surface.raw_entries for sample in seen.samples[:2])
    assert all(one is other for one, other in zip(first, second, strict=False))
    assert first[0] is known[0]


# One walk.


def test_a_list_of_one_page():
    endpoint = modern()
    seen = look(endpoint)
    assert (seen.layer, seen.complete, seen.era, seen.protocol_version) == ("origin", True, "modern", MODERN)
    assert seen.surface.names == ("pick_apples", "prune_tree", "ripen")
    assert (seen.ttl_ms, seen.cache_scope, len(seen.pages), seen.samples) == (0, "private", 1, ())
    assert (seen.failure, seen.anomalies, seen.server_info) == (None, (), INFO)
    assert endpoint.methods == ["server/discover", "tools/list"]


@pytest.mark.parametrize("make", [modern, legacy])
def test_every_page_is_read(make):
    endpoint = make(tools__list=paged(1, ttlMs=5, cacheScope="public"))
    seen = look(endpoint)
    assert seen.surface.count == 3
    assert [(page.cursor, page.next_cursor, page.names) for page in seen.pages] == [
        (None, "1", ("pick_apples",)),
        ("1", "2", ("prune_tree",)),
        ("2", None, ("ripen",)),
    ]
    assert [page.ttl_ms for page in seen.pages] == [5, 5, 5]
    check_http(endpoint.asked, seen.protocol_version)


def test_definitions_are_kept_as_received():
    tool = {"name": "a", "inputSchema": {"default": 600.0, "x": None}, "category": "session", "_meta": {"é": "\ud800"}}
    seen = look(modern(tools=[tool]))
    assert json.dumps(seen.surface.tools[0].raw) == json.dumps(tool)
    assert [flaw.kind for flaw in seen.anomalies] == ["lone-surrogate"]
    assert seen.anomalies[0].where.startswith("page 1 /tools/0/_meta")


@pytest.mark.parametrize("make", [modern, legacy])
def test_the_revision_is_found_wherever_a_meridian_puts_it(make):
    info = {**INFO, "toolManifestRevision": "r-info"}
    meta = {"meridian/toolManifest": {"revision": "r-meta", "count": 3}}
    endpoint = make()
    if make is modern:
        meta_found = {"io.modelcontextprotocol/serverInfo": info, **meta}
        endpoint.answers["server/discover"] = lambda asked: result(
            asked, {"supportedVersions": [MODERN], "capabilities": {}, "_meta": meta_found}
        )
    else:
        agreed = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": info, "_meta": meta}
        endpoint.answers["initialize"] = lambda asked: result(asked, agreed)
    listed = {"meridian/toolManifest": {"revision": "r-list", "count": 3, "tunnel": {}}}
    endpoint.answers["tools/list"] = lambda asked: result(asked, {"tools": TOOLS, "_meta": listed})
    seen = look(endpoint)
    told = seen.advertised
    assert (told.initialize, told.initialize_meta, told.list, told.count) == ("r-info", "r-meta", "r-list", 3)
    assert seen.meta == listed
    assert (seen.pages[0].revision, seen.pages[0].count) == ("r-list", 3)


@pytest.mark.parametrize("meta", [None, [], "x", {"meridian/toolManifest": "x"}, {"meridian/toolManifest": {}}])
def test_no_revision_is_a_fact_and_no_error(meta):
    seen = look(modern(tools__list=lambda asked: result(asked, {"tools": TOOLS, "_meta": meta})))
    assert seen.complete
    assert (seen.advertised.list, seen.advertised.count, seen.advertised.initialize) == (None, None, None)


def test_entries_that_are_no_tools_do_not_hide_the_others():
    seen = look(modern(tools=[None, 5, {"name": ""}, *TOOLS]))
    assert seen.complete
    assert seen.surface.count == 3
    assert len(seen.surface.raw_entries) == 6


def test_a_tool_with_wrong_headers_stays_in_the_list_and_is_named():
    flawed = {"name": "bad", "inputSchema": {"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}}
    seen = look(modern(tools=[flawed, *TOOLS]))
    assert seen.surface.count == 4
    assert any("must leave the tool bad out" in note for note in seen.notes)
    assert look(legacy(tools=[flawed])).notes == ()


# Walks that do not end well.


def failing(answer):
    return modern(tools__list=answer)


FAILURES = {
    "loop": (lambda asked: result(asked, {"tools": TOOLS[:1], "nextCursor": "same"}), "cursor-loop", 2),
    "empty string": (lambda asked: result(asked, {"tools": TOOLS, "nextCursor": ""}), "cursor-empty-string", 2),
    "error": (lambda asked: error(asked, -32603, "boom"), "list-error", 1),
    "page": (html(200), "list-error", 1),
    "no tools": (lambda asked: result(asked, {}), "list-error", 1),
    "null tools": (lambda asked: result(asked, {"tools": None}), "list-error", 1),
    "text tools": (lambda asked: result(asked, {"tools": "none"}), "list-error", 1),
    "numeric cursor": (lambda asked: result(asked, {"tools": [], "nextCursor": 5}), "list-error", 1),
    "not JSON": (Said(body=b'{"jsonrpc":'), "wire-corrupt", 1),
    "stream cut": (lambda asked: events({"jsonrpc": "2.0", "method": "n"}, cut=True), "timed-out", 1),
}


@pytest.mark.parametrize(("answer", "rule", "requests"), FAILURES.values(), ids=FAILURES)
def test_a_failure_is_a_value_and_leaves_no_surface(answer, rule, requests):
    endpoint = failing(answer)
    seen = look(endpoint, walks=2)
    assert (seen.failure.rule, seen.complete, seen.surface) == (rule, False, None)
    assert seen.failure.message
    assert seen.era == "modern"
    assert endpoint.methods.count("tools/list") == requests


def test_a_refused_cursor_is_tried_from_the_beginning_twice():
    def answer(asked):
        if asked.params.get("cursor"):
            return error(asked, -32602, "Invalid cursor", status=400)
        return result(asked, {"tools": TOOLS[:1], "nextCursor": "c"})

    endpoint = failing(answer)
    seen = look(endpoint)
    assert (seen.failure.rule, seen.failure.code, seen.failure.status) == ("cursor-rejected", -32602, 400)
    assert endpoint.methods.count("tools/list") == 6


def test_a_cursor_that_expires_once_is_no_failure():
    refused = iter([True])

    def answer(asked):
        if asked.params.get("cursor") and next(refused, False):
            return error(asked, -32602)
        return paged(2)(asked)

    seen = look(failing(answer))
    assert seen.complete
    assert any("refused once" in note for note in seen.notes)


@pytest.mark.parametrize(
    ("limits", "name"),
    [(Limits(max_pages=4), "max_pages"), (Limits(max_tools=4), "max_tools"), (Limits(max_bytes=400), "max_bytes")],
)
def test_a_list_without_end_is_given_up(limits, name):
    pages = count()

    def endless(asked):
        number = next(pages)
        return result(asked, {"tools": [{"name": f"t{number}"}], "nextCursor": f"c{number}"})

    seen = look(failing(endless), limits=limits)
    assert (seen.failure.rule, seen.failure.args["limit"], seen.surface) == ("limit-exceeded", name, None)


def test_a_signal_during_a_walk_restarts_it():
    signals = iter([{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}])
    left = [A, B]

    def answer(asked):
        tools = left.pop(0) if len(left) > 1 else left[0]
        final = {"jsonrpc": "2.0", "id": asked.id, "result": {"tools": tools}}
        return events(*([signal] if (signal := next(signals, None)) else []), final)

    seen = look(failing(answer))
    assert seen.surface.count == len(B)
    assert any("announced a change" in note for note in seen.notes)


def test_a_handshake_that_fails_is_a_failure_of_the_layer():
    seen = look(Endpoint({}))
    assert (seen.layer, seen.failure.rule, seen.surface) == ("origin", "handshake-failed", None)


def test_a_server_that_is_not_there():
    with HttpClient(timeout=2, deadline=Deadline(5), sleep=lambda _: None) as http:
        seen = observe_origin(lambda: open_http(http, "http://127.0.0.1:1/mcp"), now=lambda: "t")
    assert (seen.failure.rule, seen.complete) == ("unreachable", False)


def test_a_command_that_is_not_there():
    seen = observe_origin(lambda: open_stdio(["/no/such/program"], deadline=Deadline(5)), now=lambda: "t")
    assert seen.failure.rule == "unreachable"


@pytest.mark.parametrize("method", ["server__discover", "tools__list"])
def test_a_refused_credential_is_the_callers_to_tell(method):
    with pytest.raises(CredentialRefusedError):
        look(modern(**{method: Said(status=401)}))


# Several walks.


def test_two_walks_that_agree():
    endpoint = modern()
    seen = look(endpoint, walks=2)
    assert surfaces(seen) == ["A", "A"]
    assert [sample.session for sample in seen.samples] == ["1", "2"]
    assert [sample.at for sample in seen.samples] == ["t0", "t1"]
    assert endpoint.methods.count("server/discover") == 2


def test_two_walks_over_one_session():
    endpoint = modern()
    seen = look(endpoint, walks=2, fresh=False)
    assert [sample.session for sample in seen.samples] == ["1", "1"]
    assert endpoint.methods.count("server/discover") == 1


@pytest.mark.parametrize(
    ("lists", "walked", "held", "pattern"),
    [
        ((A, B, B, B), "ABBB", "B", "changed"),
        ((A, B, A, B), "ABAB", "A", "skew"),
        ((A, B, B, A), "ABBA", "B", "frozen"),
    ],
)
def test_walks_that_disagree_are_repeated(lists, walked, held, pattern):
    seen = look(legacy(tools__list=in_turn(*lists)), walks=2)
    assert "".join(surfaces(seen)) == walked
    assert Walks.of(seen).pattern == pattern
    assert [sample.session for sample in seen.samples] == ["1", "2", "3", "1"]
    # What a new session gets is the surface; what the first one still gets is evidence.
    assert ("B" if seen.surface.count == len(B) else "A") == held


def test_order_alone_is_no_disagreement():
    seen = look(modern(tools__list=in_turn(A, A[::-1])), walks=2)
    assert len(seen.samples) == 2


def test_pages_that_disagree_are_read_again():
    pages = [A[:2], A[1:], A[:2], A[2:]]

    def answer(asked):
        tools = pages.pop(0)
        following = {} if asked.params.get("cursor") else {"nextCursor": "c"}
        return result(asked, {"tools": tools, **following})

    seen = look(failing(answer))
    assert len(seen.samples) >= 2
    assert seen.samples[0].pages[1].names == ("prune_tree", "ripen")


def test_a_second_walk_that_fails_is_a_sample_and_takes_nothing_away():
    left = [result, error]

    def answer(asked):
        return result(asked, {"tools": A}) if left.pop(0) is result else error(asked, -32603)

    seen = look(failing(answer), walks=2)
    assert seen.surface.count == 3
    assert [sample.failure and sample.failure.rule for sample in seen.samples] == [None, "list-error"]


def test_a_second_session_that_is_refused_takes_nothing_away():
    found = modern().answers["server/discover"]
    left = [found, Said(status=401)]

    def discover(asked):
        answer = left.pop(0)
        return answer(asked) if callable(answer) else answer

    seen = look(modern(server__discover=discover), walks=2)
    assert seen.surface.count == 3
    assert any("could not" in note for note in seen.notes)

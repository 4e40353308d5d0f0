"""The manifest: what is one, what is a gate, and what is merely not there."""

import json

import pytest
from support.site import HTML, Site, json_answer, serving

from diagnose.observe.manifest import observe_manifest

TOOLS = [{"name": "pick_apples", "inputSchema": {"type": "object"}}, {"name": "ripen"}]


def look(http, answer, *, due=True, promised=False):
    routes = {} if answer is None else {"/tools": answer}
    with serving(Site(routes)) as base:
        return observe_manifest(http, f"{base}tools", "/tools", due=due, promised=promised, now=lambda: "t")


@pytest.mark.parametrize("body", [TOOLS, {"tools": TOOLS}])
def test_a_bare_array_and_a_wrapped_one_are_manifests(http, body):
    seen = look(http, json_answer(json.dumps(body)))
    assert seen.surface.names == ("pick_apples", "ripen")


def test_input_schema_may_be_spelled_with_an_underscore(http):
    seen = look(http, json_answer(json.dumps([{"name": "a", "input_schema": {"type": "object"}}])))
    assert seen.surface.tools[0].definition["inputSchema"] == {"type": "object"}


def test_an_empty_list_is_a_manifest(http):
    assert look(http, json_answer("[]")).surface.count == 0


@pytest.mark.parametrize(
    "answer",
    [(200, "text/html", HTML), json_answer(HTML), (302, "text/plain", "", {"Location": "https://login.test/"})],
)
def test_a_page_where_json_is_due_is_a_gate(http, answer):
    seen = look(http, answer)
    assert seen.failure.rule == "manifest-gated"
    assert seen.surface is None


def test_a_page_of_a_web_site_is_no_gate(http):
    assert "HTML page" in look(http, (200, "text/html", HTML), due=False)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (None, "no such endpoint"),
        (json_answer('{"error": "x"}'), "no list of tools"),
        (json_answer('["a", "b"]'), "no list of tools"),
        (json_answer('{"tools": null}'), "no list of tools"),
        ((200, "text/plain", "hello"), "text that is no JSON"),
        ((200, "application/json", ""), "an empty body"),
    ],
)
def test_everything_else_is_said_in_words(http, answer, says):
    assert says in look(http, answer)


def test_a_failure_is_told_behind_the_request_that_failed(http):
    with serving(Site({})) as base:
        pass
    seen = observe_manifest(http, f"{base}tools", "/tools", due=False, now=lambda: "t")
    assert seen.startswith("GET /tools failed: http://127.0.0.1:")


def test_defects_of_the_json_are_kept(http):
    seen = look(http, json_answer('[{"name": "a", "name": "b"}]'))
    assert seen.anomalies[0].kind == "duplicate-key"


@pytest.mark.parametrize("due", [True, False])
def test_a_refused_request_is_told_as_one(http, due):
    failure = look(http, (401, "application/json", "{}"), due=due).failure
    assert (failure.rule, failure.status, failure.where) == ("auth-blocked", 401, "GET /tools")
    assert failure.message == "GET /tools answered HTTP 401 and asks for a credential"


@pytest.mark.parametrize(
    "answer",
    [
        (500, "application/json", "{}"),
        (200, "application/json", '[{"name":'),
        (200, "application/json", ""),
        json_answer('{"a": 1}'),
        json_answer('["a"]'),
    ],
)
def test_a_manifest_that_is_promised_and_cannot_be_read_is_not_absent(http, answer):
    seen = look(http, answer, promised=True)
    assert (seen.failure.rule, seen.surface) == ("manifest-unreadable", None)
    assert seen.failure.message.endswith("so that the manifest cannot be read")
    assert isinstance(look(http, answer, promised=False), str)


def test_a_manifest_that_is_not_there_is_absent_even_where_it_was_promised(http):
    assert "no such endpoint" in look(http, None, promised=True)

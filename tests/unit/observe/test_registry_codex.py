"""Codex's app-server, played by a child that speaks as it was seen to: pages, other messages in between, and its failures."""

import json
import sys

import pytest

from diagnose.errors import InputError, ObservationError
from diagnose.observe.registry.codex import observe_codex
from diagnose.transport.deadline import Deadline

TOOL = {"name": "pick_apples", "description": "Pick.", "inputSchema": {"type": "object"}}
PAGES = [
    {"data": [{"name": "pear", "tools": {}}], "nextCursor": "2"},
    {
        "data": [{"name": "orchard", "serverInfo": {"name": "orchard"}, "tools": {"pick_apples": TOOL}}],
        "nextCursor": None,
    },
]
CHILD = """
import json, sys
pages = json.loads(sys.argv[1])
def say(**message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    print("a log line on stdout", flush=True)
    say(method="mcpServer/startupStatus/updated", params={})
    if asked["method"] == "initialize":
        say(id=asked["id"], result={"userAgent": "codex/0"})
    elif asked["method"] == "mcpServerStatus/list":
        say(id=99, result={})
        say(id=asked["id"], **pages[int(asked["params"].get("cursor", 1)) - 1])
"""


def child(*answers, code=CHILD):
    return (sys.executable, "-c", code, json.dumps(answers))


def observe(command, key="orchard", timeout=10.0):
    return observe_codex(
        Deadline(20), server_key=key, env={}, now="2026-11-30T12:00:00Z", command=command, timeout=timeout
    )


def test_every_page_is_read_and_the_server_found():
    seen = observe(child(*({"result": page} for page in PAGES)))
    assert seen.surface.names == ("pick_apples",)
    assert [tool.raw for tool in seen.surface.tools] == [TOOL]
    assert (seen.session, seen.layer, seen.server_info) == ("new", "registry", {"name": "orchard"})


def test_a_key_that_codex_does_not_have_is_said():
    with pytest.raises(InputError, match="it has pear, orchard"):
        observe(child(*({"result": page} for page in PAGES)), key="plum")


def test_a_refusal_is_said():
    with pytest.raises(ObservationError, match="sign in first") as error:
        observe(child({"error": {"code": -1, "message": "sign in first"}}))
    assert error.value.rule == "not-observed"


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("raise SystemExit(3)", "unreachable"),
        ("import sys; sys.stdin.read()", "timed-out"),
    ],
)
def test_a_child_that_ends_or_keeps_silent_is_said(code, rule):
    with pytest.raises(ObservationError) as error:
        observe(child(code=code), timeout=0.5)
    assert error.value.rule == rule


def test_a_command_that_is_not_there_is_said():
    with pytest.raises(ObservationError) as error:
        observe(("no-such-codex", "app-server"))
    assert error.value.rule == "unreachable"


def test_an_answer_that_is_none_is_said():
    with pytest.raises(ObservationError, match="without a list"):
        observe(child({"result": {"servers": 3}}))


@pytest.mark.parametrize("tools", [5, None, {"pick_apples": "yes"}])
def test_tools_that_are_none_leave_the_client_unobserved_and_are_no_empty_list(tools):
    with pytest.raises(ObservationError, match="no list of tools") as error:
        observe(child({"result": {"data": [{"name": "orchard", "tools": tools}], "nextCursor": None}}))
    assert error.value.rule == "not-observed"


def test_what_is_left_of_the_deadline_is_what_it_is_said_to_have_had():
    silent = child(code="import sys; sys.stdin.read()")
    with pytest.raises(ObservationError, match=r"in 0\.[0-9]+ s\."):
        observe_codex(Deadline(0.5), server_key=None, env={}, now="", command=silent)

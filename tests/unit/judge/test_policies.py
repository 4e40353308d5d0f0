"""Lists in a client's configuration: those that hide, and those that only say what a person is asked about."""

from __future__ import annotations

import pytest

from diagnose.evidence.bundle_form import bundle_of
from diagnose.judge import diagnose

NAMES = ("pick_apples", "prune_tree")


def judged(client, *, held=NAMES, **lists):
    layers = {
        "origin": {"inline": {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in NAMES]}},
        "registry": {"inline": {"tools": list(held), "namesOnly": True, "session": "running"}},
    }
    document = {
        "schema": "diagnose.bundle/1",
        "createdAt": "2026-11-30T12:01:00.000Z",
        "target": {"transport": "http", "endpoint": "https://orchard.test/mcp"},
        "client": {"id": client, "serverKey": "orchard", **lists},
        "layers": layers,
    }
    return bundle_of(document)


def cause(bundle):
    verdict = diagnose(bundle).verdict
    return verdict.state, verdict.cause


@pytest.mark.parametrize(("client", "name"), [("claude-code", "mcp__orchard__pick_apples"), ("roo", "pick_apples")])
def test_what_needs_no_confirmation_hides_nothing_else(client, name):
    lists = [{"allow": [name]}, {"approve": [name]}]
    found = [diagnose(judged(client, held=["pick_apples"], **each)) for each in lists]
    assert [each.verdict.state for each in found] == ["stale", "stale"]
    assert not any(finding.rule == "tools-hidden-on-purpose" for each in found for finding in each.findings)


def test_what_alone_is_let_through_hides_the_rest():
    found = diagnose(judged("codex", held=["pick_apples"], allow=["pick_apples"]))
    assert [each.args for each in found.findings if each.rule == "tools-hidden-on-purpose"] == [
        {"hidden": ["prune_tree"]}
    ]


def test_a_permission_for_a_tool_that_is_gone_is_a_dead_name():
    found = diagnose(judged("claude-code", approve=["mcp__orchard__old", "Bash(git:*)", "mcp__pear__eat"]))
    assert (found.verdict.state, found.verdict.cause) == ("stale", "policy-stale")
    said = next(each for each in found.findings if each.rule == "policy-stale")
    assert said.message == "The client's configuration names mcp__orchard__old, and there is no such tool."


def test_several_dead_names_are_told_in_good_english():
    found = diagnose(judged("codex", deny=["old", "older"]))
    said = next(each for each in found.findings if each.rule == "policy-stale")
    assert said.message == "The client's configuration names old, older, and there are no such tools."

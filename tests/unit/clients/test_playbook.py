"""Every entry of the playbook keeps to its form, and four of them say at least what Meridian's own table says."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from diagnose.clients import CLIENTS, client
from diagnose.clients.entry import Behaviour, Client, Statement, View

EACH = pytest.mark.parametrize("entry", CLIENTS, ids=lambda entry: entry.id)
CONFIDENCES = {"high", "medium", "low"}


def statements(entry: Client) -> list[Statement | Behaviour | View]:
    limits = [entry.limits.statement] if entry.limits.statement else []
    aside = [entry.list_changed, entry.cursors, entry.modern]
    return [*aside, *entry.refresh, *entry.verify, *limits, *entry.views, *entry.notes]


@EACH
def test_every_statement_is_a_sentence_with_source_and_confidence(entry):
    for said in statements(entry):
        assert said.confidence in CONFIDENCES
        assert said.source.strip()
        text = said.shows if isinstance(said, View) else said.text
        assert len(text) <= 260
        assert text == text.strip()
        if not isinstance(said, View):
            assert text[0].isupper() or text[0].isdigit() or text[0] in "/`"
            assert text.endswith((".", "!"))


@EACH
def test_what_is_known_has_a_source_and_what_is_not_claims_no_version(entry):
    for behaviour in (entry.list_changed, entry.cursors, entry.modern):
        if behaviour.answer in {"yes", "no"}:
            assert behaviour.source != "none found"
        if behaviour.answer in {"unknown", "no"}:
            assert behaviour.since is None


@EACH
def test_a_person_is_told_what_to_do_and_how_to_see_that_it_helped(entry):
    assert entry.refresh
    assert entry.verify
    assert len({step.text for step in entry.refresh}) == len(entry.refresh)


@EACH
def test_a_cap_has_a_statement(entry):
    if entry.limits.tools is not None or entry.limits.description is not None:
        assert entry.limits.statement is not None
    assert entry.rewriting.text_limit == entry.limits.description


@EACH
def test_the_pattern_is_what_the_rule_does(entry):
    shown = entry.naming.rule("orchard", "pick")
    pattern = re.sub("<(?:server|extension|server id|server, shortened)>", "orchard", entry.naming.pattern)
    assert pattern.replace("<tool>", "pick") == shown


@EACH
def test_configuration_has_a_place_on_every_system_and_a_way_to_the_servers(entry):
    for file in entry.configuration:
        assert set(file.paths) == {"linux", "macos", "windows"}
        assert all(re.match(r"\{[a-zA-Z]+\}/|/", path) for path in file.paths.values())
        assert file.keys or file.permissions


def test_no_name_is_that_of_two_clients():
    names = Counter(name.lower() for entry in CLIENTS for name in {entry.id, *map(str.lower, entry.wire_names)})
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude-code", "/mcp Reconnect"),
        ("claude-desktop", "Quit start again"),
        ("cursor", "Reload window"),
        ("codex", "quit completely connector catalogue"),
    ],
)
def test_meridians_four_clients_are_told_at_least_its_advice(name, words):
    entry = client(name)
    assert entry is not None
    told = " ".join(step.text for step in entry.refresh).lower()
    assert all(word.lower() in told for word in words.split())


def test_hosted_clients_have_no_files():
    assert [entry.id for entry in CLIENTS if entry.hosted] == ["claude-ai", "chatgpt"]
    assert not any(entry.configuration for entry in CLIENTS if entry.hosted)

"""The names that clients show: always forward, with what collides, what is cut, and what a hash keeps apart."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.clients import CLIENTS, lens_for

LONG = "a_tool_with_a_name_that_is_much_longer_than_any_interface_allows_it_to_be"


@pytest.mark.parametrize(
    ("client", "key", "tool", "shown"),
    [
        ("claude-code", "orchard", "pick_apples", "mcp__orchard__pick_apples"),
        ("claude-code", "claude.ai Gmail", "search", "mcp__claude_ai_Gmail__search"),
        ("claude-code", "plugin:garden:orchard", "pick", "mcp__plugin_garden_orchard__pick"),
        ("claude-code", "my server!", "do.it", "mcp__my_server___do_it"),
        ("codex", "orchard", "pick_apples", "mcp__orchard__pick_apples"),
        ("codex", "or chard", "pick.apples", "mcp__or_chard__pick_apples"),
        ("gemini-cli", "orchard", "pick.apples:now", "mcp_orchard_pick.apples:now"),
        ("gemini-cli", "my server!", "do.it", "mcp_my_server__do.it"),
        ("gemini-cli", "mcp_farm", "pick", "mcp_farm_pick"),
        ("gemini-cli", "orchard", "pick\U0001f34e", "mcp_orchard_pick__"),
        ("claude-code", "orchard", "pick\U0001f34e", "mcp__orchard__pick__"),
        ("codex", "orchard", "pick\U0001f34e", "mcp__orchard__pick_"),
        ("cline", "orchard", "pick_apples", "orchard__pick_apples"),
        ("roo", "my server!", "do.it", "mcp--my_server--doit"),
        ("roo", "9lives", "a--b", "mcp--_9lives--a-b"),
        ("roo", "!", "", "mcp--_unnamed--_"),
        ("vscode", "My Very Long Server Label", "pick", "mcp_my_very_long__pick"),
        ("vscode", "orchard", "do.it", "mcp_orchard_do_it"),
        ("cursor", "orchard", "pick", "mcp_orchard_pick"),
        ("zed", "orchard", "pick", "pick"),
        ("goose", "Orchard Tools", "pick", "orchardtools__pick"),
        ("librechat", "orchard", "pick", "pick_mcp_orchard"),
        ("open-webui", "orchard", "pick", "orchard_pick"),
    ],
)
def test_a_name_is_mapped_forward(client, key, tool, shown):
    assert lens_for(client, key).forward(tool) == shown


def test_a_long_name_is_cut_as_its_client_does():
    gemini = lens_for("gemini-cli", "orchard").forward(LONG)
    assert (len(gemini), gemini[30:33]) == (63, "...")
    assert len(lens_for("roo", "orchard").forward(LONG)) == 64
    codex = lens_for("codex", "orchard").spellings(LONG)[1]
    assert len(codex) == 64
    assert re.search("_[0-9a-f]{12}$", codex)
    cline = lens_for("cline", "orchard").forward(LONG)
    assert len(cline) == 64
    assert re.search("_[0-9a-f]{8}$", cline)


def test_what_is_cut_and_what_is_too_long_is_said():
    assert lens_for("gemini-cli", "orchard").map([LONG, "pick"]).cut == (LONG,)
    too_long = lens_for("claude-code", "orchard").map([LONG, "pick"])
    assert (too_long.cut, too_long.too_long) == ((), (LONG,))


def test_two_tools_of_one_shown_name_collide():
    found = lens_for("claude-code", "orchard").map(["do.it", "do_it", "pick"])
    (collision,) = found.collisions
    assert collision.names == ("do.it", "do_it")
    assert collision.shown == "mcp__orchard__do_it"
    assert found.live_of("mcp__orchard__do_it") == ("do.it", "do_it")


def test_gemini_lets_the_last_one_win():
    (collision,) = lens_for("gemini-cli", "orchard").map(["do it", "do_it"]).collisions
    assert collision.wins == "do_it"


def test_codex_and_cline_keep_twins_apart():
    for client in ("codex", "cline"):
        found = lens_for(client, "orchard").map(["do.it", "do_it"])
        assert found.collisions == ()
        assert len(set(found.shown.values())) == 2


def test_the_twins_of_codex_are_those_that_were_measured():
    lens = lens_for("codex", "orchard")
    names = ["a" * 67, "do.it", "do_it", "pick_apples"]
    alone = ["a" * 67, "do_it_7bd39737a4b8", "do_it_1e3769b82e08", "pick_apples"]
    assert list(lens.map(names).shown.values()) == [f"mcp__orchard__{name}" for name in alone]
    assert list(lens.read(alone, names).names.values()) == names


def test_a_key_that_is_written_alike_collides():
    (collision,) = lens_for("claude-code", "my.barn", ["my_barn", "orchard"]).map(["pick"]).collisions
    assert collision.other_key == "my_barn"
    assert collision.wins is None


def test_without_a_key_a_name_is_its_own():
    lens = lens_for("codex", None)
    assert lens.forward("do.it") == "do.it"
    assert lens.map(["do.it", "do_it"]).collisions == ()


def test_a_view_is_read_in_the_spelling_that_it_uses():
    lens = lens_for("codex", "orchard", ["barn"])
    prefixed = lens.read(["mcp__orchard__a", "mcp__barn__b", "shell"], ["a", "b"])
    assert dict(prefixed.names) == {"mcp__orchard__a": "a"}
    assert prefixed.foreign == ("mcp__barn__b", "shell")
    own = lens.read(["a", "gone"], ["a", "b"])
    assert dict(own.names) == {"a": "a", "gone": "gone"}
    assert own.unmatched == ("gone",)


def test_an_old_name_is_read_by_the_prefix_of_its_server():
    found = lens_for("claude-code", "orchard").read(["mcp__orchard__old_x", "mcp__orchard__a"], ["a"])
    assert found.names["mcp__orchard__old_x"] == "old_x"
    assert found.unmatched == ("mcp__orchard__old_x",)


def test_a_view_of_nothing_but_old_names_is_read_too():
    found = lens_for("claude-code", "orchard").read(["Read", "mcp__orchard__old_x"], ["a"])
    assert dict(found.names) == {"mcp__orchard__old_x": "old_x"}
    assert found.foreign == ("Read",)


def test_a_key_behind_the_name_is_read_as_well():
    found = lens_for("librechat", "orchard").read(["a_mcp_orchard", "b_mcp_barn", "old_mcp_orchard"], ["a"])
    assert dict(found.names) == {"a_mcp_orchard": "a", "old_mcp_orchard": "old"}
    assert found.foreign == ("b_mcp_barn",)


def test_a_longer_key_of_another_server_takes_its_names():
    found = lens_for("gemini-cli", "farm", ["farm_barn"]).read(["mcp_farm_a", "mcp_farm_barn_b"], ["a"])
    assert found.foreign == ("mcp_farm_barn_b",)


def test_a_name_that_was_hashed_otherwise_is_still_recognised():
    shown = f"mcp__orchard__{LONG[:30]}_0123456789ab"
    found = lens_for("codex", "orchard").read([shown], [LONG, "pick"])
    assert found.names[shown] == LONG


def test_the_second_server_of_one_label_is_read_by_its_number():
    found = lens_for("vscode", "orchard").read(["mcp_orchard2_a", "mcp_orchard2_b"], ["a", "b"])
    assert dict(found.names) == {"mcp_orchard2_a": "a", "mcp_orchard2_b": "b"}


def test_ten_thousand_names_that_fit_nothing_do_not_hold_it_up():
    shown = [f"mcp__orchard__gone_{number:05}_0123456789ab" for number in range(10_000)]
    live = [f"tool_{number}" for number in range(10_000)]
    assert len(lens_for("codex", "orchard", ["barn"]).read(shown, live).unmatched) == 10_000


def test_a_prefix_is_found_where_no_key_was_named():
    found = lens_for("claude-code", None).read(["mcp__apples__a", "mcp__apples__b", "Read"], ["a", "b"])
    assert dict(found.names) == {"mcp__apples__a": "a", "mcp__apples__b": "b"}
    assert found.prefix == "mcp__apples__"


NAMES = st.text(st.sampled_from("ab._-: é!9_"), max_size=90)


@given(
    client=st.sampled_from([entry.id for entry in CLIENTS]),
    key=NAMES,
    names=st.lists(NAMES, min_size=1, max_size=6, unique=True),
)
def test_whatever_is_mapped_forward_is_read_back(client, key, names):
    lens = lens_for(client, key)
    mapped = lens.map(names)
    assert list(mapped.shown) == names
    collided = {name for collision in mapped.collisions for name in collision.names}
    read = lens.read(list(mapped.shown.values()), names)
    for name, shown in mapped.shown.items():
        if name not in collided and shown in read.names and len(mapped.live_of(shown)) == 1:
            assert read.names[shown] == name
    limit = lens.naming.limit
    if limit is not None and not lens.naming.refuses_longer:
        assert all(len(shown) <= limit for shown in mapped.shown.values())

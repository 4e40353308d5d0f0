"""Whose folder a path lies in, and what is never to be moved, by its path alone."""

from __future__ import annotations

import pytest

from diagnose.clients import CLIENTS, client
from diagnose.clients.guarded import _LOGINS, CAUTIONS, PROGRAMS, guarded, guarded_itself, owner


@pytest.mark.parametrize(
    ("path", "whose"),
    [
        ("/home/x/.codex/cache/apps.json", "codex"),
        ("/home/x/.config/Code/CachedData/a", "vscode"),
        ("C:/Users/x/AppData/Roaming/Claude/Cache/a", "claude-desktop"),
        ("/Users/x/Library/Application Support/Claude/Cache", "claude-desktop"),
        ("/home/x/.codex", None),
        ("/home/x/code/project/cache", None),
        ("/home/x/.cache/other", None),
    ],
)
def test_the_folder_tells_the_client(path, whose):
    assert owner(path.split("/")) == whose


def test_logins_are_those_of_clients():
    assert all(client(name) is not None and client(name).id == name for name in {*_LOGINS, *PROGRAMS, *CAUTIONS})


def test_a_caution_has_the_form_of_a_statement():
    for caution in CAUTIONS.values():
        assert caution.text.endswith(".")
        assert len(caution.text) <= 260
        assert caution.source


@pytest.mark.parametrize("system", ["linux", "macos", "windows"])
def test_every_configuration_is_known_by_its_path_on_every_system(system):
    for entry in CLIENTS:
        for file in entry.configuration:
            parts = ["", "home", "x", *file.paths[system].upper().split("/")[1:]]
            assert guarded(parts).startswith("the configuration of"), file.paths[system]


def test_what_lies_in_a_folder_of_credentials_is_one_though_its_own_name_says_nothing():
    assert guarded(("/", "home", "x", ".mcp-auth", "1.0", "a.json"))
    assert guarded_itself(("/", "home", "x", ".mcp-auth", "1.0", "a.json")) is None
    assert guarded(("/", "home", "my-secrets", "cache.json")) is None

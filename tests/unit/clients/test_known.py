"""Clients are found by the id of the contract and by the names that they give themselves."""

from __future__ import annotations

import pytest

from diagnose.clients import CLIENTS, MODEL_CARRIES, client, lens_for

IDS = [
    "claude-code",
    "claude-desktop",
    "claude-ai",
    "cursor",
    "codex",
    "chatgpt",
    "vscode",
    "gemini-cli",
    "windsurf",
    "zed",
    "cline",
    "roo",
    "goose",
    "librechat",
    "open-webui",
    "jetbrains",
    "mcp-python",
    "mcp-typescript",
    "fastmcp",
    "inspector",
    "mcporter",
]
BESIDE = ["pydantic-ai", "openai-agents", "langchain-mcp-adapters", "ai-sdk"]


def test_every_id_of_the_contract_has_an_entry():
    assert [entry.id for entry in CLIENTS] == [*IDS, *BESIDE]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("codex-mcp-client", "codex"),
        ("codex-mcp-client/0.171.0", "codex"),
        ("gemini-cli-mcp-client", "gemini-cli"),
        ("Visual Studio Code", "vscode"),
        ("@librechat/api-client", "librechat"),
        ("Anthropic/ClaudeAI", "claude-ai"),
        ("CODEX", "codex"),
        ("mcp", "mcp-python"),
    ],
)
def test_a_wire_name_leads_to_its_client(name, found):
    entry = client(name)
    assert entry is not None
    assert entry.id == found


@pytest.mark.parametrize("name", [None, "", "barrow-bot", "/", "node"])
def test_any_other_word_is_no_known_client(name):
    assert client(name) is None


def test_the_lens_of_an_unknown_client_changes_nothing():
    lens = lens_for("barrow-bot", "orchard")
    assert lens.forward("pick_apples") == "pick_apples"
    assert lens.cap is None
    assert lens.explains({"name": "a", "description": "x"}, {"name": "a", "description": "y"}) is None


def test_the_lens_has_the_cap_and_what_the_view_carries():
    lens = lens_for("cursor", "orchard", ["orchard", "barn"], carries=MODEL_CARRIES)
    assert lens.cap == 40
    assert lens.other_keys == ("barn",)
    assert lens.rewriting.carries == MODEL_CARRIES

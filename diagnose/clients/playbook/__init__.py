"""The playbook: one entry a client, in the order of the contract. A new client is one new file and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.clients.playbook import (
    chatgpt,
    claude_ai,
    claude_code,
    claude_desktop,
    cline,
    codex,
    cursor,
    frameworks,
    gemini_cli,
    goose,
    jetbrains,
    kits,
    librechat,
    open_webui,
    roo,
    vscode,
    windsurf,
    zed,
)

if TYPE_CHECKING:
    from diagnose.clients.entry import Client

CLIENTS: tuple[Client, ...] = (
    claude_code.CLIENT,
    claude_desktop.CLIENT,
    claude_ai.CLIENT,
    cursor.CLIENT,
    codex.CLIENT,
    chatgpt.CLIENT,
    vscode.CLIENT,
    gemini_cli.CLIENT,
    windsurf.CLIENT,
    zed.CLIENT,
    cline.CLIENT,
    roo.CLIENT,
    goose.CLIENT,
    librechat.CLIENT,
    open_webui.CLIENT,
    jetbrains.CLIENT,
    *kits.CLIENTS,
    *frameworks.CLIENTS,
)

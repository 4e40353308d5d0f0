"""What was measured of clients by `diagnose clients bench`: one file a row, written by `scripts/measure_clients.py`."""

from __future__ import annotations

from importlib import import_module

from diagnose.clients.measured.row import Answer, Result, Row

__all__ = ["SETUPS", "Answer", "Result", "Row", "rows_of"]

#: The setups of that script that have a row here, the newest version of a client first.
SETUPS: tuple[str, ...] = (
    "codex",
    "codex-modern",
    "claude-code",
    "claude-code-legacy",
    "gemini-cli",
    "mcp-python-2",
    "mcp-python-1",
    "mcp-typescript-2",
    "mcp-typescript-2-auto",
    "mcp-typescript-1",
    "fastmcp-4",
    "fastmcp-3",
    "fastmcp-2",
    "inspector",
    "mcporter",
    "pydantic-ai",
    "openai-agents",
    "openai-agents-cache",
    "langchain-mcp-adapters",
    "ai-sdk",
)


def rows_of(client: str | None = None) -> tuple[Row, ...]:
    """Return the rows of a client by its id in the playbook, or all."""
    rows = (import_module(f"{__name__}.rows.{setup.replace('-', '_')}").ROW for setup in SETUPS)
    return tuple(row for row in rows if client is None or row.client == client)

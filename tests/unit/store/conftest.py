"""Snapshots to store, and a database to store them in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnose.evidence.bundle import Target
from diagnose.evidence.observation import Advertised, Observation
from diagnose.evidence.redact import Redactor
from diagnose.store.snapshot import Snapshot, snapshot_of
from diagnose.surface import Surface

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOOLS: list[Any] = [
    {"name": "ripen", "description": "Wait.", "inputSchema": {"type": "object", "required": ["b", "a"]}},
    {
        "name": "pick_apples",
        "description": "Pflücke Äpfel \N{RED APPLE}",
        "inputSchema": {"type": "object"},
        "x": 600.0,
    },
]


def observed(tools: list[Any] | None = None, *, minute: int = 0, **fields: Any) -> Observation:
    """Return an observation of the origin, at that minute past noon."""
    given = {
        "layer": "origin",
        "surface": Surface.of(TOOLS if tools is None else tools, "Be kind.", {"tools": {"listChanged": True}}),
        "at": f"2026-11-30T12:{minute:02d}:00.000Z",
        "source": "tools/list",
        "era": "modern",
        "protocol_version": "2026-07-28",
        "server_info": {"name": "orchard", "version": "1.0"},
        "capabilities": {"tools": {"listChanged": True}},
        "advertised": Advertised(initialize="r", list="r", count=2),
        "ttl_ms": 60_000,
        "cache_scope": "private",
    }
    return Observation(**{**given, **fields})


def target(name: str = "example.test/mcp") -> Target:
    """Return a target by its id."""
    return Target(id=name, transport="http", endpoint=f"https://{name}")


def taken(
    tools: list[Any] | None = None, *, minute: int = 0, of: str = "example.test/mcp", by: str = "none", **fields: Any
) -> Snapshot:
    """Return a snapshot that is not stored yet."""
    return snapshot_of(observed(tools, minute=minute, **fields), target(of), by, redactor=Redactor())


@pytest.fixture
def observation() -> Callable[..., Observation]:
    return observed


@pytest.fixture
def snapshot() -> Callable[..., Snapshot]:
    return taken


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the database will be; there is nothing yet."""
    return tmp_path / "data" / "snapshots.sqlite3"

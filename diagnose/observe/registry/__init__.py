"""What a client says it holds, and what a model was offered, read from the files that clients and people write."""

from __future__ import annotations

from diagnose.observe.registry.reading import read_view

__all__ = ["read_view"]

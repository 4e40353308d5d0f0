"""What was observed, and how it is kept harmless. Pure.

* `Bundle` is all the evidence of one diagnosis; `Bundle.of(document)` reads one that is written down.
* `Recording` is a session as it crossed the wire; `Recording.of_lines(lines)` reads one.

`diagnose.judge.diagnose(bundle)` makes a diagnosis of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diagnose.evidence.bundle import Bundle
    from diagnose.evidence.recording import Recording

__all__ = ["Bundle", "Recording"]

_HOMES = {"Bundle": "bundle", "Recording": "recording"}


def __getattr__(name: str) -> Any:
    """Load the file that holds a public name when it is first asked for."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

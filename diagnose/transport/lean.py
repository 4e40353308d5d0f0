"""Loading httpx without what it brings along for its own command line."""

from __future__ import annotations

import importlib
import sys
from typing import Any

_COMMAND_LINE = "httpx._main"


def load_httpx() -> None:
    """Import httpx so that a later `import httpx` finds it.

    Where click is installed (uvicorn brings it), httpx also imports its command line with click, rich and pygments, which
    takes as long as the rest of it. It does without when that module cannot be imported.
    """
    modules: dict[str, Any] = sys.modules
    if "httpx" in modules:
        return
    modules[_COMMAND_LINE] = None  # the import system's own sign for "not to be had"
    try:
        importlib.import_module("httpx")
    finally:
        del modules[_COMMAND_LINE]

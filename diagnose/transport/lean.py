"""Loading httpx without what it brings along for its own command line, and without HTTP/2 where nobody wants it."""

from __future__ import annotations

import importlib
import sys
from typing import Any

_COMMAND_LINE = "httpx._main"
_HTTP2 = "h2"


def load_httpx(*, http2: bool = False) -> None:
    """Import httpx so that a later `import httpx` finds it.

    Where click is installed (uvicorn brings it), httpx also imports its command line with click, rich and pygments, which
    takes as long as the rest of it; and httpcore loads HTTP/2 wherever that is installed. Both do without what cannot be
    imported, and httpcore still finds HTTP/2 when a connection needs it.
    """
    modules: dict[str, Any] = sys.modules
    if "httpx" in modules:
        return
    hidden = [name for name in ((_COMMAND_LINE,) if http2 else (_COMMAND_LINE, _HTTP2)) if name not in modules]
    for name in hidden:
        modules[name] = None  # the import system's own sign for "not to be had"
    try:
        importlib.import_module("httpx")
        importlib.import_module("httpcore")
    finally:
        for name in hidden:
            del modules[name]

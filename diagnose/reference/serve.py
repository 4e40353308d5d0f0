"""The reference server as a whole: honest, or with a fault in front of it; over HTTP or over stdio."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from diagnose.errors import UsageError
from diagnose.reference.options import ENDPOINT, ServeOptions

INSTALL = "pip install 'diagnose[server]'"


def require_sdk() -> None:
    """Raise `UsageError` with the install line where the extra `server` is not installed."""
    from importlib.util import find_spec

    missing = [name for name in ("mcp", "starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the embedded reference server needs the extra 'server' ({', '.join(missing)} not found)",
            advice=f"Install it: {INSTALL}",
        )


def serve(options: ServeOptions, announce: Callable[[str], None]) -> None:
    """Serve over HTTP until a signal ends it; `announce` gets the URL of the MCP endpoint once it answers.

    Raises `UsageError` for options that cannot be had, `KeyboardInterrupt` and `SystemExit` as the signals say.
    """
    require_sdk()
    from diagnose.reference.serve_http import listen, serve_http

    if options.fault is None:
        serve_http(options, lambda port: announce(url_of(options.host, port)))
        return
    from diagnose.reference.faults import find_fault
    from diagnose.reference.proxy_http import FaultProxy, HttpUpstream
    from diagnose.reference.scenes import SCENES

    fault = SCENES.get(options.fault) or find_fault(options.fault, "http")
    listener = listen(options.host, options.port)

    def ready(port: int) -> None:
        FaultProxy(listener, HttpUpstream(port), fault).start()
        announce(url_of(options.host, listener.getsockname()[1]))

    serve_http(dataclasses.replace(options, host="127.0.0.1", port=0, ledger=options.ledger or fault.ledger), ready)


def serve_on_stdio(options: ServeOptions) -> None:
    """Serve one client on stdin and stdout until stdin ends. Raises `UsageError` for options that cannot be had."""
    require_sdk()
    if options.fault is None:
        from diagnose.reference.serve_stdio import serve_stdio

        serve_stdio(options)
        return
    from diagnose.reference.faults import find_fault
    from diagnose.reference.proxy_stdio import serve_stdio_fault

    fault = find_fault(options.fault, "stdio")
    serve_stdio_fault(dataclasses.replace(options, fault=None, ledger=options.ledger or fault.ledger), fault)


def url_of(host: str, port: int) -> str:
    """Return the URL of the MCP endpoint at this host and port."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{ENDPOINT}"

"""A fault in front of an honest server that runs already, for tests of what finds it."""

from collections.abc import Iterator
from contextlib import contextmanager

from diagnose.reference.faults import FAULTS
from diagnose.reference.proxy_http import FaultProxy, HttpUpstream
from diagnose.reference.serve import url_of
from diagnose.reference.serve_http import listen


@contextmanager
def in_front_of(port: int, name: str) -> Iterator[str]:
    """Put the fault of this name in front of the server at this port; gives the URL of the MCP endpoint."""
    proxy = FaultProxy(listen("127.0.0.1", 0), HttpUpstream(port), FAULTS[name])
    proxy.start()
    try:
        yield url_of(*proxy.server_address)
    finally:
        proxy.shutdown()
        proxy.server_close()

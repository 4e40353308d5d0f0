"""What the HTTP tap itself says: to a person, and to a client that cannot be served."""

from __future__ import annotations

import ssl
from typing import Final

OAUTH: Final = (
    "the server asks for OAuth: the client will ask its authorization server for a token for {url}; where that is "
    "refused, start the tap with a token for the server itself (--auth env:VAR), or give the client one to send"
)
REFUSED: Final = (
    "the server refused a token (401). It may be one for {url}, which the server does not go by: then start the tap with a "
    "token for the server itself (--auth env:VAR), or give the client one to send"
)


def why_not(error: Exception) -> str:
    """Return why a server cannot be reached, in words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return "TLS could not be agreed on"
    if isinstance(error, TimeoutError):
        return "no answer came in time"
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__


def answer(status: str, why: object) -> bytes:
    """Return an answer of the tap itself, after which the connection ends."""
    body = f"diagnose tap: {why}\n".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body

"""One clear sentence for each way in which a request can fail."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpcore

from diagnose.errors import ObservationError
from diagnose.transport.inflate import CodingError
from diagnose.transport.origin import Origin
from diagnose.transport.resolve import DnsTimeoutError

HEADERS_TOO_LARGE = 431
"""The status that h11 hints at for a head beyond its buffer."""

_TLS_CERTIFICATE = {
    9: "its certificate is not valid yet",
    10: "its certificate has expired",
    18: "its certificate is self-signed",
    19: "its certificate chain ends in a self-signed certificate that this machine does not trust",
    20: "its certificate is signed by an authority that this machine does not trust",
    21: "its certificate is signed by an authority that this machine does not trust",
    23: "its certificate was revoked",
    62: "its certificate is for another host name",
    64: "its certificate is for another address",
}
"""OpenSSL's verification results (x509_vfy.h) in plain words."""

_TLS_OTHER = {
    "WRONG_VERSION_NUMBER": "it does not speak TLS on this port",
    "HTTP_REQUEST": "it does not speak TLS on this port",
    "PACKET_LENGTH_TOO_LONG": "it does not speak TLS on this port",
    "RECORD_LAYER_FAILURE": "it does not speak TLS on this port",
    "UNSUPPORTED_PROTOCOL": "it offers only TLS versions that are no longer safe",
    "TLSV1_ALERT_PROTOCOL_VERSION": "it offers only TLS versions that are no longer safe",
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": "it asks for a client certificate",
}

_NO_ROUTE = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN, errno.EADDRNOTAVAIL})


FAILURES = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError, OSError)
"""What an exchange can raise when it fails; all that `fault` is made for."""

_WAITS = {
    "answer": "did not answer",
    "body": "did not finish its answer",
    "idle": "sent nothing more",
}


@dataclass(frozen=True, slots=True)
class Peer:
    """Who was being spoken to when it failed; ``seconds`` is the time that the request had."""

    origin: Origin
    seconds: float
    proxy: Origin | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed attempt: what to tell, whether the request may have reached the server, and whether it may pass."""

    error: ObservationError
    cause: Exception
    sent: bool
    transient: bool


def fault(error: Exception, peer: Peer, stage: str = "answer") -> Fault:
    """Return what ``error``, one of `FAILURES`, means for a request to ``peer``.

    ``stage`` says what was being waited for: the answer, its body, or the next piece of a stream (`idle`).
    """
    sent = not isinstance(
        error, httpcore.ConnectError | httpcore.ConnectTimeout | httpcore.ProxyError | DnsTimeoutError
    )
    if isinstance(error, httpcore.TimeoutException | TimeoutError):
        return Fault(_timed_out(error, peer, stage), error, sent, transient=False)
    for cause in _chain(error):
        if (found := _known(cause, peer)) is not None:
            return Fault(found, error, sent, transient=found.args_by_name.get("transient", False))
    found = _not_http(error, peer)
    return Fault(found, error, sent, transient=found.args_by_name.get("transient", False))


def coding_failure(error: CodingError, peer: Peer) -> ObservationError:
    """Return the error for a body whose content coding cannot be undone."""
    return _unreachable(peer, "encoding", f"The answer of {peer.origin} cannot be read: {error}.")


def too_large(peer: Peer, limit: int) -> ObservationError:
    """Return the error for a body beyond its bound; ``limit`` in bytes."""
    return ObservationError(
        f"{peer.origin} sent more than the {limit:,} bytes that one answer may have.",
        rule="limit-exceeded",
        host=peer.origin.host,
        limit=limit,
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _known(cause: BaseException, peer: Peer) -> ObservationError | None:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return _certificate(cause, peer)
    if isinstance(cause, ssl.SSLError):
        return _tls(cause, peer)
    if isinstance(cause, socket.gaierror | UnicodeError):
        return _dns(cause, peer)
    if isinstance(cause, httpcore.ProxyError):
        return _proxy(cause, peer)
    if isinstance(cause, OSError):
        return _socket(cause, peer)
    if getattr(cause, "error_status_hint", None) == HEADERS_TOO_LARGE:
        return ObservationError(
            f"{peer.origin} sent response headers that are too large.", rule="limit-exceeded", host=peer.origin.host
        )
    return None


def _timed_out(error: Exception, peer: Peer, stage: str) -> ObservationError:
    if isinstance(error, DnsTimeoutError):
        stage, what = "dns", f"The name {_next_hop(peer).host} was not resolved"
    elif isinstance(error, httpcore.ConnectTimeout):
        stage, what = "connect", f"{_next_hop(peer)} did not accept a connection"
    else:
        what = f"{peer.origin} {_WAITS[stage]}"
    return ObservationError(
        f"{what} within {peer.seconds:.3g} s.",
        rule="timed-out",
        advice="Ask again, or give it more time with --timeout SECONDS.",
        host=peer.origin.host,
        port=peer.origin.port,
        stage=stage,
        seconds=round(peer.seconds, 3),
    )


def _certificate(cause: ssl.SSLCertVerificationError, peer: Peer) -> ObservationError:
    detail = _TLS_CERTIFICATE.get(cause.verify_code, f"its certificate is not accepted ({cause.verify_message})")
    advice = "If the certificate is of your own authority, name it with SSL_CERT_FILE."
    return _unreachable(
        peer, "tls", f"No secure connection to {peer.origin}: {detail}.", advice, reason=cause.verify_message
    )


def _tls(cause: ssl.SSLError, peer: Peer) -> ObservationError:
    reason = cause.reason or "the connection was closed during the handshake"
    detail = _TLS_OTHER.get(reason, reason.lower().replace("_", " "))
    advice = "Does the URL have to start with http://?" if "does not speak TLS" in detail else ""
    return _unreachable(peer, "tls", f"No secure connection to {peer.origin}: {detail}.", advice, reason=reason)


def _dns(cause: OSError | UnicodeError, peer: Peer) -> ObservationError:
    again = isinstance(cause, OSError) and cause.errno == socket.EAI_AGAIN
    why = "the name service does not answer at the moment" if again else "nobody knows this name"
    message = f"The name {_next_hop(peer).host} cannot be resolved: {why}."
    return _unreachable(peer, "dns", message, "Is the host name spelled right?", transient=again)


def _proxy(cause: Exception, peer: Peer) -> ObservationError:
    message = f"The proxy {peer.proxy} does not lead to {peer.origin}: it answered {cause}."
    return _unreachable(peer, "proxy", message, "Check HTTPS_PROXY, or name the server in NO_PROXY.")


def _socket(cause: OSError, peer: Peer) -> ObservationError | None:
    hop = _next_hop(peer)
    if isinstance(cause, ConnectionRefusedError):
        message = f"{hop} refuses the connection: nothing listens on port {hop.port}."
        return _unreachable(peer, "refused", message, "Is the server running, and is the port right?", transient=True)
    if isinstance(cause, ConnectionError):
        return _unreachable(peer, "reset", f"{hop} closed the connection without an answer.", transient=True)
    if cause.errno in _NO_ROUTE:
        return _unreachable(peer, "network", f"There is no way to {hop} in the network.", transient=True)
    return _unreachable(peer, "network", f"The connection to {hop} failed: {cause.strerror or type(cause).__name__}.")


def _not_http(error: Exception, peer: Peer) -> ObservationError:
    if "disconnected without" in str(error):
        return _unreachable(
            peer, "reset", f"{_next_hop(peer)} closed the connection without an answer.", transient=True
        )
    if "incomplete" in str(error) or "peer closed" in str(error):
        return _unreachable(
            peer, "cut", f"The answer of {peer.origin} was cut: the connection ended in the middle of it."
        )
    advice = "Does the URL have to start with https://, or have another port?"
    return _unreachable(peer, "protocol", f"What {peer.origin} answers is not HTTP.", advice)


def _next_hop(peer: Peer) -> Origin:
    return peer.proxy or peer.origin


def _unreachable(peer: Peer, kind: str, message: str, advice: str = "", **args: Any) -> ObservationError:
    return ObservationError(
        message, rule="unreachable", advice=advice, host=peer.origin.host, port=peer.origin.port, kind=kind, **args
    )

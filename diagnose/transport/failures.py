"""One clear sentence for each way in which a request can fail."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Callable, Iterator
from types import UnionType
from typing import Any

import httpcore

from diagnose.errors import ObservationError
from diagnose.record import record
from diagnose.transport.inflate import CodingError
from diagnose.transport.network import TlsTimeoutError
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
    "UNEXPECTED_EOF_WHILE_READING": "it closed the connection during the handshake",
    "UNSUPPORTED_PROTOCOL": "it offers only TLS versions that are no longer safe",
    "TLSV1_ALERT_PROTOCOL_VERSION": "it offers only TLS versions that are no longer safe",
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": "it asks for a client certificate",
}

_NO_ROUTE = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN, errno.EADDRNOTAVAIL})

FAILURES = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError, OSError)
"""What an exchange can raise when it fails; all that `fault` is made for."""

_BEFORE_SENDING = (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError, DnsTimeoutError)
_TRANSIENT = frozenset({"refused", "reset", "network"})
"""Kinds of failure that a server which restarts, or a network that wavers, also shows."""

_WAITS = {
    "answer": "did not answer",
    "body": "did not finish its answer",
    "idle": "sent nothing more",
}


@record
class Peer:
    """Who was being spoken to when it failed; ``seconds`` is the time that the request had."""

    origin: Origin
    seconds: float
    proxy: Origin | None = None


@record
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
    if isinstance(error, httpcore.TimeoutException | TimeoutError):
        found = _timed_out(error, peer, stage)
    else:
        found = next(filter(None, (_known(cause, peer) for cause in _chain(error))), None) or _not_http(error, peer)
    return Fault(
        error=found,
        cause=error,
        sent=not isinstance(error, _BEFORE_SENDING),
        transient=found.args_by_name.get("kind") in _TRANSIENT or bool(found.args_by_name.get("transient")),
    )


def coding_failure(error: CodingError, peer: Peer) -> ObservationError:
    """Return the error for a body whose content coding cannot be undone."""
    advice = "The body has to be in the content coding that its headers name, and in none that was not asked for."
    return _unreachable(peer, "encoding", f"The answer of {peer.origin} cannot be read: {error}.", advice)


def too_large(peer: Peer, limit: int) -> ObservationError:
    """Return the error for a body beyond its bound; ``limit`` in bytes."""
    return _limit(peer, f"{peer.origin} sent more than the {limit:,} bytes that one answer may have.", limit=limit)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _known(cause: BaseException, peer: Peer) -> ObservationError | None:
    if getattr(cause, "error_status_hint", None) == HEADERS_TOO_LARGE:
        return _limit(peer, f"{peer.origin} sent response headers that are too large.")
    return next((explain(cause, peer) for kind, explain in _EXPLAINED if isinstance(cause, kind)), None)


def _timed_out(error: Exception, peer: Peer, stage: str) -> ObservationError:
    hop = _next_hop(peer)
    if isinstance(error, DnsTimeoutError):
        stage, what = "dns", f"The name {hop.host} was not resolved"
    elif isinstance(error, TlsTimeoutError):
        stage, what = "tls", f"{peer.origin} did not complete the TLS handshake"
    elif isinstance(error, httpcore.ConnectTimeout):
        stage, what = "connect", f"{hop} did not accept a connection"
    else:
        what = f"{peer.origin} {_WAITS[stage]}"
    return ObservationError(
        f"{what} within {round(peer.seconds, 2):g} s.",
        rule="timed-out",
        advice="Ask again, or give it more time with --timeout SECONDS and --deadline SECONDS.",
        host=peer.origin.host,
        port=peer.origin.port,
        stage=stage,
        seconds=round(peer.seconds, 2),
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


def _socket(cause: OSError, peer: Peer) -> ObservationError:
    hop = _next_hop(peer)
    if isinstance(cause, ConnectionRefusedError):
        message = f"{hop} refuses the connection: nothing listens on port {hop.port}."
        return _unreachable(peer, "refused", message, "Is the server running, and is the port right?")
    if isinstance(cause, ConnectionError):
        return _reset(peer)
    why = "no way leads there" if cause.errno in _NO_ROUTE else cause.strerror or type(cause).__name__
    return _unreachable(peer, "network", f"{hop} cannot be reached: {why}.")


def _reset(peer: Peer) -> ObservationError:
    return _unreachable(peer, "reset", f"{_next_hop(peer)} closed the connection without a whole answer.")


def _not_http(error: Exception, peer: Peer) -> ObservationError:
    if "disconnected without" in str(error):
        return _reset(peer)
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


def _limit(peer: Peer, message: str, **args: Any) -> ObservationError:
    return ObservationError(message, rule="limit-exceeded", host=peer.origin.host, port=peer.origin.port, **args)


_EXPLAINED: tuple[tuple[type | UnionType, Callable[[Any, Peer], ObservationError]], ...] = (
    (ssl.SSLCertVerificationError, _certificate),
    (ssl.SSLError, _tls),
    (socket.gaierror | UnicodeError, _dns),
    (httpcore.ProxyError, _proxy),
    (OSError, _socket),
)
"""From the special to the general: the first that fits explains."""

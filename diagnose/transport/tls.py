"""Whom to trust over TLS."""

from __future__ import annotations

import os
import ssl

from diagnose.errors import UsageError


def trust_store() -> ssl.SSLContext:
    """Return a context that verifies certificates and host names.

    SSL_CERT_FILE or SSL_CERT_DIR, where set, is all that is trusted; else the authorities that httpx brings along together
    with those of the machine, where a company keeps its own. Raises UsageError where such a file cannot be read.
    """
    import httpx

    try:
        context = httpx.create_ssl_context()
    except OSError as error:
        raise UsageError(
            f"SSL_CERT_FILE or SSL_CERT_DIR names certificates that cannot be read: {error.strerror or 'no certificate in it'}.",
            advice="Set it to a file in PEM form, or unset it.",
        ) from error
    if not os.environ.get("SSL_CERT_FILE") and not os.environ.get("SSL_CERT_DIR"):
        context.load_default_certs()
    return context

"""A credential, and the one origin that it was given for."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from diagnose.evidence.secret import Secret
from diagnose.record import record
from diagnose.transport.origin import Origin


@record
class Binding:
    """Request headers with secret values that go to ``origin`` and nowhere else.

    ``source`` says where they came from (`keyring`, `environment`, `--header`, ...), for logs.
    """

    origin: Origin
    headers: Mapping[str, Secret]
    source: str

    def may_go_to(self, url: str, plain_http: Collection[Origin] = ()) -> bool:
        """Return whether a request for ``url`` may carry these headers.

        Only to the origin itself, and only over TLS, to loopback, or to an origin in ``plain_http`` that a person has named
        (contract, Targets). Raises InputError where ``url`` is none.
        """
        origin = Origin.of(url)
        return origin == self.origin and may_carry_credentials(origin, plain_http)


def may_carry_credentials(origin: Origin, plain_http: Collection[Origin] = ()) -> bool:
    """Return whether nobody on the way can read what is sent to ``origin``, or a person has accepted that somebody can."""
    return origin.scheme == "https" or origin.is_loopback or origin in plain_http

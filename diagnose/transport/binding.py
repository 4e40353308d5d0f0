"""A credential, and the one origin that it was given for."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from diagnose.evidence.secret import Secret
from diagnose.evidence.secret_names import is_secret_header, is_secret_name
from diagnose.record import record
from diagnose.transport.origin import Origin


@record
class Binding:
    """Request headers with secret values that go to ``origin`` and nowhere else.

    ``source`` says where they came from (`keyring`, `environment`, `--header`, ...), for logs. A header that holds no
    credential needs no TLS.
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

    def headers_for(self, url: str, plain_http: Collection[Origin] = ()) -> Mapping[str, Secret]:
        """Return the headers that a request for ``url`` carries: all, those that are no credentials, or none.

        Raises InputError where ``url`` is none.
        """
        if self.may_go_to(url, plain_http):
            return self.headers
        credentials = self.credentials if Origin.of(url) == self.origin else self.headers
        return {name: value for name, value in self.headers.items() if name not in credentials}

    @property
    def credentials(self) -> Mapping[str, Secret]:
        """The headers that open something, by their names or by the scheme of their values (RFC 9110, 11.4)."""
        return {name: value for name, value in self.headers.items() if _is_credential(name, value)}


def _is_credential(name: str, value: Secret) -> bool:
    scheme = value.reveal().partition(" ")[0].lower()
    return is_secret_name(name) or is_secret_header(name) or scheme in {"basic", "bearer"}


def may_carry_credentials(origin: Origin, plain_http: Collection[Origin] = ()) -> bool:
    """Return whether nobody on the way can read what is sent to ``origin``, or a person has accepted that somebody can."""
    return origin.scheme == "https" or origin.is_loopback or origin in plain_http

"""What a live job is told of the way to a server, and the credentials and headers that may be used on it."""

from __future__ import annotations

import base64
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from diagnose.errors import UsageError
from diagnose.evidence.redact import Redactor
from diagnose.evidence.secret import Secret
from diagnose.evidence.secret_names import is_secret_parameter
from diagnose.jobs.target import TargetSpec
from diagnose.record import record
from diagnose.transport.binding import may_carry_credentials
from diagnose.transport.origin import Origin

if TYPE_CHECKING:
    from diagnose.transport.binding import Binding

EraChoice: TypeAlias = Literal["auto", "modern", "legacy"]

#: Fields that frame a message or concern one connection (RFC 9110, 7.6.1 and 10.1.1; RFC 9112, 6): one that does not fit
#: what is sent breaks the exchange, and the server would be blamed for it.
_OF_THE_CONNECTION = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


@record
class ConnectOptions:
    """The options of the contract's Targets section, parsed."""

    base_url: str | None = None
    health: str = "/health"
    version_path: str = "/version"
    manifest: str | None = None
    """None: `/tools`, where a server has it; a path that was named is due."""
    era: EraChoice = "auto"
    timeout: float = 10.0
    deadline: float = 60.0
    headers: Sequence[str] = ()
    auth: str = "auto"
    base_auth: str = "none"
    plain_http: Sequence[str] = ()
    http2: bool = False


@record
class Surroundings:
    """What a job may use of the outside, handed in by the command."""

    env: Mapping[str, str]
    redactor: Redactor
    note: Callable[[str], None]
    now: Callable[[], str]
    log: Callable[[str], None] | None = None
    """Takes a line for each exchange, or is None where nobody wants them."""
    log_headers: bool = False


class Access:
    """Puts the credentials and headers together, each bound to the origin that it was given for."""

    def __init__(self, around: Surroundings, options: ConnectOptions) -> None:
        self.around = around
        self.options = options
        self.plain_http = tuple(Origin.of(text) for text in options.plain_http)
        self.bindings: list[Binding] = []
        self.principal = "none"
        self.notes: list[str] = []
        self.url: str | None = None

    def target(self, spec: TargetSpec) -> None:
        """Find the address, and what is sent to it. Raises `UsageError` for a credential that may not go there."""
        headers = self._headers(spec)
        if spec.kind != "http":
            if headers or self.options.auth not in {"auto", "none"}:
                raise UsageError(
                    "--auth and --header are for HTTP; a stdio server takes its credential from the environment"
                )
            return
        self.url, userinfo = _without_userinfo(spec.url or "")
        origin = Origin.of(self.url)
        told = self._take_query(self.url, origin)
        auth = self.options.auth
        if auth == "auto" and spec.named is not None and spec.named.auth is not None:
            auth = spec.named.auth
        from_url = userinfo is not None and auth == "auto" and "authorization" not in map(str.lower, headers)
        if userinfo is not None and from_url:
            headers["Authorization"] = self._secret("Basic " + base64.b64encode(userinfo.encode()).decode())
        if any(name.lower() == "authorization" for name in headers):
            auth = "none"
        self._resolve(auth, origin, allow_env=True)
        if headers:
            self._bind_headers(origin, headers, from_url=from_url)
        if told and self.principal == "none":
            self._stand_for(Secret("&".join(told)))

    def base(self, origin: Origin) -> None:
        """Find the credential of another origin where health and manifest live."""
        self._resolve(self.options.base_auth, origin, allow_env=False, principal=False)

    def _resolve(self, auth: str, origin: Origin, *, allow_env: bool, principal: bool = True) -> None:
        if auth == "none":
            return
        from diagnose.credentials.command import PATIENCE
        from diagnose.credentials.resolve import resolve

        resolved = resolve(
            auth,
            origin,
            env=self.around.env,
            plain_http=self.plain_http,
            allow_env=allow_env,
            patience=min(PATIENCE, self.options.deadline),
        )
        self.notes += resolved.notes
        if resolved.binding is not None:
            for secret in resolved.binding.headers.values():
                self._secret(secret.reveal())
            self.bindings.append(resolved.binding)
            if principal:
                self.principal = resolved.fingerprint or "none"

    def _bind_headers(self, origin: Origin, headers: dict[str, Secret], *, from_url: bool) -> None:
        from diagnose.transport.binding import Binding

        binding = Binding(origin=origin, headers=headers, source="--header")
        credentials = binding.credentials
        if credentials and not binding.may_go_to(self.url or "", self.plain_http):
            place = "URL" if from_url else f"header {next(iter(credentials))}"
            raise _without_tls(place, origin)
        self.bindings.append(binding)
        if credentials and self.principal == "none":
            self._stand_for(next(iter(credentials.values())))

    def _stand_for(self, credential: Secret) -> None:
        """Let the principal be whoever holds this credential."""
        from diagnose.credentials.datafolder import data_folder
        from diagnose.credentials.fingerprint import machine_key

        self.principal = credential.fingerprint(machine_key(data_folder(self.around.env)))

    def _headers(self, spec: TargetSpec) -> dict[str, Secret]:
        headers = {}
        for text in (*spec.headers, *self.options.headers):
            name, equals, value = text.partition("=")
            if not equals or not _is_token(name):
                raise UsageError("--header takes NAME=VALUE, with NAME a header's name")
            headers[name] = self._header_value(name, value)
        for name, variable in (spec.named.headers_from_env if spec.named else {}).items():
            value = self.around.env.get(variable, "")
            if not value:
                raise UsageError(f"the configuration takes the header {name} from {variable}, which is not set")
            headers[name] = self._header_value(name, value)
        return headers

    def _header_value(self, name: str, value: str) -> Secret:
        if name.lower() in _OF_THE_CONNECTION:
            raise UsageError(
                f"the header {name} cannot be given: it belongs to the connection, which this program makes itself"
            )
        if any(ord(char) < 32 or ord(char) > 126 for char in value):
            raise UsageError(f"the value of the header {name} has a character that a header cannot carry")
        return self._secret(value)

    def _secret(self, value: str) -> Secret:
        secret = Secret(value)
        self.around.redactor.learn(secret)
        scheme, _, rest = value.partition(" ")
        if scheme.lower() in {"basic", "bearer"} and rest:
            self.around.redactor.learn(rest)
            password = _password(rest) if scheme.lower() == "basic" else None
            if password:
                self.around.redactor.learn(password)
        return secret

    def _take_query(self, url: str, origin: Origin) -> list[str]:
        """Return the credentials in a URL's query, which go where the URL goes."""
        told = [
            value
            for name, value in urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query)
            if is_secret_parameter(name)
        ]
        for value in told:
            self._secret(value)
        if told and not may_carry_credentials(origin, self.plain_http):
            raise _without_tls("URL", origin)
        return told


def _without_tls(place: str, origin: Origin) -> UsageError:
    return UsageError(
        f"the credential in the {place} would go to {origin} without TLS",
        advice=f"Use https, or allow it with --allow-plain-http {origin}.",
    )


def _password(basic: str) -> str | None:
    """Return the password of a Basic credential (RFC 7617); None where it is none."""
    try:
        return base64.b64decode(basic, validate=True).decode("utf-8").partition(":")[2] or None
    except ValueError:
        return None


def _without_userinfo(url: str) -> tuple[str, str | None]:
    parts = urllib.parse.urlsplit(url)
    userinfo, at, host = parts.netloc.rpartition("@")
    if not at:
        return url, None
    return urllib.parse.urlunsplit(parts._replace(netloc=host)), urllib.parse.unquote(userinfo)


def _is_token(name: str) -> bool:
    return bool(name) and all(char.isascii() and (char.isalnum() or char in "!#$%&'*+-.^_`|~") for char in name)

"""Everything that a live job needs to ask one server: the client, its credentials, the limits and the way in."""

from __future__ import annotations

import base64
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from diagnose.errors import UsageError
from diagnose.evidence.observation import Era
from diagnose.evidence.redact import Redactor
from diagnose.evidence.secret import Secret
from diagnose.evidence.secret_names import is_secret_parameter
from diagnose.jobs.target import TargetSpec
from diagnose.transport.deadline import Deadline
from diagnose.transport.origin import Origin

if TYPE_CHECKING:
    from diagnose.observe.dialogue import Dialogue
    from diagnose.observe.held import HeldSession
    from diagnose.observe.recorder import Recorder
    from diagnose.observe.session import Session
    from diagnose.transport.binding import Binding
    from diagnose.transport.http import HttpClient

EraChoice: TypeAlias = Literal["auto", "modern", "legacy"]


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(slots=True, kw_only=True)
class Surroundings:
    """What a job may use of the outside, handed in by the command."""

    env: Mapping[str, str]
    redactor: Redactor
    note: Callable[[str], None]
    now: Callable[[], str]
    log: Callable[[str], None] | None = None
    """Takes a line for each exchange, or is None where nobody wants them."""
    log_headers: bool = False


@dataclass(slots=True, kw_only=True)
class Connection:
    """One server, reachable. ``principal`` is a keyed fingerprint of the credential, or `none`."""

    spec: TargetSpec
    options: ConnectOptions
    deadline: Deadline
    http: HttpClient
    url: str | None
    base_url: str | None
    principal: str
    env: Mapping[str, str]
    """The environment of a stdio command, before `DIAGNOSE_*` is taken out."""
    now: Callable[[], str]
    era: Era | None = None
    """The era that was found, where it is not asked for again: of a command, and of who leaves the probe unanswered."""
    notes: list[str] = field(default_factory=list)
    fresh: list[HttpClient] = field(default_factory=list)
    """Clients of sessions that were opened apart, closed with the connection."""

    @property
    def has_credential(self) -> bool:
        """Whether requests to the target carry one."""
        return self.principal != "none"

    def open_session(self, url: str | None = None, *, era: EraChoice | None = None, apart: bool = False) -> Session:
        """Open a new session with the target (or with another address of its origin). Raises `ObservationError`.

        ``era`` stands in the place of the options' own; ``apart``: over HTTP, on a connection that no other session uses.
        The era of a stdio command is asked for once: the specification lets it be remembered (transports/stdio), and a
        child that keeps silent on the probe costs seconds each time. Over HTTP it is remembered where the probe got no answer.
        """
        from diagnose.observe.session import open_http, open_stdio

        timeout = self.options.timeout
        if self.spec.kind != "stdio":
            http = self.http.fresh() if apart else self.http
            if apart:
                self.fresh.append(http)
            wanted = era or self.era or self.options.era
            session = open_http(http, url or self.url or "", era=wanted, timeout=timeout)
            if era is None and session.probe_unanswered:
                self.era = session.era
            return session
        command = self.spec.command or ()
        wanted = era or self.era or self.options.era
        session = open_stdio(command, era=wanted, timeout=timeout, deadline=self.deadline, env=self.env)
        if era is None:
            self.era = session.era
        return session

    def open_dialogue(self) -> AbstractContextManager[Dialogue]:
        """Begin to talk without a handshake, over a connection or with a child of its own."""
        from diagnose.observe.experiments.dialogues import over_http, over_stdio

        timeout = self.options.timeout
        if self.spec.kind == "stdio":
            return over_stdio(self.spec.command or (), timeout=timeout, deadline=self.deadline, env=self.env)
        return over_http(self.http, self.url or "", timeout=timeout)

    def recorder(self) -> Recorder:
        """Return a recorder for sessions of this connection, which keeps them in memory."""
        import secrets

        from diagnose.observe.recorder import Recorder

        return Recorder(
            transport=self.spec.transport,
            started_at=self.now(),
            # Nothing of it is stored, so that no fingerprint has to be known again on another day.
            key=secrets.token_bytes(32),
            principal=self.principal if self.has_credential else None,
            target={"id": self.spec.id},
        )

    def open_recorded(self, recorder: Recorder) -> Session:
        """Open a new session that is recorded. Raises `ObservationError`."""
        from diagnose.observe.session import open_http, open_stdio

        era, timeout = self.era or self.options.era, self.options.timeout
        if self.spec.kind != "stdio":
            return open_http(self.http, self.url or "", era=era, timeout=timeout, recorder=recorder)
        command, deadline = self.spec.command or (), self.deadline
        session = open_stdio(command, era=era, timeout=timeout, deadline=deadline, env=self.env, recorder=recorder)
        self.era = session.era
        return session

    def hold(
        self,
        *,
        era: EraChoice | None = None,
        notifications: Mapping[str, Any] | None = None,
        recorder: Recorder | None = None,
    ) -> HeldSession:
        """Open a session that also listens, and record it in memory; without ``era`` it is that of the options.

        ``notifications`` is what a modern server is asked to tell of, by default changes of its tool list. ``recorder``
        is one that keeps other sessions as well. Raises `ObservationError`.
        """
        from diagnose.observe.held import hold_http, hold_stdio
        from diagnose.wire.subscription import TOOLS_FILTER

        recorder = recorder or self.recorder()
        era, timeout = era or self.options.era, self.options.timeout
        asked = TOOLS_FILTER if notifications is None else notifications
        if self.spec.kind == "stdio":
            command, deadline = self.spec.command or (), self.deadline
            return hold_stdio(
                command,
                recorder=recorder,
                deadline=deadline,
                era=era,
                timeout=timeout,
                env=self.env,
                notifications=asked,
            )
        return hold_http(self.http, self.url or "", recorder=recorder, era=era, timeout=timeout, notifications=asked)


@contextmanager
def connect(spec: TargetSpec, options: ConnectOptions, around: Surroundings) -> Iterator[Connection]:
    """Make the target reachable for the length of the block; the embedded server is started and ended here.

    Raises `UsageError` for options that contradict each other or a credential that may not go where it should.
    """
    from diagnose.transport.http import HttpClient

    if spec.kind == "demo":
        from diagnose.jobs.embedded import embedded_server

        with embedded_server(around.env) as url, connect(_at(spec, url), options, around) as connection:
            yield connection
        return
    deadline = Deadline(options.deadline)
    access = _Access(around, options)
    access.target(spec)
    base = _base(spec, options, access)
    http = HttpClient(
        timeout=options.timeout,
        deadline=deadline,
        bindings=access.bindings,
        plain_http=access.plain_http,
        http2=options.http2,
        log=around.log,
        log_headers=around.log_headers,
    )
    connection = Connection(
        spec=spec,
        options=options,
        deadline=deadline,
        http=http,
        url=access.url,
        base_url=base,
        principal=access.principal,
        env=around.env if spec.env is None else spec.env,
        now=around.now,
        notes=access.notes,
    )
    try:
        yield connection
    finally:
        for client in (http, *connection.fresh):
            client.close()


def _at(spec: TargetSpec, url: str) -> TargetSpec:
    """Return the embedded server as an address; it stays `demo` by name."""
    return TargetSpec(id=spec.id, kind="http", url=url, named=spec.named, fallback=spec.fallback)


def _base(spec: TargetSpec, options: ConnectOptions, access: _Access) -> str | None:
    """Return where health and manifest live; a base at another origin has a credential of its own."""
    stated = options.base_url or (spec.named.base_url if spec.named else None)
    if stated is None:
        return None if access.url is None else f"{Origin.of(access.url)}/"
    origin = Origin.of(stated)
    if access.url is None or origin != Origin.of(access.url):
        access.base(origin)
    return stated if stated.endswith("/") else stated + "/"


class _Access:
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
        headers = self._headers(spec)
        if spec.kind != "http":
            if headers or self.options.auth not in {"auto", "none"}:
                raise UsageError(
                    "--auth and --header are for HTTP; a stdio server takes its credential from the environment"
                )
            return
        self.url, userinfo = _without_userinfo(spec.url or "")
        origin = Origin.of(self.url)
        self._learn_query(self.url)
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

    def base(self, origin: Origin) -> None:
        self._resolve(self.options.base_auth, origin, allow_env=False, principal=False)

    def _resolve(self, auth: str, origin: Origin, *, allow_env: bool, principal: bool = True) -> None:
        if auth == "none":
            return
        from diagnose.credentials.resolve import resolve

        resolved = resolve(auth, origin, env=self.around.env, plain_http=self.plain_http, allow_env=allow_env)
        self.notes += resolved.notes
        if resolved.binding is not None:
            for secret in resolved.binding.headers.values():
                self._secret(secret.reveal())
            self.bindings.append(resolved.binding)
            if principal:
                self.principal = resolved.fingerprint or "none"

    def _bind_headers(self, origin: Origin, headers: dict[str, Secret], *, from_url: bool) -> None:
        from diagnose.credentials.datafolder import data_folder
        from diagnose.credentials.fingerprint import machine_key
        from diagnose.transport.binding import Binding

        binding = Binding(origin=origin, headers=headers, source="--header")
        credentials = binding.credentials
        if credentials and not binding.may_go_to(self.url or "", self.plain_http):
            place = "URL" if from_url else f"header {next(iter(credentials))}"
            raise UsageError(
                f"the credential in the {place} would go to {origin} without TLS",
                advice=f"Use https, or allow it with --allow-plain-http {origin}.",
            )
        self.bindings.append(binding)
        if credentials and self.principal == "none":
            self.principal = next(iter(credentials.values())).fingerprint(machine_key(data_folder(self.around.env)))

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

    def _learn_query(self, url: str) -> None:
        for name, value in urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query):
            if is_secret_parameter(name):
                self._secret(value)


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

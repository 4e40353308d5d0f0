"""One server, reachable: the client, the limits and the ways in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from diagnose.evidence.observation import Era
from diagnose.evidence.secret_names import secret_arguments, secret_values
from diagnose.jobs.access import Access, ConnectOptions, EraChoice, Surroundings
from diagnose.jobs.target import TargetSpec
from diagnose.transport.deadline import Deadline
from diagnose.transport.origin import Origin

if TYPE_CHECKING:
    from diagnose.observe.dialogue import Dialogue
    from diagnose.observe.held import HeldSession
    from diagnose.observe.recorder import Recorder
    from diagnose.observe.session import Session
    from diagnose.transport.http import HttpClient


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
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
    env = around.env if spec.env is None else spec.env
    if spec.kind == "stdio":
        # The command is given them, and may say them.
        around.redactor.learn_long([*secret_values(env), *secret_arguments(spec.command or ())])
    deadline = Deadline(options.deadline)
    access = Access(around, options)
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
        env=env,
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


def _base(spec: TargetSpec, options: ConnectOptions, access: Access) -> str | None:
    """Return where health and manifest live; a base at another origin has a credential of its own."""
    stated = options.base_url or (spec.named.base_url if spec.named else None)
    if stated is None:
        return None if access.url is None else f"{Origin.of(access.url)}/"
    origin = Origin.of(stated)
    if access.url is None or origin != Origin.of(access.url):
        access.base(origin)
    return stated if stated.endswith("/") else stated + "/"

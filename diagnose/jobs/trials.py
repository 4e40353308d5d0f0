"""Everything that `check` tries on a server, one after the other; what could not be tried is told with its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from diagnose.errors import CredentialRefusedError, ObservationError
from diagnose.evidence.observation import Era, Observation
from diagnose.evidence.probes import Answered, Hinted, Probes, VersionTried
from diagnose.evidence.recording import Recording
from diagnose.jobs.connection import Connection
from diagnose.judge.checks import probed
from diagnose.judge.checks.registry import Need
from diagnose.judge.timeline.rules import needs as wire
from diagnose.wire.eras import LEGACY, MODERN
from diagnose.wire.negotiation import DISCOVER

if TYPE_CHECKING:
    from diagnose.observe.experiments.trigger import Provocation

Found = TypeVar("Found")

_LIST = "tools/list"
#: Seconds for which the channel for signals is held without doing anything; a wait that is longer than an interval of
#: keep-alive is held out as a whole.
QUIET = 4.0
#: After one of these nobody knows whether the server would answer anything else.
_SILENT = frozenset({"unreachable", "timed-out", "handshake-failed", "auth-blocked"})


@dataclass(slots=True, kw_only=True)
class Trials:
    """The trials of one server. ``origin`` is the list as it was read, ``needs`` is what the checks of this run need."""

    connection: Connection
    origin: Observation
    needs: frozenset[Need]
    now: Callable[[], str]
    wait: float
    url: str | None = None
    provoke: Provocation | None = None
    second: Connection | None = None
    anonymous: Connection | None = None
    unmet: dict[str, str] = field(default_factory=dict)
    found: dict[str, Any] = field(default_factory=dict)
    others: list[Observation] = field(default_factory=list)
    recordings: list[Recording] = field(default_factory=list)

    def run(self) -> Probes:
        """Try everything that the server's era and transport have, and that a check of this run asks about."""
        failure = self.origin.failure
        if self.origin.era is None or (failure is not None and failure.rule in _SILENT):
            why = failure.message if failure is not None else "the origin was not observed"
            return Probes(unmet=dict.fromkeys(Probes.__dataclass_fields__, why))
        self._cursors()
        if self.origin.era == "modern":
            self._modern()
        else:
            why = "the server speaks the older era"
            self.unmet |= dict.fromkeys(("headers", "removed", "initialize", "versions", "hints"), why)
        self._other_era()
        self._callers()
        self._channel()
        return Probes(**self.found, unmet=self.unmet)

    @property
    def _era(self) -> Era:
        assert self.origin.era is not None
        return self.origin.era

    def _try(self, name: str, need: Need, look: Callable[[], Found | str]) -> Found | None:
        """Keep what a trial found under its name, or in words why it found nothing."""
        if need not in self.needs:
            self.unmet[name] = "no check of this run asks for it"
            return None
        try:
            found = look()
        except ObservationError as error:
            self.unmet[name] = str(error)
            return None
        if isinstance(found, str):
            self.unmet[name] = found
            return None
        self.found[name] = found
        return found

    def _cursors(self) -> None:
        from diagnose.observe.experiments.cursors import cursor_again, invented_cursor

        def again() -> Any:
            if len(self.origin.pages) < 2:
                return "the list has one page"
            with self._session() as session:
                return cursor_again(session, now=self.now)

        def invented() -> Answered:
            with self._session() as session:
                return invented_cursor(session)

        if self.origin.surface is None:
            self.unmet |= dict.fromkeys(("bogus_cursor", "cursor_again"), "the list was not read to its end")
            return
        self._try("cursor_again", probed.old_cursor, again)
        self._try("bogus_cursor", probed.invented_cursor, invented)

    def _session(self) -> Any:
        return self.connection.open_session(self.url, era=self._era)

    def _modern(self) -> None:
        from diagnose.observe.experiments.asking import ask_modern
        from diagnose.observe.experiments.hints import other_hints
        from diagnose.observe.experiments.refusals import contradictions, removed_methods
        from diagnose.observe.experiments.versions import tried_versions

        version, transport = MODERN[0], self.connection.spec.transport
        try:
            with self.connection.open_dialogue() as dialogue:
                discovered = ask_modern(dialogue, DISCOVER, version=version)
                said: Mapping[str, Any] = discovered.result or {"capabilities": self.origin.capabilities}

                def hints() -> tuple[Hinted, ...]:
                    return other_hints(dialogue, said, version)

                self._try("hints", probed.other_hints, hints)
                self._try("removed", probed.removed_methods, lambda: removed_methods(dialogue, version))
                if transport == "http":
                    self._try("headers", probed.contradictions, lambda: contradictions(dialogue, version))
                else:
                    self.unmet["headers"] = "a pipe has no headers"
        except ObservationError as error:
            self.unmet |= dict.fromkeys(("hints", "removed", "headers", "versions", "initialize"), str(error))
            return
        if not {probed.versions, probed.modern_only} & self.needs:
            return

        def versions() -> tuple[VersionTried, ...] | str:
            if discovered.result is None:
                return f"{DISCOVER} was not answered with a result"
            return tried_versions(self.connection.open_dialogue, discovered.result, transport)

        self._initialize(self._try("versions", probed.versions, versions) or ())

    def _initialize(self, versions: tuple[VersionTried, ...]) -> None:
        """Take the answer to the older handshake, where the server refuses it, out of the versions that were tried."""
        tried = next((each for each in versions if each.version == LEGACY[0]), None)
        if tried is None:
            self.unmet["initialize"] = self.unmet.get("versions", "the older handshake was not tried")
        elif tried.answer.result is not None:
            self.unmet["initialize"] = "the server takes the older handshake, too"
        else:
            self.found["initialize"] = tried.answer

    def _other_era(self) -> None:
        other: Era = "legacy" if self._era == "modern" else "modern"
        if self.connection.options.era != "auto":
            self.unmet["other_era"] = f"--era asks for the {self._era} era alone"
        elif probed.other_era in self.needs and self.origin.surface is not None:
            try:
                with self.connection.open_session(self.url, era=other) as session:
                    self._read(session, self.connection.principal, f"{other} era")
            except ObservationError as error:
                self.unmet["other_era"] = f"the {other} era brings no list: {error}"

    def _read(self, session: Any, principal: str, label: str) -> None:
        from diagnose.observe.listing import ListReader

        seen = ListReader(session, now=self.now, principal=principal, label=label).read()
        if seen.failure is not None:
            raise ObservationError(seen.failure.message, rule=seen.failure.rule)
        self.others.append(seen)

    def _callers(self) -> None:
        """Read the list as the second principal, and as nobody."""
        if self.second is not None and self.origin.surface is not None:
            refused = self._as(self.second, "second_principal", "second caller")
            if refused is not None:
                self.found["second"] = refused
        if self.connection.spec.kind == "stdio":
            self.unmet["anonymous"] = "a pipe carries no credential"
        elif not self.connection.has_credential:
            self.found["anonymous"] = Answered(method=_LIST, what="without a credential", result={})
        elif self.anonymous is None:
            self.unmet["anonymous"] = "the configuration leaves no way without a credential"
        elif probed.without_credential in self.needs and self.origin.surface is not None:
            refused = self._as(self.anonymous, "anonymous", "no credential")
            if "anonymous" not in self.unmet:
                self.found["anonymous"] = refused or Answered(method=_LIST, what="without a credential", result={})

    def _as(self, connection: Connection, name: str, label: str) -> Answered | None:
        """Read the list over another connection; return the refusal of its credential, if that is what comes."""
        try:
            with connection.open_session(self.url, era=self._era) as session:
                self._read(session, connection.principal, label)
        except CredentialRefusedError as error:
            status = error.args_by_name.get("status")
            return Answered(method=_LIST, what=label, status=status, refused=True, message=str(error))
        except ObservationError as error:
            self.unmet[name] = str(error)
        return None

    def _channel(self) -> None:
        """Hold the channel for signals: quietly, under every kind of subscription, and while a change is provoked."""
        if not any(need.__module__ == wire.__name__ for need in self.needs):
            return
        if self.provoke is None:
            self.unmet["provoked"] = "no change was provoked; name a command that makes one with --trigger"
        for trial in (self._quiet, self._signal, self._listen):
            try:
                recording = trial()
            except ObservationError as error:
                self.unmet["wire"] = str(error)
            else:
                if recording is not None:
                    self.recordings.append(replace(recording, source="own session"))

    def _hold(self) -> Any:
        return self.connection.hold(era=self._era)

    def _quiet(self) -> Recording | None:
        from diagnose.observe.experiments.stream import stream_trial

        seconds = self.wait if self.wait > wire.KEEP_ALIVE else min(QUIET, self.wait)
        return stream_trial(self._hold, seconds=seconds, wait=self.wait, now=self.now).recording

    def _signal(self) -> Recording | None:
        from diagnose.observe.experiments.signal import signal_trial

        if self.provoke is None:
            return None
        return signal_trial(self._hold, self.provoke, wait=self.wait, now=self.now).recording

    def _listen(self) -> Recording | None:
        from diagnose.observe.experiments.listen import listen_trial

        trial = listen_trial(self._hold, wait=self.wait, provoke=self.provoke) if self._era == "modern" else None
        return None if trial is None else trial.recording

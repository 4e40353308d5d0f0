"""Everything that `check` tries on a server, one after the other; what could not be tried is told with its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from diagnose.errors import CredentialRefusedError, ObservationError
from diagnose.evidence.observation import Era, Observation
from diagnose.evidence.probes import Answered, Beside, Probes, VersionTried
from diagnose.evidence.recording import Recording
from diagnose.jobs.connection import Connection
from diagnose.judge.checks import probed
from diagnose.judge.checks.registry import Need
from diagnose.judge.timeline.rules import needs as wire
from diagnose.wire.eras import LEGACY, MODERN
from diagnose.wire.negotiation import DISCOVER

if TYPE_CHECKING:
    from diagnose.observe.dialogue import Dialogue
    from diagnose.observe.experiments.stream import Quiet
    from diagnose.observe.experiments.trigger import Provocation
    from diagnose.observe.experiments.versions import Tried
    from diagnose.observe.held import HeldSession
    from diagnose.observe.recorder import Recorder
    from diagnose.observe.session import Session

Found = TypeVar("Found")

_LIST = "tools/list"
_UNREAD = "the list was not read to its end"
_ONE_PAGE = "the list has one page"
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
    _other_read: bool = False
    _held: HeldSession | None = None
    _begun: Quiet | None = None
    _recorders: list[Recorder] = field(default_factory=list)

    def run(self) -> Probes:
        """Try everything that the server's era and transport have, and that a check of this run asks about."""
        failure = self.origin.failure
        if self.origin.era is None or (failure is not None and failure.rule in _SILENT):
            why = failure.message if failure is not None else "the origin was not observed"
            return Probes(unmet=dict.fromkeys(Probes.__dataclass_fields__, why))
        if self._era == "legacy":
            why = "the server speaks the older era"
            self.unmet |= dict.fromkeys(("headers", "removed", "initialize", "versions", "hints"), why)
        try:
            self._begin_quietly()
            self._over_one_session()
            self._other_era()
            self._callers()
            self._channel()
        finally:
            if self._held is not None:
                self._held.close()
        self.recordings += [replace(each.recording(), source="own session") for each in self._recorders]
        return Probes(**self.found, unmet=self.unmet)

    @property
    def _era(self) -> Era:
        assert self.origin.era is not None
        return self.origin.era

    def _try(self, name: str, need: Need, look: Callable[[], Found | str] | str) -> Found | None:
        """Keep what a trial found under its name, or in words why it found nothing."""
        if need not in self.needs:
            self.unmet[name] = "no check of this run asks for it"
            return None
        try:
            found = look if isinstance(look, str) else look()
        except ObservationError as error:
            self.unmet[name] = str(error)
            return None
        if isinstance(found, str):
            self.unmet[name] = found
            return None
        self.found[name] = found
        return found

    def _over_one_session(self) -> None:
        """Try what needs no session of its own, and then the versions, which do: over stdio each is a child's start."""
        modern: tuple[Tried, ...] = ()
        discovered: Mapping[str, Any] = {}
        try:
            with self._session() as session:
                self._try("beside", probed.asked_beside, lambda: self._beside(session))
                if session.era == "modern":
                    modern, discovered = self._modern(session), session.handshake
                self._cursors(session)
        except ObservationError as error:
            names = ("beside", "hints", "removed", "headers", "versions", "initialize", "cursor_again", "bogus_cursor")
            for name in names:
                self.unmet.setdefault(name, str(error))
        if self._era == "modern" and self._of_versions is not None:
            self._versions(discovered, modern, self._of_versions)

    def _session(self) -> Any:
        return self.connection.open_session(self.url, era=self._era, apart=True)

    def _beside(self, session: Session) -> Beside | str:
        from diagnose.observe.experiments.beside import list_beside

        if self.origin.surface is None:
            return _UNREAD
        return list_beside(session, self._session, self.now)

    def _cursors(self, session: Session) -> None:
        from diagnose.observe.experiments.cursors import cursor_again, invented_cursor

        if self.origin.surface is None:
            self.unmet |= dict.fromkeys(("bogus_cursor", "cursor_again"), _UNREAD)
            return
        one_page = len(self.origin.pages) < 2
        again = _ONE_PAGE if one_page else lambda: cursor_again(session, now=self.now)
        self._try("cursor_again", probed.old_cursor, again)
        self._try("bogus_cursor", probed.invented_cursor, lambda: invented_cursor(session))

    def _modern(self, session: Session) -> tuple[Tried, ...]:
        """Try what the modern era alone has; return what came of its versions."""
        from diagnose.observe.experiments.hints import other_hints
        from diagnose.observe.experiments.refusals import contradictions, removed_methods
        from diagnose.observe.experiments.versions import modern_versions

        dialogue, version = session.dialogue, MODERN[0]
        said: Mapping[str, Any] = session.handshake or {"capabilities": self.origin.capabilities}
        self._try("hints", probed.other_hints, lambda: other_hints(dialogue, said, version))
        tried = modern_versions(dialogue, said) if self._of_versions is not None else ()
        if self.connection.spec.transport == "http":
            self._try("headers", probed.contradictions, lambda: contradictions(dialogue, version))
        else:
            self.unmet["headers"] = "a pipe has no headers"
        self._try("removed", probed.removed_methods, lambda: removed_methods(dialogue, version))
        return tried

    @property
    def _of_versions(self) -> Need | None:
        """The need for which versions are tried, if one of this run is."""
        return next((need for need in (probed.versions, probed.modern_only) if need in self.needs), None)

    def _versions(self, discovered: Mapping[str, Any], modern: tuple[Tried, ...], need: Need) -> None:
        """Use the older versions, and take the answer to the older handshake, where the server refuses it, out of that."""
        from diagnose.observe.experiments.versions import tried_versions

        def versions() -> tuple[VersionTried, ...] | str:
            if not discovered:
                return f"{DISCOVER} was not answered with a result"
            return tried_versions(self._shake, discovered, modern, self.connection.spec.transport)

        tried = next((each for each in self._try("versions", need, versions) or () if each.version == LEGACY[0]), None)
        if tried is None:
            self.unmet["initialize"] = self.unmet.get("versions", "the older handshake was not tried")
        elif tried.answer.result is not None:
            self.unmet["initialize"] = "the server takes the older handshake, too"
        else:
            self.found["initialize"] = tried.answer

    def _shake(self, version: str) -> Answered:
        """Shake hands for one older version; over stdio the child that does so for the newest also gives its list."""
        from diagnose.observe.experiments.versions import handshake

        newest = version == LEGACY[0] and self.connection.spec.kind == "stdio" and self._wants_other_era
        answer = handshake(self.connection.open_dialogue, version, self._older_list if newest else None)
        if newest and answer.result is None:
            self.unmet["other_era"] = f"the legacy era brings no list: {answer.why or answer.message or answer.code}"
        return answer

    def _older_list(self, dialogue: Dialogue, result: Any) -> None:
        from diagnose.observe.handshake import settle_legacy
        from diagnose.observe.session import Session

        try:
            session = Session(dialogue, settle_legacy(dialogue, result), "stdio")
            self._read(session, self.connection.principal, "legacy era")
            self._other_read = True
        except ObservationError as error:
            self.unmet["other_era"] = f"the legacy era brings no list: {error}"

    @property
    def _wants_other_era(self) -> bool:
        wanted = probed.other_era in self.needs and self.origin.surface is not None
        return wanted and self.connection.options.era == "auto"

    def _other_era(self) -> None:
        other: Era = "legacy" if self._era == "modern" else "modern"
        if self.connection.options.era != "auto":
            self.unmet["other_era"] = f"--era asks for the {self._era} era alone"
        elif self._wants_other_era and not self._other_read and "other_era" not in self.unmet:
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

    @property
    def _of_the_wire(self) -> bool:
        return any(need.__module__ == wire.__name__ for need in self.needs)

    def _begin_quietly(self) -> None:
        """Hold the quiet session from now on, where it is a child of its own and two were at work at one time before."""
        sessions = {walk.session for walk in self.origin.samples}
        if self._of_the_wire and self.connection.spec.kind == "stdio" and len(sessions) > 1:
            self._attempt(self._quiet_begins)

    def _channel(self) -> None:
        """Hold the channel for signals: quietly, under every kind of subscription, and while a change is provoked."""
        if not self._of_the_wire:
            return
        if self.provoke is None:
            self.unmet["provoked"] = "no change was provoked; name a command that makes one with --trigger"
        for trial in (self._quiet, self._signal, self._listen):
            self._attempt(trial)

    def _attempt(self, trial: Callable[[], None]) -> None:
        try:
            trial()
        except ObservationError as error:
            self.unmet["wire"] = str(error)

    def _hold(self) -> AbstractContextManager[HeldSession]:
        """Hold a session for one trial; over stdio the same one for all, as long as it can be heard."""
        if self._held is not None and self._held.listening:
            return nullcontext(self._held)
        held = self.connection.hold(era=self._era)
        self._recorders.append(held.recorder)
        if self.connection.spec.kind != "stdio":
            return held
        if self._held is not None:
            self._held.close()
        self._held = held
        return nullcontext(held)

    def _quiet_begins(self) -> None:
        from diagnose.observe.experiments.stream import Quiet

        with self._hold() as held:
            self._begun = Quiet(held, seconds=self._quiet_seconds, wait=self.wait, now=self.now)

    @property
    def _quiet_seconds(self) -> float:
        patient = self.wait > wire.KEEP_ALIVE and self.connection.spec.kind != "stdio"  # a pipe is not kept alive
        return self.wait if patient else min(QUIET, self.wait)

    def _quiet(self) -> None:
        from diagnose.observe.experiments.stream import stream_trial

        if self._begun is not None:
            self._begun.finish()
        else:
            stream_trial(self._hold, seconds=self._quiet_seconds, wait=self.wait, now=self.now)

    def _signal(self) -> None:
        from diagnose.observe.experiments.signal import signal_trial

        if self.provoke is None:
            return
        provoked = signal_trial(self._hold, self.provoke, wait=self.wait, now=self.now).provoked
        if provoked is not None and not provoked.succeeded:
            how = "did not end in time" if provoked.exit_code is None else f"ended with exit code {provoked.exit_code}"
            self.unmet["provoked"] = f"the trigger {how}, so that it may have changed nothing"

    def _listen(self) -> None:
        from diagnose.observe.experiments.listen import listen_trial

        if self._era == "modern":
            listen_trial(self._hold, wait=self.wait, provoke=self.provoke)

"""Finding out which era a server speaks, and opening the conversation in it.

MCP 2026-07-28, basic/versioning, transports/stdio and transports/streamable-http (Backward Compatibility): what the
answers mean is decided in `diagnose.wire.negotiation`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

from diagnose.errors import ObservationError
from diagnose.evidence.observation import Era
from diagnose.observe.channel import Answer, Channel, ChannelEndedError
from diagnose.observe.dialogue import Dialogue
from diagnose.observe.refusal import NOT_NOW, RpcError, no_answer
from diagnose.record import record
from diagnose.wire.eras import LEGACY, MODERN, UNSUPPORTED_VERSION, is_modern_error
from diagnose.wire.headers import SESSION, is_session_id, legacy_headers, modern_headers
from diagnose.wire.message import METHOD_NOT_FOUND, Message
from diagnose.wire.negotiation import (
    DISCOVER,
    INITIALIZE,
    INITIALIZED,
    SERVER_INFO,
    Step,
    after_discover,
    after_refused_discover,
    after_refused_initialize,
    agreed_version,
    initialize_params,
    modern_params,
)

EraChoice: TypeAlias = Literal["auto", "modern", "legacy"]

#: How long a child may be silent on the probe before it is taken for a legacy server, in seconds.
PROBE: Final = 5.0
#: Statuses to `initialize` that lead on to the older transport (transports/streamable-http, HTTP+SSE).
_OLDER: Final = frozenset({400, 404, 405})
_NOT_FOUND: Final = 404
#: What a request may wait for before it has been sent (`diagnose.transport.failures`).
_BEFORE_ASKING: Final = frozenset({"dns", "connect", "tls", "deadline"})
#: How an exchange ends that a server took up and did not complete (the same).
_NO_ANSWER: Final = frozenset({"reset", "cut", "protocol", "encoding"})
_SERVER_ERROR: Final = 500


@record
class Agreement:
    """What both sides agreed on. ``result`` is that of `initialize` or `server/discover`, as received."""

    era: Era
    version: str
    result: Mapping[str, Any]
    session_id: str | None = None
    unanswered: bool = False
    """Whether the probe got no answer at all; another session may spare it."""

    @property
    def server_info(self) -> Mapping[str, Any] | None:
        """What the server says it is: in the result (legacy), or in its ``_meta`` (modern)."""
        holder = self.result.get("_meta") if self.era == "modern" else self.result
        info = holder.get(SERVER_INFO if self.era == "modern" else "serverInfo") if isinstance(holder, dict) else None
        return info if isinstance(info, dict) else None


class Handshake:
    """Opens one conversation.

    ``older`` opens the transport of 2024-11-05 where there may be one (HTTP); ``restart`` starts the command again after
    it has died of the probe (stdio, where silence is an answer too).
    """

    def __init__(
        self,
        dialogue: Dialogue,
        era: EraChoice,
        *,
        older: Callable[[], Channel | None] | None = None,
        restart: Callable[[], Channel] | None = None,
    ) -> None:
        self._dialogue = dialogue
        self._era = era
        self._older = older
        self._restart = restart
        self._restarted = False
        self._unanswered = False

    @property
    def may_fall_back(self) -> bool:
        """Whether a server that speaks no modern version may be spoken to as the legacy era does."""
        return self._era != "modern"

    def agree(self) -> Agreement:
        """Return what was agreed.

        Raises ObservationError: `handshake-failed` where both sides talk and cannot agree, else what the channel raises.
        """
        if self._era == "legacy":
            return self.initialize(LEGACY[0])
        step, result = self._discover(MODERN[0])
        if step.action == "discover":
            step, result = self._discover(step.version)
        if step.action == "modern":
            return self._modern(step, result)
        if self._era == "auto" and step.action == "initialize":
            return self._fall_back(step.version)
        raise _no_modern_version(step)

    def initialize(self, version: str) -> Agreement:
        """Shake hands as the legacy era does, asking for ``version``."""
        self._dialogue.legacy()
        asked: set[str] = set()
        while True:
            asked.add(version)
            answer = self._dialogue.ask(INITIALIZE, initialize_params(version), headers={})
            message = answer.message
            if message is not None and message.kind == "result":
                return self._legacy(answer, message)
            step = after_refused_initialize(message.error, version) if message is not None else None
            if step is not None and step.action == "modern" and self._era == "auto":
                return self._modern(step, {})
            if step is not None and step.version in LEGACY and step.version not in asked:
                version = step.version
                continue
            if self._turn_to_older(answer):
                continue
            return self._belated(answer)

    def _fall_back(self, version: str) -> Agreement:
        """Shake hands with a server that took the probe for nothing it knows."""
        try:
            return self.initialize(version)
        except ChannelEndedError:
            if self._restart is None or self._restarted:
                raise
            # The first Python SDK fails on the probe, and ends only when the next line reaches it.
            self._start_again()
            return self.initialize(version)

    def _start_again(self) -> None:
        """Start the command anew, once: the probe was the end of it."""
        assert self._restart is not None
        self._restarted = True
        self._dialogue.notes.append(f"The command ended on {DISCOVER} and was started again for {INITIALIZE}.")
        self._dialogue.channel = self._restart()

    def _discover(self, version: str) -> tuple[Step, Mapping[str, Any]]:
        """Ask `server/discover`, the first modern request, and tell what comes of it."""
        legacy = Step(action="initialize", version=LEGACY[0])
        timeout = min(self._dialogue.timeout, PROBE if self._restart else self._dialogue.deadline.remaining() / 2)
        params = modern_params(None, version)
        headers = modern_headers({"method": DISCOVER}, version)
        try:
            answer = self._dialogue.ask(DISCOVER, params, headers=headers, timeout=timeout)
        except ChannelEndedError:
            if self._restart is None:
                raise
            self._start_again()
            return legacy, {}
        except ObservationError as error:
            if self._era != "auto" or self._dialogue.deadline.expired or not _is_silence(error):
                raise
            self._unanswered = True
            self._dialogue.notes.append(self._told_silence(error))
            return legacy, {}
        if answer.message is None:
            return self._no_discovery(answer), {}
        if answer.message.kind == "error":
            return self._refused_discovery(answer, answer.message), {}
        return after_discover(answer.message.result), answer.message.result

    def _told_silence(self, error: ObservationError) -> str:
        if self._restart is not None:
            return f"The command was silent on {DISCOVER} and is taken for a legacy server."
        return f"{DISCOVER} got no answer, so {INITIALIZE} was tried: {error}"

    def _no_discovery(self, answer: Answer) -> Step:
        """Tell what an answer to the probe means that is no JSON-RPC: a legacy server, or nothing at all."""
        if answer.status in NOT_NOW:
            raise no_answer(answer, DISCOVER, "unreachable")
        if answer.status is not None and answer.status >= _SERVER_ERROR:
            note = f"{DISCOVER} was answered with HTTP {answer.status}; the era is that of the answer to {INITIALIZE}."
            self._dialogue.notes.append(note)
        return Step(action="initialize", version=LEGACY[0], note=str(no_answer(answer, DISCOVER, "handshake-failed")))

    def _refused_discovery(self, answer: Answer, message: Message) -> Step:
        step = after_refused_discover(message.error)
        if message.error.code == UNSUPPORTED_VERSION and not is_modern_error(message.error):
            self._dialogue.notes.append(
                f"{DISCOVER} was refused with {UNSUPPORTED_VERSION} and no version was named, which no modern server does."
            )
        if self._era == "modern" and answer.status == _NOT_FOUND and message.error.code == METHOD_NOT_FOUND:
            # So a modern server tells an unknown method (transports/streamable-http); clients need not call this one.
            self._dialogue.notes.append(f"The server does not know {DISCOVER}, which every modern server must.")
            return Step(action="modern", version=MODERN[0])
        return step

    def _modern(self, step: Step, result: Mapping[str, Any]) -> Agreement:
        if step.note:
            self._dialogue.notes.append(step.note)
        self._dialogue.modern()
        return Agreement(era="modern", version=step.version, result=result)

    def _legacy(self, answer: Answer, message: Message) -> Agreement:
        session_id = answer.headers.get(SESSION)
        if session_id is not None and not is_session_id(session_id):
            self._dialogue.notes.append(f"The server gave a {SESSION} that may not be sent back.")
            session_id = None
        # A session that has been begun over one transport is begun again over the same.
        self._older = None
        return settle_legacy(self._dialogue, message.result, session_id, unanswered=self._unanswered)

    def _turn_to_older(self, answer: Answer) -> bool:
        """Go on over HTTP+SSE if the refusal may mean that, and the server offers it."""
        older, self._older = self._older, None
        modern = answer.message is not None and is_modern_error(answer.message.error)
        channel = older() if older is not None and answer.status in _OLDER and not modern else None
        if channel is None:
            return False
        self._dialogue.channel = channel
        self._dialogue.notes.append("The server speaks HTTP+SSE, the transport of 2024-11-05.")
        return True

    def _belated(self, answer: Answer) -> Agreement:
        """Take the answer to the probe if it came after all: then the server was slow, not silent."""
        late = self._dialogue.late_answer()
        if late is not None and late.kind == "result" and self._era == "auto":
            step = after_discover(late.result)
            if step.action == "modern":
                return self._modern(step, late.result)
        if answer.message is None:
            raise no_answer(answer, INITIALIZE, "handshake-failed")
        error = RpcError(INITIALIZE, answer.message.error, answer.status)
        error.rule = "handshake-failed"
        raise error


def settle_legacy(
    dialogue: Dialogue, result: Mapping[str, Any], session_id: str | None = None, *, unanswered: bool = False
) -> Agreement:
    """Go on with what `initialize` was answered with: tell the server so, and name the session from now on.

    Raises what `Dialogue.tell` raises.
    """
    dialogue.legacy()
    dialogue.headers = legacy_headers(None, session_id)
    version = agreed_version(result)
    dialogue.headers = legacy_headers(version, session_id)
    status = dialogue.tell(INITIALIZED)
    if status is not None and status >= min(_OLDER):
        dialogue.notes.append(f"The server answered {INITIALIZED} with HTTP {status}.")
    return Agreement(era="legacy", version=version, result=result, session_id=session_id, unanswered=unanswered)


def _is_silence(error: ObservationError) -> bool:
    """Tell whether a server that was reached gave no answer: it was silent, hung up, or answered what cannot be read."""
    facts = error.args_by_name
    if error.rule == "timed-out":
        return facts.get("stage") not in _BEFORE_ASKING
    return error.rule == "unreachable" and facts.get("kind") in _NO_ANSWER


def _no_modern_version(step: Step) -> ObservationError:
    if step.action == "discover":
        said = f"The server names {step.version} as a version that it speaks, and refuses {DISCOVER} in it."
        return ObservationError(said, rule="handshake-failed", advice="Report this to whoever runs the server.")
    return ObservationError(
        f"The server and this program have no modern version in common. {step.note}".strip(),
        rule="handshake-failed",
        advice="Without --era modern, the older versions are tried too.",
    )

"""A session: one conversation with one server, in the era that was found, raw values kept beside what was understood."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

from diagnose.errors import CredentialRefusedError, ObservationError
from diagnose.evidence.observation import Anomaly, Era
from diagnose.observe.channel import Answer, Channel
from diagnose.observe.dialogue import Dialogue, Notice
from diagnose.observe.handshake import Agreement, EraChoice, Handshake
from diagnose.observe.refusal import RpcError, no_answer
from diagnose.record import record
from diagnose.transport.answer import Headers
from diagnose.transport.deadline import Deadline
from diagnose.wire.eras import LEGACY, MODERN, VERSIONS, is_unsupported_version, mutual_version, supported_versions
from diagnose.wire.headers import mirrored_headers, modern_headers
from diagnose.wire.message import Message
from diagnose.wire.negotiation import modern_params

if TYPE_CHECKING:
    from diagnose.observe.ports import HttpPort, ProcessPort
    from diagnose.observe.recorder import Recorder

Transport: TypeAlias = Literal["http", "stdio"]

_NOT_FOUND: Final = 404
#: The type of a result that asks for something before it is final (MCP 2026-07-28, basic/index).
INPUT_REQUIRED: Final = "input_required"


class NoSessionError(ObservationError):
    """No session could be opened. ``anomalies`` and ``notes`` are what was seen on the way."""

    def __init__(self, error: ObservationError, dialogue: Dialogue) -> None:
        super().__init__(str(error), rule=error.rule, advice=error.advice, **error.args_by_name)
        self.anomalies = tuple(dialogue.anomalies)
        self.notes = tuple(dialogue.notes)


@record
class Reply:
    """The result of one request. ``raw`` is the whole message, ``size`` the bytes it came in."""

    result: Any
    raw: Mapping[str, Any]
    status: int | None
    headers: Headers
    size: int


class Session:
    """One conversation. Close it, or use it as a context manager; `open_http` and `open_stdio` make one."""

    def __init__(
        self,
        dialogue: Dialogue,
        agreement: Agreement,
        transport: Transport,
        begin_again: Callable[[str], Agreement] | None = None,
    ) -> None:
        self.transport = transport
        self._dialogue = dialogue
        self._agreement = agreement
        self._begin_again = begin_again
        self._turned = False
        self._ended_with: str | None = None
        self._closed = False

    @property
    def era(self) -> Era:
        """The era that is spoken."""
        return self._agreement.era

    @property
    def protocol_version(self) -> str:
        """The version that was agreed on, and that every later request names."""
        return self._agreement.version

    @property
    def probe_unanswered(self) -> bool:
        """Whether the first modern request got no answer at all."""
        return self._agreement.unanswered

    @property
    def handshake(self) -> Mapping[str, Any]:
        """The result of `initialize` or `server/discover`, as received; empty where it was left out."""
        return self._agreement.result

    @property
    def server_info(self) -> Mapping[str, Any] | None:
        """What the server says it is, as received."""
        return self._agreement.server_info

    @property
    def capabilities(self) -> Mapping[str, Any] | None:
        """What the server declared, as received."""
        capabilities = self.handshake.get("capabilities")
        return capabilities if isinstance(capabilities, dict) else None

    @property
    def instructions(self) -> str | None:
        """The server's instructions to the model."""
        instructions = self.handshake.get("instructions")
        return instructions if isinstance(instructions, str) else None

    @property
    def session_id(self) -> str | None:
        """The `Mcp-Session-Id` of a legacy session over HTTP."""
        return self._agreement.session_id

    @property
    def notices(self) -> Sequence[Notice]:
        """Notifications and requests of the server, in the order in which they came."""
        return self._dialogue.notices

    @property
    def anomalies(self) -> Sequence[Anomaly]:
        """What was wrong on the wire so far."""
        return self._dialogue.anomalies

    @property
    def notes(self) -> Sequence[str]:
        """What happened on the way that a reader should know."""
        return self._dialogue.notes

    @property
    def on_notice(self) -> Callable[[Notice], None] | None:
        """Called with each notice as it comes."""
        return self._dialogue.on_notice

    @on_notice.setter
    def on_notice(self, callback: Callable[[Notice], None] | None) -> None:
        self._dialogue.on_notice = callback

    def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        tool: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        label: str = "",
    ) -> Reply:
        """Send a request and return its result.

        ``tool`` is the definition of the tool that is called, for the headers it asks for; ``timeout`` is in seconds;
        ``label`` names the answer in `anomalies` ("page 2").

        Raises RpcError if the server refuses, CredentialRefusedError on 401 and 403, else ObservationError.
        """
        try:
            answer = self._ask(method, params, tool, timeout, label)
        except ObservationError as error:
            if error.rule == "timed-out" and self.transport == "stdio":
                # Over HTTP the end of the exchange says the same (MCP 2026-07-28, patterns/cancellation).
                self._dialogue.cancel()
            raise
        if self._is_lost(answer):
            self._restart_session()
            answer = self._ask(method, params, tool, timeout, label)
        if self._turn_to_named_version(method, answer):
            answer = self._ask(method, params, tool, timeout, label)
        if answer.message is None:
            raise no_answer(answer, method, "list-error")
        if answer.message.kind == "error":
            raise RpcError(method, answer.message.error, answer.status)
        self._check_type(method, answer.message)
        return Reply(
            result=answer.message.result,
            raw=answer.message.raw,
            status=answer.status,
            headers=answer.headers,
            size=answer.payload.size,
        )

    @property
    def dialogue(self) -> Dialogue:
        """The exchange of messages below, for whoever also listens."""
        return self._dialogue

    def end_when_lost(self) -> None:
        """Let a session that the server no longer knows be an error from now on, where it would else be begun again."""
        self._begin_again = None

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification."""
        self._dialogue.tell(method, params)

    def close(self) -> str | None:
        """End the session, once; return the step that was needed to end a child."""
        if not self._closed:
            self._closed = True
            self._ended_with = self._dialogue.close()
        return self._ended_with

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        tool: Mapping[str, Any] | None,
        timeout: float | None,
        label: str,
    ) -> Answer:
        if self.era == "legacy":
            return self._dialogue.ask(method, params, timeout=timeout, label=label)
        sent = modern_params(params, self.protocol_version)
        headers = modern_headers({"method": method, "params": sent}, self.protocol_version)
        if tool is not None:
            headers |= mirrored_headers(tool, sent.get("arguments") or {})
        return self._dialogue.ask(method, sent, headers=headers, timeout=timeout, label=label)

    def _turn_to_named_version(self, method: str, answer: Answer) -> bool:
        """Go on, once, in a version that a modern server names in its refusal (MCP 2026-07-28, basic/versioning)."""
        message = answer.message
        if self.era != "modern" or self._turned or message is None or not is_unsupported_version(message.error):
            return False
        refused, offered = self.protocol_version, supported_versions(message.error)
        version = mutual_version(offered, MODERN if self._begin_again is None else VERSIONS)
        if version is None:
            return False
        self._turned = True
        if version in LEGACY and not self._turn_to_legacy(version):
            return False
        self._dialogue.notes.append(
            f"The server refused {method} in version {refused} and named {version}, which is spoken from here on."
        )
        if version in MODERN:
            self._agreement = replace(self._agreement, version=version)
        return True

    def _turn_to_legacy(self, version: str) -> bool:
        """Begin again as the legacy era does; if that is refused, the first refusal stands."""
        assert self._begin_again is not None
        try:
            self._agreement = self._begin_again(version)
        except RpcError as error:
            self._dialogue.modern()
            self._dialogue.notes.append(f"The server named version {version}, and then did not speak it: {error}")
            return False
        return True

    def _is_lost(self, answer: Answer) -> bool:
        """Tell whether the server no longer knows the session (MCP 2025-11-25, transports, Session Management)."""
        return self.session_id is not None and answer.status == _NOT_FOUND and self._begin_again is not None

    def _restart_session(self) -> None:
        assert self._begin_again is not None
        self._dialogue.notes.append("The server no longer knew the session, and a new one was begun.")
        begin_again, self._begin_again = self._begin_again, None
        self._agreement = begin_again(self.protocol_version)

    def _check_type(self, method: str, message: Message) -> None:
        """Refuse what is not the final result; a result without a type is one (MCP 2026-07-28, basic/index)."""
        result = message.result
        kind = result.get("resultType", "complete") if isinstance(result, dict) else "complete"
        if self.era == "modern" and kind != "complete":
            known = "and wants something first" if kind == INPUT_REQUIRED else "which this program does not know"
            said = f"The server answered {method} with a result of type {str(kind)[:60]!r}, {known}."
            raise ObservationError(said, rule="list-error", kind="result-type", method=method, resultType=kind)


def open_http(
    http: HttpPort,
    url: str,
    *,
    era: EraChoice = "auto",
    timeout: float = 10.0,
    sleep: Callable[[float], None] = time.sleep,
    recorder: Recorder | None = None,
) -> Session:
    """Open a session with an MCP endpoint, over Streamable HTTP or, where only that is offered, HTTP+SSE.

    ``timeout`` (seconds) bounds each request; the deadline is the client's, and closing the client is the caller's.
    ``recorder`` keeps what crosses.

    Raises NoSessionError (`handshake-failed`, `unreachable`, `timed-out`, `limit-exceeded`), CredentialRefusedError.
    """
    from diagnose.observe.channel_http import HttpChannel

    if recorder is not None:
        from diagnose.observe.recorded_http import RecordedHttp

        http = RecordedHttp(http, recorder)

    def older() -> Channel | None:
        from diagnose.observe.channel_sse import SseChannel

        return SseChannel.open(http, url, timeout)

    dialogue = Dialogue(HttpChannel(http, url, sleep=sleep), timeout=timeout, deadline=http.deadline)
    handshake = Handshake(dialogue, era, older=older)
    return _open(dialogue, handshake, "http")


def open_stdio(
    command: Sequence[str],
    *,
    era: EraChoice = "auto",
    timeout: float = 10.0,
    deadline: Deadline,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    recorder: Recorder | None = None,
) -> Session:
    """Start a command and open a session with it; ``recorder`` keeps what crosses.

    Raises what `open_http` raises; the command is then ended.
    """
    from diagnose.observe.channel_stdio import StdioChannel
    from diagnose.transport.stdio import StdioProcess

    def start() -> Channel:
        process: ProcessPort = StdioProcess(command, env=env, cwd=cwd, deadline=deadline)
        if recorder is not None:
            from diagnose.observe.recorded_stdio import RecordedProcess

            process = RecordedProcess(process, recorder)
        return StdioChannel(process, deadline)

    def restart() -> Channel:
        dialogue.close()
        return start()

    dialogue = Dialogue(start(), timeout=timeout, deadline=deadline)
    return _open(dialogue, Handshake(dialogue, era, restart=restart), "stdio")


def _open(dialogue: Dialogue, handshake: Handshake, transport: Transport) -> Session:
    try:
        agreement = handshake.agree()
    except BaseException as error:
        dialogue.close()
        if isinstance(error, ObservationError) and not isinstance(error, CredentialRefusedError):
            raise NoSessionError(error, dialogue) from error
        raise
    may_begin_again = agreement.era == "legacy" or handshake.may_fall_back
    return Session(dialogue, agreement, transport, handshake.initialize if may_begin_again else None)

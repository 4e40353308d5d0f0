"""Claude Code asked for its servers: `claude -p` over stream-json, by the control request `mcp_status`, without a model turn.

It answers with what a *new* session gets, of the folder that it is started in: names and hints, no schemas. Nothing is
asked of a model, no session is kept, and no login is needed (seen on 2.1.197 and 2.1.332).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from diagnose.errors import ObservationError
from diagnose.evidence.observation import Failure, Observation
from diagnose.observe.registry.child import JsonLines, answered
from diagnose.transport.stdio import StdioProcess

if TYPE_CHECKING:
    from diagnose.transport.deadline import Deadline

_STREAMS: Final = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
COMMAND: Final = ("claude", "-p", *_STREAMS, "--no-session-persistence")
#: It is asked, and not brought up to date.
_ENV: Final = {"DISABLE_AUTOUPDATER": "1"}
#: Seconds from one question to the next while a server is still being connected.
POLL: Final = 0.25
_NAME: Final = "Claude Code"


def observe_claude_code(
    deadline: Deadline,
    *,
    server_key: str | None,
    env: Mapping[str, str],
    now: str,
    command: Sequence[str] = COMMAND,
    timeout: float = 30.0,
) -> Observation:
    """Start Claude Code, ask it for the tools of its servers until they are connected, and end it.

    Raises:
        ObservationError: it cannot be started, ends, keeps silent, refuses, or answers what is not known.
        NoSuchServerError: it has no server of that key.

    """
    patience = deadline.within(timeout)
    with StdioProcess(command, deadline=deadline, env={**env, **_ENV}) as process:
        talk = _Control(process, patience)
        talk.ask("initialize")
        servers = _settled(talk, server_key, patience)
    seen = answered({"mcpServers": servers}, name=_NAME, source=" ".join(command[:2]), server_key=server_key)
    if seen.failure is None and seen.surface is not None and not seen.surface.tools:
        seen = _without_tools(seen, timeout)
    return replace(seen, at=now, session="new")


def _settled(talk: _Control, key: str | None, patience: Deadline) -> list[Any]:
    """Return the servers once the one that is meant, or all, have left `pending`; as they are when the time is over."""
    while True:
        servers = talk.ask("mcp_status").get("mcpServers")
        if not isinstance(servers, list):
            raise ObservationError(f"{_NAME} answers mcp_status without a list of servers.", rule="not-observed")
        waiting = [each for each in servers if isinstance(each, Mapping) and each.get("status") == "pending"]
        if not any(key is None or each.get("name") == key for each in waiting) or patience.remaining() <= POLL:
            return servers
        talk.rest(POLL)


def _without_tools(seen: Observation, timeout: float) -> Observation:
    """Return the observation as a failure, where the server is not connected: an empty list would say something else."""
    status = next((str(each.get("status")) for each in seen.servers if isinstance(each, Mapping)), "unknown")
    if status == "connected":
        return seen
    waited = f" after {timeout:g} s" if status == "pending" else ""
    failure = Failure(rule="not-observed", message=f"{_NAME} says of this server: {status[:60]}{waited}")
    return replace(seen, surface=None, complete=False, failure=failure)


class _Control:
    """Control requests of the stream-json protocol, one after the other."""

    def __init__(self, process: StdioProcess, patience: Deadline) -> None:
        self._lines = JsonLines(process, _NAME)
        self._patience = patience
        self._asked = 0

    def ask(self, subtype: str) -> Mapping[str, Any]:
        """Send a request and return its response; events in between are passed over."""
        self._asked += 1
        name = f"diagnose-{self._asked}"
        self._lines.send({"type": "control_request", "request_id": name, "request": {"subtype": subtype}})
        while (message := self._lines.next(self._patience, subtype)) is not None:
            response = message.get("response")
            if message.get("type") != "control_response" or not isinstance(response, Mapping):
                continue
            if response.get("request_id") != name:
                continue
            found = response.get("response")
            if response.get("subtype") == "success" and isinstance(found, Mapping):
                return found
            raise ObservationError(f"{_NAME} refuses {subtype}.", rule="not-observed")
        raise ObservationError(
            f"{_NAME} does not answer {subtype} in {self._patience.seconds:.3g} s.", rule="timed-out"
        )

    def rest(self, seconds: float) -> None:
        """Wait, and pass over what comes meanwhile."""
        pause = self._patience.within(seconds)
        while self._lines.next(pause, "mcp_status") is not None:
            continue

"""Codex asked for its servers: `codex app-server`, spoken to over its standard streams, without a model turn.

It answers with what a *new* session gets (no `threadId`), under the configuration of the `CODEX_HOME` that it is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from diagnose.errors import ObservationError
from diagnose.evidence.observation import Observation
from diagnose.observe.registry.child import JsonLines, answered
from diagnose.transport.stdio import StdioProcess

if TYPE_CHECKING:
    from diagnose.transport.deadline import Deadline

COMMAND: Final = ("codex", "app-server")
#: So many pages of servers are read.
_PAGES: Final = 50
_LIST: Final = "mcpServerStatus/list"
_ME: Final = {"name": "diagnose", "title": "diagnose", "version": "0"}


def observe_codex(
    deadline: Deadline,
    *,
    server_key: str | None,
    env: Mapping[str, str],
    now: str,
    command: Sequence[str] = COMMAND,
    timeout: float = 30.0,
) -> Observation:
    """Start Codex's app-server, ask it once for the tools of its servers, and end it.

    Raises:
        ObservationError: it cannot be started, ends, keeps silent, refuses, or answers what is not known.
        NoSuchServerError: it has no server of that key.

    """
    with StdioProcess(command, deadline=deadline, env=env) as process:
        talk = _Talk(process, deadline, timeout)
        talk.ask("initialize", {"clientInfo": _ME})
        talk.tell("initialized")
        servers = list(_servers(talk))
    seen = answered({"data": servers}, name="Codex", source=" ".join(command), server_key=server_key)
    return Observation(
        layer="registry",
        surface=seen.surface,
        complete=seen.complete,
        at=now,
        source=seen.source,
        session="new",
        server_info=seen.server_info,
        failure=seen.failure,
    )


def _servers(talk: _Talk) -> Iterator[Any]:
    cursor: str | None = None
    for _ in range(_PAGES):
        params = {"detail": "full"} if cursor is None else {"detail": "full", "cursor": cursor}
        result = talk.ask(_LIST, params)
        data = result.get("data")
        if not isinstance(data, list):
            raise ObservationError(f"Codex answers {_LIST} without a list of servers.", rule="not-observed")
        yield from data
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str):
            return


class _Talk:
    """Requests to one child, one after the other; everything that it says beside the answers is passed over."""

    def __init__(self, process: StdioProcess, deadline: Deadline, timeout: float) -> None:
        self._lines = JsonLines(process, "Codex")
        self._deadline = deadline
        self._timeout = timeout
        self._id = 0

    def tell(self, method: str) -> None:
        """Send a notification."""
        self._lines.send({"method": method})

    def ask(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a request and return its result."""
        self._id += 1
        self._lines.send({"id": self._id, "method": method, "params": params})
        deadline = self._deadline.within(self._timeout)
        while (message := self._lines.next(deadline, method)) is not None:
            if message.get("id") != self._id or "method" in message:
                continue
            result = message.get("result")
            if isinstance(result, Mapping):
                return result
            error = message.get("error")
            said = error.get("message") if isinstance(error, Mapping) else "no result"
            raise ObservationError(f"Codex refuses {method}: {str(said)[:200]}", rule="not-observed")
        raise ObservationError(f"Codex does not answer {method} in {deadline.seconds:.3g} s.", rule="timed-out")

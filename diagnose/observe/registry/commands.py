"""Clients that print what they have: Cursor lists the tools of a server, Gemini CLI the states of its servers alone.

Each makes connections of its own, so that what is printed is what a *new* session gets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from diagnose.errors import InputError, ObservationError, UsageError
from diagnose.evidence.observation import Failure, Observation
from diagnose.observe.registry.child import first_found, printed
from diagnose.observe.registry.reading import read_view
from diagnose.observe.registry.texts import states_of

if TYPE_CHECKING:
    from diagnose.transport.deadline import Deadline

#: Cursor's command was called `cursor-agent` first, and `agent` may be somebody else's.
_CURSOR: Final = ("cursor-agent", "agent")
GEMINI: Final = ("gemini", "mcp", "list")


def observe_cursor(
    deadline: Deadline,
    *,
    server_key: str | None,
    env: Mapping[str, str],
    now: str,
    command: Sequence[str] | None = None,
    timeout: float = 30.0,
) -> Observation:
    """Have Cursor's command line list the tools of one server.

    Raises:
        UsageError: no server was named, which Cursor needs.
        ObservationError: it cannot be started, does not end, or prints no list (it is not signed in, or has no such server).

    """
    if server_key is None:
        raise UsageError("Cursor lists the tools of one server", advice="Name it with --server-key.")
    words = (*(command or (first_found(_CURSOR, env), "mcp", "list-tools")), server_key)
    said = printed(words, deadline=deadline, env=env, timeout=timeout, name="Cursor")
    try:
        seen = read_view(said.out, "registry", source="agent mcp list-tools", server_key=server_key)
    except InputError as error:
        raise ObservationError(
            f"Cursor prints no list of the tools of {server_key} (exit code {said.code}).",
            rule="not-observed",
            advice="Run `agent mcp list-tools` yourself: it may want a sign-in, or the server enabled.",
        ) from error
    return replace(seen, at=now, session="new")


def observe_gemini(
    deadline: Deadline,
    *,
    server_key: str | None,
    env: Mapping[str, str],
    now: str,
    command: Sequence[str] = GEMINI,
    timeout: float = 30.0,
) -> Observation:
    """Have Gemini CLI tell the states of its servers: it names no tools but on its screen, so that the list stays unobserved.

    Raises:
        ObservationError: it cannot be started, does not end, or prints no states.
        InputError: it has no server of that key.

    """
    said = printed(command, deadline=deadline, env=env, timeout=timeout, name="Gemini CLI")
    # 0.61.0 prints them to stderr.
    states = states_of(f"{said.out.decode('utf-8', 'replace')}\n{said.err}")
    if not states:
        raise ObservationError(
            f"Gemini CLI lists no servers (exit code {said.code}).",
            rule="not-observed",
            advice="In a folder that it was not told to trust it uses none.",
        )
    if server_key is not None and server_key not in states:
        raise InputError(f"Gemini CLI has no server {server_key!r}; it has {', '.join(list(states)[:10])}")
    told = states if server_key is None else {server_key: states[server_key]}
    words = ", ".join(f"{key} is {state.lower()}" for key, state in told.items())
    return Observation(
        layer="registry",
        complete=False,
        at=now,
        source=" ".join(command[:3]),
        session="new",
        servers=tuple({"name": key, "status": state.lower()} for key, state in told.items()),
        failure=Failure(
            rule="not-observed",
            message=f"Gemini CLI names no tools but on its screen; a new connection says: {words}. "
            "Save what /mcp desc shows in the running session, and name that file",
        ),
    )

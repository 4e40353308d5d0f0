"""Codex in a thread of its app-server: the thread connects to the server, and no model is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from diagnose.errors import ObservationError
from diagnose.observe.registry.reading import read_view

if TYPE_CHECKING:
    from diagnose.observe.bench.client import Output
    from diagnose.transport.stdio import StdioProcess

#: Seconds for each step of its start.
START: Final = 30.0
KEY: Final = "orchard"
_ME: Final = {"name": "diagnose", "title": "diagnose", "version": "0"}


class CodexThread:
    """One thread. Its list is asked for by `mcpServerStatus/list` with the thread's id."""

    asks = True

    def __init__(self, process: StdioProcess, output: Output) -> None:
        self._process = process
        self._output = output
        self._id = 0
        self._thread: str | None = None
        self.version: str | None = None

    def began(self) -> None:
        """Begin a thread. Raises ObservationError where it does not begin."""
        told = self._request("initialize", {"clientInfo": _ME}, START)
        agent = told.get("userAgent") if told is not None else None
        self.version = _version(agent)
        self._send({"method": "initialized"})
        begun = self._request("thread/start", {}, START)
        thread = begun.get("thread") if begun is not None else None
        if not isinstance(thread, Mapping) or not isinstance(thread.get("id"), str):
            said = " ".join(self._process.stderr_tail()[-2:])[:200]
            raise ObservationError(f"Codex begins no thread: {said or 'it does not answer'}", rule="not-observed")
        self._thread = str(thread["id"])

    def ask(self, what: Literal["list", "held"], patience: float) -> tuple[str, ...] | None:
        """Ask for the list of the thread: for Codex, to list and to tell what it holds are one request."""
        del what
        result = self._request(
            "mcpServerStatus/list", {"detail": "full", "threadId": self._thread, "serverName": KEY}, patience
        )
        if result is None:
            return None
        answer = json.dumps({"data": result.get("data")}).encode()
        seen = read_view(answer, "registry", source="codex app-server", server_key=KEY)
        return () if seen.surface is None else seen.surface.names

    def _request(self, method: str, params: Mapping[str, Any], patience: float) -> Mapping[str, Any] | None:
        self._id += 1
        number, since = self._id, self._output.count
        self._send({"id": number, "method": method, "params": params})
        said = self._output.find(lambda value: value.get("id") == number and "method" not in value, since, patience)
        result = said.get("result") if isinstance(said, Mapping) else None
        return result if isinstance(result, Mapping) else None

    def _send(self, message: Mapping[str, Any]) -> None:
        self._process.send(json.dumps(message).encode() + b"\n")


def _version(agent: Any) -> str | None:
    """Return the version in a user agent such as `diagnose/0.171.0 (Linux)`."""
    word = str(agent).partition(" ")[0] if isinstance(agent, str) else ""
    return word.partition("/")[2] or None

"""A recording, whoever made it: ours, a HAR file, a log of mcpsnoop or of a client, or what MCP Inspector saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from diagnose.errors import InputError
from diagnose.evidence.recording import SCHEMA, Recording
from diagnose.surface import JsonError, parse_json
from diagnose.tap.client_logs import as_text, is_log_line, recording_of_log
from diagnose.tap.har import recording_of_har
from diagnose.tap.inspector import is_network, is_protocol, recording_of_inspector
from diagnose.tap.mcpsnoop import is_mcpsnoop, recording_of_mcpsnoop

#: So many lines of a foreign log are read.
MAX_LINES: Final = 1_000_000
MAX_BYTES: Final = 512 * 1024 * 1024
_KNOWN: Final = (
    "a recording of `diagnose tap`, a HAR file, a session log of mcpsnoop, what MCP Inspector's page saves, or an MCP log of "
    "VS Code (level Trace), Claude Desktop, Claude Code, Cursor or LibreChat (level debug)"
)


def read_capture(
    data: bytes, key: Callable[[], bytes], *, source: str = "", server_key: str | None = None
) -> Recording:
    """Read a capture by what it is, not by what it is called. ``key()`` gives the key for fingerprints, where one is needed.

    ``server_key`` says which server is meant, where a log is of several. Raises `InputError` where it is none that is known.
    """
    head = _head(data)
    if is_recording(data):
        return Recording.of_lines(data.split(b"\n"), source=source)
    if is_mcpsnoop(head) or is_protocol(head) or is_network(head):
        return _foreign(list(_entries(data)), key(), source)
    log = _log(data, head, key, source, server_key)
    if log is not None:
        return log
    whole = _parsed(data)
    if isinstance(whole, Mapping) and isinstance(whole.get("log"), Mapping):
        return recording_of_har(data, key(), source=source)
    if isinstance(whole, list) and whole:
        return _foreign([each for each in whole[:MAX_LINES] if isinstance(each, Mapping)], key(), source)
    # Whatever its first line is, the message about a recording without a header says it best.
    if isinstance(head, Mapping) or whole is None:
        return Recording.of_lines(data.split(b"\n"), source=source)
    raise _unknown()


def is_recording(data: bytes) -> bool:
    """Tell whether a capture is a recording of ours."""
    head = _head(data)
    return isinstance(head, Mapping) and head.get("schema") == SCHEMA


def _head(data: bytes) -> Any:
    return _parsed(data.split(b"\n", 1)[0])


def _log(data: bytes, head: Any, key: Callable[[], bytes], source: str, server_key: str | None) -> Recording | None:
    """Return the recording that a client's log makes; None where it is none."""
    if isinstance(head, Mapping):
        if not is_log_line(head):
            return None
        data = as_text(_entries(data))
    return recording_of_log(data, key(), source=source, server_key=server_key)


def _foreign(entries: list[Mapping[str, Any]], key: bytes, source: str) -> Recording:
    first = entries[0] if entries else None
    if is_mcpsnoop(first):
        return recording_of_mcpsnoop(entries, key, source=source)
    if is_protocol(first) or is_network(first):
        return recording_of_inspector(entries, key, source=source)
    raise _unknown()


def _unknown() -> InputError:
    return InputError("nothing here knows this kind of capture", advice=f"What can be read: {_KNOWN}.")


def _entries(data: bytes) -> Iterator[Mapping[str, Any]]:
    for line in data.split(b"\n", MAX_LINES)[:MAX_LINES]:
        value = _parsed(line) if line.strip() else None
        if isinstance(value, Mapping):
            yield value


def _parsed(data: bytes) -> Any:
    try:
        return parse_json(data, max_bytes=MAX_BYTES).value
    except JsonError:
        return None

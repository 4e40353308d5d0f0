"""Logs of clients read as recordings: VS Code at level Trace, Claude Desktop, LibreChat, Cursor, Claude Code.

Three of them write messages down, VS Code and Claude Desktop whole, LibreChat whole or by method and id alone; the others
write only what they did. None tells by which way a message came, so that they are read as those of a pipe.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from diagnose.errors import InputError
from diagnose.evidence.recording import Recording
from diagnose.tap.frames import CLIENT, SERVER, STDERR, Frame
from diagnose.tap.rebuilt import fact, moment, rebuilt

Side = Literal["client", "server"]
_SIDES: Final[Mapping[Side, bytes]] = {"client": CLIENT, "server": SERVER}
#: So many lines may stand before the first that tells whose log it is.
_BEFORE: Final = 2_000
_PIPE_NOTE: Final = "a client's log keeps no connections: what was refused or cut on the way is not in it"
_SAYING: Final = ("message", "debug", "error")
_CUT: Final = re.compile(r"\[\d+ chars? truncated\]")
_ID: Final = re.compile(r'"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,18})')


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """One line that tells something: a message of one side, what the client did, or the end of the connection."""

    at: float | None
    server: str | None
    side: Side | None = None
    text: str = ""
    what: Literal["message", "stderr", "action", "end"] = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """How one client writes its log. ``line`` has the groups time, text, and maybe server; the others are about its text."""

    client: str
    line: re.Pattern[str]
    says: Mapping[Side, re.Pattern[str]]
    """What stands before a message of each side."""
    stderr: re.Pattern[str] | None = None
    actions: Mapping[re.Pattern[str], str]
    """What the client did, and how a recording tells it: no word of it may read as a person's wish where it was none."""
    end: re.Pattern[str] | None = None
    note: str = _PIPE_NOTE

    def read(self, raw: str) -> _Line | None:
        """Return what a line tells; None for one that is of no use, or of another log."""
        match = self.line.match(raw)
        if match is None:
            return None
        groups, text = match.groupdict(), match["text"]
        at, server = _utc(groups.get("time")), groups.get("server")
        for side, before in self.says.items():
            found = before.match(text)
            if found is not None:
                return _Line(at=at, server=server, side=side, text=text[found.end() :])
        if self.stderr is not None and (found := self.stderr.match(text)) is not None:
            return _Line(at=at, server=server, what="stderr", text=text[found.end() :])
        if self.end is not None and self.end.match(text) is not None:
            return _Line(at=at, server=server, what="end", text=text)
        for pattern, words in self.actions.items():
            if (found := pattern.match(text)) is not None:
                told = found.groupdict()
                return _Line(at=at, server=told.get("server") or server, what="action", text=words.format(**told))
        return None


#: What stands for the form of Claude Code's log, whose lines are objects with `debug` or `error`.
_CLAUDE_CODE: Final = "claude-code:"
_STAMPED: Final = r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \[(?:trace|debug|info|warning|warn|error)\] "
_FORMS: Final = (
    _Form(
        client="vscode",
        line=re.compile(rf"(?:{_STAMPED})?(?P<text>(?:\[(?:editor|server) (?:->|stderr)|Connection state:).*)"),
        says={"client": re.compile(r"\[editor -> server\] "), "server": re.compile(r"\[server -> editor\] ")},
        stderr=re.compile(r"\[server stderr\] "),
        actions={},
        end=re.compile(r"Connection state: (?:Stopped|Error)"),
    ),
    _Form(
        client="claude-desktop",
        line=re.compile(
            r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) (?:\[(?:info|error|warn|debug)\] )?"
            r"\[(?P<server>[^\]]{1,100})\] (?:\[(?:info|error|warn|debug)\] )?(?P<text>.*)"
        ),
        says={"client": re.compile("Message from client: "), "server": re.compile("Message from server: ")},
        actions={},
        end=re.compile("(?:Server|Client) transport closed|Server disconnected"),
    ),
    _Form(
        client="librechat",
        line=re.compile(
            r"(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?) \w+\s*: \[MCP(?: Cache)?\]"
            r"(?:\[[^\]]{0,200}\])*?(?:\[(?P<server>[^\]]{1,100})\])? (?P<text>.*)"
        ),
        says={
            "client": re.compile(r"Transport sending: (?=\{)"),
            "server": re.compile(r"Transport received: (?=\{)"),
        },
        actions={
            re.compile(
                r"Transport (?P<way>sending|received): method=(?P<method>[\w/]{1,60})"
            ): "the log: {way} {method}",
            re.compile(
                r"Tool list changed; refreshed (?P<count>\d+) tools"
            ): "the log: was told of a change, has {count} tools",
            re.compile(
                r"Updated (?P<count>\d+) tools for server (?P<server>\S{1,100})"
            ): "the log: keeps {count} tools",
        },
    ),
    _Form(
        client="cursor",
        line=re.compile(rf"{_STAMPED}(?:(?!list[A-Z])(?P<server>[\w.@/-]{{1,100}}): )?(?P<text>.*)"),
        says={},
        actions={
            re.compile("Handling (?:ReloadClient|DeleteClient) action"): "user reload",
            re.compile(r"listOfferings: Found (?P<count>\d+) tools"): "the log: read {count} tools",
            re.compile(
                "Successfully connected to (?P<way>stdio|streamableHttp|SSE|sse) server"
            ): "the log: opened {way}",
            re.compile("Client closed for command"): "the log: closed",
        },
        note="Cursor's log names no tools and keeps no messages: it tells when it read a list, and how many tools were in it",
    ),
    _Form(
        client="claude-code",
        line=re.compile(rf"(?P<time>\S{{20,35}}Z) {_CLAUDE_CODE} (?P<text>.*)"),
        says={},
        actions={
            re.compile(r"Successfully connected \(transport: (?P<way>[\w-]{1,20})\)"): "the log: opened {way}",
            re.compile("Received tools/list_changed notification"): "the log: was told of a change",
            re.compile(r"\w+ connection closed"): "the log: closed",
        },
        note="Claude Code's log names no tools and keeps no messages: it tells when it was told of a change",
    ),
)


def recording_of_log(data: bytes, key: bytes, *, source: str = "", server_key: str | None = None) -> Recording | None:
    """Read a client's log; None where it is none. Secrets become fingerprints under ``key``.

    Raises `InputError` where it is of several servers and none is named, or of none of that name.
    """
    raw = data.decode("utf-8", "replace").splitlines()
    form = next((each for each in _FORMS if any(_tells(each.read(line)) for line in raw[:_BEFORE])), None)
    if form is None:
        return None
    told = [line for line in map(form.read, raw) if line is not None]
    mine = _of_one_server(told, form, server_key)
    start = next((line.at for line in mine if line.at is not None), 0.0)
    frames, cut = _Frames(start).of(mine)
    notes = [form.note, *([f"{cut} messages were cut by the client, and passed over"] if cut else [])]
    client = {"id": form.client}
    return rebuilt(frames, key, transport="stdio", start=start, source=source, notes=notes, client=client)


def is_log_line(value: Any) -> bool:
    """Tell whether an object is a line of a log: LibreChat's on its console, or Claude Code's."""
    return (
        isinstance(value, Mapping) and "timestamp" in value and any(isinstance(value.get(key), str) for key in _SAYING)
    )


def as_text(entries: Iterable[Mapping[str, Any]]) -> bytes:
    """Return log lines that are objects as text: LibreChat's as they stand in its files."""
    lines = (
        f"{each.get('timestamp')} {each.get('level')}: {each['message']}"
        if "message" in each
        else f"{each.get('timestamp')} {_CLAUDE_CODE} {each.get('debug', '')}"
        for each in entries
    )
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _tells(line: _Line | None) -> bool:
    """Tell whether a line is of this log and no other: the ends and the errors of several look alike."""
    return line is not None and line.what in {"message", "action"}


def _of_one_server(told: list[_Line], form: _Form, key: str | None) -> list[_Line]:
    servers = dict.fromkeys(line.server for line in told if line.server is not None)
    named = [name for name in servers if name]
    if key is not None and key in servers:
        return [line for line in told if line.server in {key, None}]
    # Cursor's older versions write the last four characters of a name, and its newer ones none.
    if len(named) <= 1 or form.client == "cursor":
        return told
    names = ", ".join(name[:60] for name in named[:10])
    if key is not None:
        raise InputError(f"this log of {form.client} has no server {key!r}; it has {names}")
    raise InputError(
        f"this log of {form.client} is of {len(named)} servers ({names})", advice="Name the one with --server-key."
    )


class _Frames:
    """Makes frames of lines. A message that was cut is passed over, with the request that it answers."""

    def __init__(self, start: float) -> None:
        self._start = start
        self._t = 0.0
        self._cut = 0
        self._over = False
        self._frames: list[Frame] = []
        self._asked: dict[tuple[Side, str], int] = {}

    def of(self, lines: Iterable[_Line]) -> tuple[list[Frame], int]:
        """Return the frames, and how many messages were cut."""
        for line in lines:
            # Times that go back would lay what was said behind in front.
            self._t = max(self._t, line.at - self._start) if line.at is not None else self._t
            if line.what == "message" and line.side is not None:
                self._again()
                self._message(line.side, line.text)
            elif line.what == "stderr":
                self._frames.append(Frame(STDERR, self._t, 0, line.text.encode() + b"\n"))
            elif line.what == "end":
                self._over = True
                self._frames.append(fact(0, self._t, do="process", event="exit", text=line.text[:200]))
            else:
                self._frames.append(fact(0, self._t, do="action", text=line.text))
        return [frame for frame in self._frames if frame.data], self._cut

    def _again(self) -> None:
        """Tell that a connection that had ended was begun anew, before the first message on it."""
        if self._over:
            self._over = False
            self._asked.clear()
            self._frames.append(fact(0, self._t, do="process", event="start"))

    def _message(self, side: Side, text: str) -> None:
        whole, method, name = _first_value(text)
        other: Side = "server" if side == "client" else "client"
        if whole is None:
            self._cut += 1
            place = self._asked.pop((other, name), None) if name is not None else None
            if place is not None:
                self._frames[place] = Frame(self._frames[place].kind, self._frames[place].t, 0, b"")
            return
        if name is not None and method:
            self._asked[side, name] = len(self._frames)
        elif name is not None:
            self._asked.pop((other, name), None)
        self._frames.append(Frame(_SIDES[side], self._t, 0, whole.encode("utf-8", "surrogatepass") + b"\n"))


def _first_value(text: str) -> tuple[str | None, bool, str | None]:
    """Return the JSON value that a text begins with (None: it was cut), whether it has a method, and its id as written."""
    found = _ID.search(text[:4096]) or _ID.search(text)
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None, False, found[1] if found else None
    name = json.dumps(value["id"]) if isinstance(value, dict) and isinstance(value.get("id"), str | int) else None
    if _CUT.search(text[:end]) is not None:
        return None, False, name
    return text[:end], isinstance(value, dict) and "method" in value, name


def _utc(time: str | None) -> float | None:
    """Return a time of the log in seconds; one without a zone is read as UTC, so that every machine reads the same."""
    return moment(time if time is None or time.endswith("Z") else f"{time}+00:00")

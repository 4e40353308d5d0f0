"""A client that runs: any command, or a driver that speaks the bench's lines.

The lines: `list` on stdin makes the client list as its user would, `held` asks what it holds and changes nothing. Each
is answered by a line of JSON on stdout with `tools`, an array of names, and so is the first list, which the client reads
by itself; `version`, in any line, is the client's own. A command that does not speak them cannot be asked, and is only
watched; once it has ended, what it printed may be a list all the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, Self

from diagnose.errors import InputError, ObservationError
from diagnose.surface import JsonError, parse_json
from diagnose.transport.stdio import EOF, StdioProcess
from diagnose.wire.framing import LineFramer

if TYPE_CHECKING:
    from pathlib import Path

    from diagnose.transport.deadline import Deadline

#: So much of what a client prints is kept.
MOST: Final = 4 * 1024 * 1024
#: Seconds between two looks at a client that says nothing.
PAUSE: Final = 0.05
#: Seconds that a command has to end, so that what it printed can be read.
LAST_WORDS: Final = 2.0

Form = Literal["lines", "codex", "plain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a client is started, before it is known where the server is.

    In ``command`` and ``env``, `{url}` is the server's URL, `{config}` a file that names it as most clients have it, and
    `{home}` a folder of this session alone.
    """

    command: tuple[str, ...]
    form: Form = "plain"
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Files to put into that folder, by name; in their text too, `{url}` is the server's URL."""

    def filled(self, text: str, places: Mapping[str, str]) -> str:
        """Return a text with the places put in."""
        for name, value in places.items():
            text = text.replace(f"{{{name}}}", value)
        return text


class Talk(Protocol):
    """How one kind of client is spoken to."""

    @property
    def asks(self) -> bool:
        """Whether it can be made to list."""

    @property
    def version(self) -> str | None:
        """What it says of itself, once it has."""

    def began(self) -> None:
        """Do what must be done before it connects."""

    def ask(self, what: Literal["list", "held"], patience: float) -> tuple[str, ...] | None:
        """Have it list, or ask what it holds; returns the names, None where it does not say."""


class BenchClient:
    """One run of a client before one server, in a folder of its own. Use it as a context manager.

    Raises ObservationError where it cannot be started.
    """

    def __init__(self, plan: Plan, url: str, home: Path, *, env: Mapping[str, str], deadline: Deadline) -> None:
        places = {"url": url, "home": str(home), "config": str(home / "mcp.json")}
        for name, text in {"mcp.json": _CONFIG, **plan.files}.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(plan.filled(text, places), encoding="utf-8")
        words = [plan.filled(word, places) for word in plan.command]
        if plan.form != "codex" and words == list(plan.command):
            words.append(url)
        own = {name: plan.filled(value, places) for name, value in plan.env.items()}
        self._process = StdioProcess(words, deadline=deadline, env={**env, **own}, cwd=home)
        self._output = Output(self._process)
        self._talk = _talk(plan.form, self._process, self._output)

    def __enter__(self) -> Self:
        try:
            self._talk.began()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def asks(self) -> bool:
        """Whether it lists when it is asked to."""
        return self._talk.asks

    @property
    def version(self) -> str | None:
        """Its version, where it said so."""
        return self._talk.version

    @property
    def ended(self) -> bool:
        """Whether it has ended by itself."""
        return self._process.exit_code is not None

    @property
    def last_words(self) -> tuple[str, ...]:
        """The end of what it said on stderr."""
        return self._process.stderr_tail()

    def wait_until_listed(self, patience: float) -> None:
        """Wait until it says that it has its first list, at most so many seconds; one that never says so is not waited for."""
        if isinstance(self._talk, Lines):
            self._output.find(_has_tools, 0, patience)

    def ask(self, what: Literal["list", "held"], patience: float) -> tuple[str, ...] | None:
        """Have it list, or ask what it holds; returns the names, None where it does not say in so many seconds."""
        try:
            return self._talk.ask(what, patience)
        except (ObservationError, InputError):
            return None  # it has ended, or says what nobody understands: then it does not say

    def close(self) -> None:
        """End it and all that it started."""
        self._process.close()
        self._output.close()


class Output:
    """What a child prints, line by line, read in a thread of its own so that the child never waits."""

    def __init__(self, process: StdioProcess) -> None:
        self._process = process
        self._lines: list[bytes] = []
        self._size = 0
        self._over = False
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._read, name="client", daemon=True)
        self._thread.start()

    @property
    def count(self) -> int:
        """How many lines there are."""
        with self._news:
            return len(self._lines)

    @property
    def text(self) -> bytes:
        """All of it."""
        with self._news:
            return b"\n".join(self._lines)

    def find(self, wanted: Callable[[Any], bool], since: int, patience: float) -> Any:
        """Return the first line of JSON from ``since`` on that is wanted, waiting for it; None where it does not come."""
        end = monotonic() + patience
        with self._news:
            while True:
                for line in self._lines[since:]:
                    since += 1
                    value = _value(line)
                    if value is not None and wanted(value):
                        return value
                left = end - monotonic()
                if left <= 0 or self._over:
                    return None
                self._news.wait(left)

    def close(self) -> None:
        """Wait until the rest of it is read."""
        self._thread.join(1.0)

    def _read(self) -> None:
        framer = LineFramer(max_line=MOST)
        while (chunk := self._process.receive(PAUSE)) != EOF:
            if chunk is not None:
                self._keep(line.data for line in framer.feed(chunk))
            elif self._process.exit_code is not None:
                break
        self._keep(line.data for line in framer.close())
        with self._news:
            self._over = True
            self._news.notify_all()

    def _keep(self, lines: Iterable[bytes]) -> None:
        with self._news:
            for line in lines:
                self._size += len(line)
                if self._size <= MOST:
                    self._lines.append(line)
            self._news.notify_all()


class Lines:
    """A driver that speaks the bench's lines."""

    asks = True

    def __init__(self, process: StdioProcess, output: Output) -> None:
        self._process = process
        self._output = output

    def began(self) -> None:
        """Nothing: a driver connects when it starts."""

    @property
    def version(self) -> str | None:
        """The version that its first line told."""
        said = self._output.find(lambda value: _is_text(value, "version"), 0, 0)
        return None if said is None else str(said["version"])

    def ask(self, what: Literal["list", "held"], patience: float) -> tuple[str, ...] | None:
        """Send the line and wait for the answer."""
        since = self._output.count
        self._process.send(f"{what}\n".encode())
        said = self._output.find(_has_tools, since, patience)
        tools = None if said is None else said["tools"]
        return tuple(str(name) for name in tools) if isinstance(tools, list) else None


class Plain:
    """A command that is only watched: once it has ended, what it printed may be a list."""

    asks = False
    version: str | None = None

    def __init__(self, process: StdioProcess, output: Output) -> None:
        self._process = process
        self._output = output

    def began(self) -> None:
        """Nothing: it does as it does."""

    def ask(self, what: Literal["list", "held"], patience: float) -> tuple[str, ...] | None:
        """Return the names in what it printed, as far as that is a list that is known."""
        from diagnose.observe.registry.reading import read_view

        if what == "list" or self._process.wait(min(patience, LAST_WORDS)) is None:
            return None
        self._output.close()
        if not self._output.text.lstrip().startswith((b"{", b"[")):
            return None  # words for people, and any of them could be taken for a name
        seen = read_view(self._output.text, "registry", source="the client")
        return None if seen.surface is None else seen.surface.names


def _talk(form: Form, process: StdioProcess, output: Output) -> Talk:
    if form == "codex":
        from diagnose.observe.bench.codex import CodexThread

        return CodexThread(process, output)
    return Lines(process, output) if form == "lines" else Plain(process, output)


def _value(line: bytes) -> Any:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        return parse_json(line).value
    except JsonError:
        return None


def _has_tools(value: Any) -> bool:
    return isinstance(value, Mapping) and "tools" in value


def _is_text(value: Any, name: str) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get(name), str)


_CONFIG: Final = '{"mcpServers": {"orchard": {"type": "http", "url": "{url}"}}}'

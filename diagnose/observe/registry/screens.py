"""What Gemini CLI shows on its screen for `/mcp list`, `/mcp desc` and `/mcp schema`, copied from there (0.61.0, and its docs).

The names of tools stand under `Tools:`, and those of prompts and resources under theirs; what is further to the right
describes them. A screen that was cut says so itself: it tells how many tools a server has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from diagnose.errors import InputError
from diagnose.observe.registry.parts import Shown, chosen

#: A longer line is none of a screen, nor are more of them: looking through what is made for it would take for ever.
_LONGEST: Final = 500
_MOST: Final = 5_000
_SHAPE: Final = "the screen of Gemini CLI's /mcp"
#: `(sign) orchard (from fruit) - Ready (3 tools, 1 prompt) (OAuth)`
_NOW: Final = re.compile(
    r"^[^\w\s]\S*\s+(?P<name>\S.*?)(?: \(from [^)]*\))? - (?P<state>Ready|Starting|Disconnected|Disabled|Blocked)\b(?P<rest>.*)$"
)
#: `(sign) orchard (CONNECTED)`
_BEFORE: Final = re.compile(r"^[^\w\s]\S*\s+(?P<name>\S.*?) \((?P<state>CONNECTED|CONNECTING|DISCONNECTED)\)\s*$")
_COUNT: Final = re.compile(r"\((?P<count>\d+) tools?\b")
_LABEL: Final = re.compile(r"^(?P<indent>\s*)(?P<label>Tools|Prompts|Resources):\s*(?P<names>.*)$")
_ITEM: Final = re.compile(r"^(?P<indent>\s*)- (?P<name>\S+)\s*$")
_FRAME: Final = re.compile(r"^[│|]\s?|\s*[│|]\s*$")


@dataclass(slots=True, kw_only=True)
class _Server:
    name: str
    state: str
    count: int | None
    tools: list[str] = field(default_factory=list)


def of_screen(text: str, key: str | None) -> Shown | None:
    """Return the tools of the server that is meant; None where the text is no such screen.

    Raises `InputError` where it is not told which server is meant, or where the screen was cut.
    """
    servers = list(_servers(shown_lines(text)))
    if not servers:
        return None
    server: _Server = chosen(((each.name, each) for each in servers), key, _SHAPE)
    if server.count is not None and server.count != len(server.tools):
        raise InputError(
            f"{_SHAPE} says that {server.name} has {server.count} tools and names {len(server.tools)}: it was cut",
            advice="Copy all of it, from a window that is wide enough.",
        )
    return Shown(
        shape=_SHAPE,
        tools=server.tools,
        names_only=True,
        session="running",
        servers=({"name": server.name, "status": "disabled" if server.state == "blocked" else server.state},),
    )


def shown_lines(text: str) -> list[str]:
    """Return the lines of a text that a screen may have shown."""
    return [line for line in text.splitlines()[:_MOST] if len(line) <= _LONGEST]


def _servers(lines: Iterable[str]) -> Iterator[_Server]:
    server: _Server | None = None
    under: str | None = None
    indent = ""
    for line in (_FRAME.sub("", line) for line in lines):
        head = _NOW.match(line.strip()) or _BEFORE.match(line.strip())
        label = _LABEL.match(line)
        item = _ITEM.match(line)
        if head is not None:
            if server is not None:
                yield server
            count = _COUNT.search(head.groupdict().get("rest") or "")
            server = _Server(
                name=head["name"], state=head["state"].lower(), count=int(count["count"]) if count is not None else None
            )
            under = None
        elif server is not None and label is not None and (under is None or label["indent"] == indent):
            under, indent = label["label"], label["indent"]
            if under == "Tools":
                server.tools += [name.strip() for name in label["names"].split(",") if name.strip()]
        elif server is not None and item is not None and under == "Tools" and item["indent"] == indent:
            server.tools.append(item["name"])
    if server is not None:
        yield server

"""Views that are text: a list of names, and what command-line clients print."""

from __future__ import annotations

import re

from diagnose.observe.registry.parts import Shown
from diagnose.observe.registry.screens import of_screen, shown_lines

#: A tool's name as servers and clients spell it; no blank, so that a sentence is none.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:\-]{0,199}")
_BULLET = re.compile(
    r"^\s*(?:[-*•✓]|\d+[.)])\s+`?(?P<name>[A-Za-z0-9_][A-Za-z0-9_./:\-]{0,199}?)`?(?P<rest>\s*[:(\[\u2013\u2014-].*|\s*)$"
)
_TOOLS = re.compile(r"^\s*Tools(?:\s*\(\d+\))?:\s*(?P<names>\S.*)$", re.IGNORECASE)
#: `Tools (2)`, and behind it a line for each, `pick_apples(row: int) -> dict`, further in than what describes it.
_HEADED = re.compile(r"Tools \((?P<count>\d{1,6})\)")
_CALL = re.compile(r"^ {1,4}(?P<name>[A-Za-z0-9_][A-Za-z0-9_./:\-]{0,199})\(.*\)(?: -> \S.*)?$")
#: `✓ orchard: npx some-server (stdio) - Connected`; what is between key and state is its command or URL.
_STATE = re.compile(r"^\W*(?P<key>\S.*?)(?: \(from [^)]*\))?: .* - \W*(?P<state>[A-Z][a-z]+(?: [a-z]+)?)(?: · .*)?\W*$")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def of_text(text: str, key: str | None = None) -> Shown | None:
    """Return the names in a text: one a line, as a list with bullets, or behind `Tools:`; None where there are none.

    ``key`` is the server's, where a screen shows several. Raises `InputError` where such a screen was cut.
    """
    plain = _COLOUR.sub("", text)
    screen = of_screen(plain, key)
    if screen is not None:
        return screen
    lines = [line.strip() for line in plain.splitlines()]
    full = [line for line in lines if line and not line.startswith("#")]
    if full and all(_NAME.fullmatch(line) for line in full):
        return _shown("a list of names", full)
    called = _headed(plain)
    if called:
        return _shown("a printed list of tools", called)
    bullets = [match["name"] for line in full if (match := _BULLET.match(line))]
    if bullets:
        return _shown("a printed list of tools", bullets)
    behind = [name for line in full if (match := _TOOLS.match(line)) for name in match["names"].split(",")]
    names = [name.strip().strip("`") for name in behind]
    return _shown("a printed list of tools", names) if names and all(map(_NAME.fullmatch, names)) else None


def _shown(shape: str, names: list[str]) -> Shown:
    return Shown(shape=shape, tools=names, names_only=True)


def _headed(text: str) -> list[str]:
    """Return the names of a list as fastmcp prints it; none where there are not as many as its head says."""
    head, *rest = text.strip().splitlines() or [""]
    match = _HEADED.fullmatch(head.strip())
    names = [found["name"] for line in rest if (found := _CALL.match(line))] if match is not None else []
    return names if match is not None and len(names) == int(match["count"]) else []


def states_of(text: str) -> dict[str, str]:
    """Return the state of each server by its key, from what `gemini mcp list` and `claude mcp list` print."""
    lines = (_STATE.match(line) for line in shown_lines(_COLOUR.sub("", text)))
    return {match["key"][:100]: match["state"] for match in lines if match}


def kind_of_text(text: str) -> str:
    """Return in words what a text is that names no tools."""
    return "the states of servers, which name no tools" if states_of(text) else "text"

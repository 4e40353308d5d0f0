"""Checks on the words of a list: the names of its tools, and characters that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from unicodedata import category

from diagnose.evidence.harmless import harmless
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import origin_definitions, origin_list
from diagnose.judge.checks.probed import probed
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.places import texts
from diagnose.judge.words import counted

_NAMES = "MCP 2026-07-28, server/tools, Tool Names"
_FAMILY = "definitions"
_USUAL = re.compile(r"[A-Za-z0-9_.-]+")
_LONGEST = 128
#: Characters that join others into one: right between two that are not ASCII (emoji, Persian, Indic scripts).
_JOINERS = "\u200c\u200d"
#: Whether an emoji is drawn as text or as a picture.
_EMOJI = "\ufe0e\ufe0f"


@check(
    "name-unusual",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary=f"A name has 1 to {_LONGEST} characters: ASCII letters, digits, `_`, `-` and `.`.",
    why="Clients map other characters away, or cut the name, until two tools share one or none can be called.",
    remedy="Rename the tool to usual characters.",
    source=f"{_NAMES}: names should have these characters, and this length",
    message="The name {tool} {problem}.",
    needs=(probed, origin_list),
)
def name_unusual(case: Case) -> Iterable[Seen]:
    """Look at each name once."""
    for name in case.listed.by_name if case.listed is not None else ():
        problem = _unusual(name)
        if problem is not None:
            yield Seen(args={"tool": name, "problem": problem}, evidence=(name,))


def _unusual(name: str) -> str | None:
    if len(name) > _LONGEST:
        return f"has {len(name)} characters"
    if _USUAL.fullmatch(name):
        return None
    strange = list(dict.fromkeys(char for char in name if not _USUAL.fullmatch(char)))
    return f"has {counted(len(strange), 'character')} that clients may not take: {' '.join(map(repr, strange[:5]))}"


@check(
    "name-case-twins",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary="No two names differ in upper and lower case alone.",
    why="Names are case-sensitive; models and some clients are not, and call the other tool.",
    remedy="Rename one of them.",
    source=f"{_NAMES}: names should be taken as case-sensitive, and be unique",
    message="{tools} differ in upper and lower case alone.",
    needs=(probed, origin_list),
)
def name_case_twins(case: Case) -> Iterable[Seen]:
    """Look for names that are one when their case is folded."""
    folded: dict[str, list[str]] = {}
    for name in case.listed.by_name if case.listed is not None else ():
        folded.setdefault(name.casefold(), []).append(name)
    for names in folded.values():
        if len(names) > 1:
            yield Seen(args={"tools": names}, evidence=tuple(names[:5]))


@check(
    "invisible-characters",
    family=_FAMILY,
    layer="origin",
    severity="warning",
    summary="No text of the list has characters that nobody sees.",
    why="A model reads what a person who looks the list over does not; and some clients strip them, so that texts differ.",
    remedy="Remove control, zero-width, direction and tag characters from names, descriptions and schemas.",
    source="Unicode, Default_Ignorable_Code_Point and general categories C; practice of clients",
    message="{tool} has characters that nobody sees, such as {first} at {place}.",
    needs=(probed, origin_definitions),
)
def invisible_characters(case: Case) -> Iterable[Seen]:
    """Look through every text of each definition, and the server's instructions."""
    listed = case.listed
    if listed is None:
        return
    holders: list[tuple[str, str, Any]] = [
        (tool.name, f"/tools/{place}", tool.raw) for place, tool in enumerate(listed.tools)
    ]
    if listed.instructions is not None:
        holders.append(("what the server says to the model", "/instructions", listed.instructions))
    for name, where, value in holders:
        for pointer, text in texts(value):
            hidden = [] if text.isascii() and text.isprintable() else _hidden(text)
            if hidden:
                facts = {"tool": name, "first": harmless(hidden[0]), "place": f"{where}{pointer}", "count": len(hidden)}
                yield Seen(args=facts, evidence=(f"{where}{pointer}",))
                break


def _hidden(text: str) -> list[str]:
    """Return the characters that draw nothing and may mislead; line ends, spaces and the parts of an emoji are none."""
    return [
        char
        for place, char in enumerate(text)
        if char not in "\n\r\t"
        and char not in _EMOJI
        and category(char) not in {"Zs", "Cn", "Co", "Cs"}
        and harmless(char) != char
        and not (char in _JOINERS and _within_words(text, place))
    ]


def _within_words(text: str, place: int) -> bool:
    around = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
    return len(around) == 2 and not any(char.isascii() for char in around)

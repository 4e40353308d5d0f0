"""The result of `clients names`: the document `diagnose.names/1` and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import harmless
from diagnose.report.document import json_document
from diagnose.report.layout import Page
from diagnose.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.clients.lens import Collision
    from diagnose.evidence.redact import Redactor
    from diagnose.jobs.clients import NamesLook

_WINS = {"first-wins": "the first one is reached", "last-wins": "the last one is reached"}


def names_json(look: NamesLook, redactor: Redactor) -> str:
    """Return the map in the order of the live list, with what collides and what configurations name in vain."""
    cut, long = set(look.map.cut), set(look.map.too_long)
    document: dict[str, Any] = {
        "schema": "diagnose.names/1",
        "tool": {"name": "diagnose", "version": __version__},
        "at": look.at,
        "target": {"id": look.target.id, "transport": look.target.transport, "endpoint": look.target.endpoint},
        "client": look.client.id,
        "serverKey": look.lens.server_key,
        "otherServerKeys": list(look.lens.other_keys),
        "pattern": look.client.naming.pattern,
        "count": len(look.names),
        "names": [
            {"name": name, "shown": shown, "cut": name in cut, "tooLong": name in long}
            for name, shown in look.map.shown.items()
        ],
        "collisions": [
            {"shown": each.shown, "names": list(each.names), "otherServerKey": each.other_key, "wins": each.wins}
            for each in look.map.collisions
        ],
        "stale": [
            {"name": name, "kind": each.kind, "member": each.member, "source": each.source} for each, name in look.stale
        ],
        "exitCode": look.exit_code,
    }
    return json_document(document, redactor)


def names_text(look: NamesLook, redactor: Redactor, *, width: int, colour: bool = False) -> str:
    """Return a line a tool, the live name first, then what stands in the way of calling one."""
    page = Page(width=width, colour=colour)
    cut, long = set(look.map.cut), set(look.map.too_long)
    first = f"{len(look.names)} tools as {look.client.name} shows them for the key {look.lens.server_key}"
    lines = [*page.wrap(_plain(first, redactor)), ""]
    for name, shown in look.map.shown.items():
        mark = "  (cut)" if name in cut else "  (longer than can be called)" if name in long else ""
        lines += page.wrap(_plain(f"{name}  ->  {shown}{mark}", redactor), first="  ", rest="      ")
    problems = [*map(_collision, look.map.collisions), *_stale(look)]
    if problems:
        lines.append("")
    for problem in problems:
        lines += page.wrap(_plain(problem, redactor), rest="  ")
    return "\n".join(lines)


def _collision(each: Collision) -> str:
    if each.other_key is not None:
        return f"{each.shown} is also what a tool {each.names[0]} of the server {each.other_key} would be called."
    tail = _WINS.get(each.twins, "which one is reached is not known")
    return f"{', '.join(each.names)} are all shown as {each.shown}: {tail}."


def _stale(look: NamesLook) -> Iterator[str]:
    for each, name in look.stale:
        yield f"{each.member} in {each.source} names {name}, and there is no such tool."


def _plain(text: str, redactor: Redactor) -> str:
    return harmless(redactor.text(text))

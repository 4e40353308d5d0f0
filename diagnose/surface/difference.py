"""What sets two surfaces apart: tools added, removed, changed or renamed, and what the server says beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from diagnose.surface.change import ABSENT, Change, Detail, Relation, worst
from diagnose.surface.surface import Surface

if TYPE_CHECKING:
    from diagnose.surface.detail import Describer
    from diagnose.surface.rename import Rename
    from diagnose.surface.tool import Tool


def difference(old: Surface | Sequence[Any], new: Surface | Sequence[Any]) -> tuple[Change, ...]:
    """Return every change from one surface to another, sorted by tool; what concerns no tool comes first.

    Lists of raw definitions are taken for surfaces. Where only names are known of a side, only names are compared. Tools
    of one name are paired by equal definitions first, then in their order.
    """
    was, now = _surface(old), _surface(new)
    changes = [*_beside_the_tools(was, now), *_of_tools(was, now)]
    return tuple(sorted(changes, key=lambda change: (change.tool is not None, change.tool or "")))


def relation(old: Surface | Sequence[Any], new: Surface | Sequence[Any]) -> Relation:
    """Return how two surfaces stand to each other.

    `equal`: no difference; `equivalent`: only in what no caller and no model sees; `unknown`: no difference was found,
    but a side is known by names only, or has a definition without digest; `different`: anything else.
    """
    was, now = _surface(old), _surface(new)
    return relation_of(was, now, difference(was, now))


def relation_of(old: Surface, new: Surface, changes: Sequence[Change]) -> Relation:
    """Return the `relation` of two surfaces, of which the difference is known."""
    if changes and worst([change.impact for change in changes]) != "cosmetic":
        return "different"
    if any(tool.digest is None for surface in (old, new) for tool in surface.tools) or old.names_only or new.names_only:
        return "unknown"
    return "equivalent" if changes else "equal"


def _surface(given: Surface | Sequence[Any]) -> Surface:
    return given if isinstance(given, Surface) else Surface.of(given)


def _beside_the_tools(old: Surface, new: Surface) -> Iterator[Change]:
    if _handshake_known(old) and _handshake_known(new) and old.instructions != new.instructions:
        yield _aside("/instructions", _given(old.instructions), _given(new.instructions))
    if old.capabilities is not None and new.capabilities is not None:
        was, now = _list_changed(old.capabilities), _list_changed(new.capabilities)
        if (was is True) != (now is True):
            yield _aside("/capabilities/tools/listChanged", was, now)


def _handshake_known(surface: Surface) -> bool:
    """Whether missing instructions mean that the server gave none: capabilities come in the same answer."""
    return surface.instructions is not None or surface.capabilities is not None


def _given(value: Any) -> Any:
    return ABSENT if value is None else value


def _list_changed(capabilities: Mapping[str, Any]) -> Any:
    tools = capabilities.get("tools")
    return tools.get("listChanged", ABSENT) if isinstance(tools, Mapping) else ABSENT


def _aside(path: str, was: Any, now: Any) -> Change:
    detail = Detail(path=path, was=was, now=now, impact="behaviour")
    return Change(tool=None, kind="changed", impact="behaviour", details=(detail,))


def _of_tools(old: Surface, new: Surface) -> Iterator[Change]:
    by_names = old.names_only or new.names_only
    changed: list[tuple[Tool, Tool]] = []
    removed: list[Tool] = []
    added: list[Tool] = []
    doubled: list[Change] = []
    for name in sorted(old.by_name.keys() | new.by_name.keys()):
        was, now = old.by_name.get(name, ()), new.by_name.get(name, ())
        if (by_names and was and now) or _evidently_equal(was, now):
            continue
        gone, came = _without_equal(was, now)
        changed += zip(gone, came, strict=False)
        if was and now:
            doubled += [_doubled("removed", tool) for tool in gone[len(came) :]]
            doubled += [_doubled("added", tool) for tool in came[len(gone) :]]
        else:
            removed += gone
            added += came
    renamed = _renames(removed, added) if removed and added and not by_names else ()
    if changed or renamed:
        yield from _described(changed, renamed)
    yield from doubled
    taken = {id(tool) for rename in renamed for tool in (rename.old, rename.new)}
    yield from (Change(tool=tool.name, kind="removed", impact="breaking") for tool in removed if id(tool) not in taken)
    yield from (Change(tool=tool.name, kind="added", impact="compatible") for tool in added if id(tool) not in taken)


def _doubled(kind: Literal["added", "removed"], tool: Tool) -> Change:
    """Return the change of a tool whose name is on both sides: of several, clients keep the first, the last, or fail."""
    return Change(tool=tool.name, kind=kind, impact="unclear")


def _renames(removed: Sequence[Tool], added: Sequence[Tool]) -> Sequence[Rename]:
    from diagnose.surface.rename import renames

    return renames(removed, added)


def _described(changed: Sequence[tuple[Tool, Tool]], renamed: Sequence[Rename]) -> Iterator[Change]:
    """Say what changed inside each pair; what it takes to judge that is loaded only here."""
    from diagnose.surface.detail import Describer

    describer = Describer()
    yield from (_changed(old, new, describer) for old, new in changed)
    yield from (_renamed(rename, describer) for rename in renamed)


def _evidently_equal(old: Sequence[Tool], new: Sequence[Tool]) -> bool:
    """Answer quickly for nearly every name: one tool on each side, and the same one."""
    return len(old) == len(new) == 1 and old[0].digest == new[0].digest is not None


def _without_equal(old: Sequence[Tool], new: Sequence[Tool]) -> tuple[Sequence[Tool], Sequence[Tool]]:
    """Leave out the tools of one name that are on both sides, each as often as it is on both."""
    common = Counter(tool.identity for tool in old) & Counter(tool.identity for tool in new)
    return (_less(old, common), _less(new, common)) if common else (old, new)


def _less(tools: Sequence[Tool], common: Counter[str]) -> list[Tool]:
    left = common.copy()
    kept = []
    for tool in tools:
        if left[tool.identity] > 0:
            left[tool.identity] -= 1
        else:
            kept.append(tool)
    return kept


def _changed(old: Tool, new: Tool, describer: Describer) -> Change:
    details = describer.details(_shown(old), _shown(new))
    if old.redacted or new.redacted:
        # What was redacted may be what changed: the digests tell that something did, and nothing else can.
        hidden = Detail(path="/$digest", was=_given(old.digest), now=_given(new.digest), impact="unclear")
        details = (hidden, *details)
    impact = worst([detail.impact for detail in details])
    return Change(tool=new.name, kind="changed", impact=impact, details=details)


def _renamed(rename: Rename, describer: Describer) -> Change:
    old, new = _shown(rename.old), {**_shown(rename.new), "name": rename.old.raw.get("name")}
    return Change(
        tool=rename.new.name,
        was=rename.old.name,
        kind="renamed",
        confidence=rename.confidence,
        impact="breaking",
        details=() if rename.same else describer.details(old, new),
    )


def _shown(tool: Tool) -> Mapping[str, Any]:
    """Return the definition without the marks of our own redaction."""
    marks = {"$redacted", "$digest"} if tool.redacted else set()
    return {key: value for key, value in tool.definition.items() if key not in marks}

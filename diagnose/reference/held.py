"""The surface that the reference server holds: it can be edited while the server runs, and it is dealt out in pages."""

from __future__ import annotations

import base64
import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnose.errors import InputError
from diagnose.reference.contract import ToolDict
from diagnose.reference.orchard import PRESS_CIDER, orchard
from diagnose.surface import revision

EDITS = ("add", "remove", "rename", "describe", "restore")


class CursorError(InputError):
    """A cursor that this server did not issue, or issued for a list that has changed since."""


@dataclass(slots=True, kw_only=True)
class HeldSurface:
    """The definitions in their order. Names are unique, so that a definition can be found by its name."""

    tools: list[ToolDict] = field(default_factory=orchard)
    page_size: int = 50

    @property
    def revision(self) -> str:
        """The revision of the whole list, as of now (64 hex digits)."""
        return revision(self.tools)

    @property
    def manifest(self) -> dict[str, Any]:
        """What the server says of its list: `revision` and `count`."""
        return {"revision": self.revision, "count": len(self.tools)}

    def page(self, cursor: str | None) -> tuple[list[ToolDict], str | None]:
        """Return the definitions behind the cursor and the cursor of the next page, None at the end.

        A cursor names the list that it was issued for; raises `CursorError` where that is not the present one.
        """
        start = 0 if cursor is None else self._start(cursor)
        end = start + self.page_size
        return self.tools[start:end], _cursor(end, self.revision) if end < len(self.tools) else None

    def without(self, name: str | None) -> HeldSurface:
        """Return this surface as it is for somebody who is not shown that tool."""
        shown = [tool for tool in self.tools if tool["name"] != name]
        return self if name is None else HeldSurface(tools=shown, page_size=self.page_size)

    def definition(self, tool: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the definition of that name as it is held; the given one if there is none (it was removed)."""
        return next((held for held in self.tools if held["name"] == tool.get("name")), tool)

    def edit(self, change: Mapping[str, Any]) -> None:
        """Apply one change; raises `InputError` for one that is none of these.

        `{"add": TOOL}`, `{"add": "press_cider"}`, `{"remove": NAME}`, `{"rename": {"from": NAME, "to": NAME}}`,
        `{"describe": {"name": NAME, "description": TEXT}}`, `{"restore": true}`.
        """
        match dict(change):
            case {"add": "press_cider"}:
                self._add(copy.deepcopy(PRESS_CIDER))
            case {"add": {"name": str(), "inputSchema": {"type": "object"}} as tool}:
                self._add(tool)
            case {"remove": str() as name}:
                self.tools.remove(self._held(name))
            case {"rename": {"from": str() as old, "to": str() as new}}:
                self._refuse_known(new)
                self._replace(old, name=new)
            case {"describe": {"name": str() as name, "description": str() as text}}:
                self._replace(name, description=text)
            case {"restore": True}:
                self.tools[:] = orchard()
            case _:
                raise InputError(f'a change is one of {", ".join(EDITS)}, such as {{"add": "press_cider"}}')

    def _add(self, tool: ToolDict) -> None:
        self._refuse_known(tool["name"])
        self.tools.append(tool)

    def _replace(self, old: str, /, **fields: Any) -> None:
        held = self._held(old)
        self.tools[self.tools.index(held)] = {**held, **fields}

    def _held(self, name: str) -> ToolDict:
        for tool in self.tools:
            if tool["name"] == name:
                return tool
        raise InputError(f"there is no tool named {name!r}")

    def _refuse_known(self, name: str) -> None:
        if any(tool["name"] == name for tool in self.tools):
            raise InputError(f"there is a tool named {name!r} already")

    def _start(self, cursor: str) -> int:
        tag = self.revision
        for start in range(self.page_size, len(self.tools), self.page_size):
            if cursor == _cursor(start, tag):
                return start
        raise CursorError("this cursor was not issued for the present list; list again from the beginning")


def _cursor(start: int, tag: str) -> str:
    return base64.urlsafe_b64encode(f"{start}:{tag[:16]}".encode()).decode()

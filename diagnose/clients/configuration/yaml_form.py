"""YAML as configuration files of clients have it: mappings, lists, texts. Anchors, tags and complex keys are refused.

A reader of the whole language would be a dependency of its own for two clients; what is left out here is told, and the
file is then not guessed at.
"""

from __future__ import annotations

import re
from typing import Any

from diagnose.clients.configuration.errors import ConfigurationError
from diagnose.clients.configuration.yaml_flow import balanced, read_flow
from diagnose.clients.configuration.yaml_lines import Line, scalar, significant

MAX_DEPTH = 64
#: Characters of one value in brackets that goes on in several lines.
MAX_FLOW = 20_000
_KEY = re.compile(
    r"""(?P<key>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'\[\]{},#&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+|\Z)"""
)
_BLOCK = re.compile(r"(?P<style>[|>])(?P<marks>[-+0-9]{0,2})\Z")


def read_yaml(text: str) -> Any:
    """Return the value of a text; None for an empty one. Raises `ConfigurationError` naming the line."""
    lines, raw = significant(text)
    if not lines:
        return None
    reader = _Reader(lines, raw)
    value = reader.block(lines[0].indent, 0)
    if reader.at < len(lines):
        raise ConfigurationError(f"line {lines[reader.at].number} is indented as no other")
    return value


class _Reader:
    """Reads forward through the lines; each method leaves `at` on the first line that is not its own."""

    def __init__(self, lines: list[Line], raw: list[str]) -> None:
        self.lines = lines
        self.raw = raw
        self.at = 0

    def block(self, indent: int, depth: int) -> Any:
        """Read the mapping or list that begins here, at this indentation."""
        if depth > MAX_DEPTH:
            raise ConfigurationError("it is nested too deep")
        line = self.lines[self.at]
        if _is_item(line.text):
            return self._list(indent, depth)
        if _KEY.match(line.text):
            return self._mapping(indent, depth)
        return self._value(line.text, line, indent - 1, depth)

    def _list(self, indent: int, depth: int) -> list[Any]:
        items = []
        while (line := self._here(indent)) is not None and _is_item(line.text):
            rest = line.text[1:].lstrip(" ")
            if not rest:
                self.at += 1
                items.append(self._nested(indent, depth))
            elif _KEY.match(rest) or _is_item(rest):
                # What stands behind the dash is a block of its own, at its own column.
                inner = indent + len(line.text) - len(rest)
                self.lines[self.at] = Line(number=line.number, indent=inner, text=rest)
                items.append(self.block(inner, depth + 1))
            else:
                items.append(self._value(rest, line, indent, depth))
        return items

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while (line := self._here(indent)) is not None and not _is_item(line.text):
            match = _KEY.match(line.text)
            if match is None:
                raise ConfigurationError(f"line {line.number} has no key")
            key = str(scalar(match["key"], line.number))
            if key == "<<":
                raise ConfigurationError(f"line {line.number} has a merge, which is not read here")
            rest = line.text[match.end() :].strip()
            if rest:
                members[key] = self._value(rest, line, indent, depth)
            else:
                self.at += 1
                members[key] = self._nested(indent, depth, lists_may_align=True)
        return members

    def _nested(self, indent: int, depth: int, *, lists_may_align: bool = False) -> Any:
        """Read what stands below a key or a dash; None where nothing does. A list may stand right below its key."""
        following = self.lines[self.at] if self.at < len(self.lines) else None
        if following is None:
            return None
        aligned = lists_may_align and following.indent == indent and _is_item(following.text)
        if following.indent > indent or aligned:
            return self.block(following.indent, depth + 1)
        return None

    def _value(self, text: str, line: Line, indent: int, depth: int) -> Any:
        """Read a value that begins in this line, and the lines that it goes on in."""
        self.at += 1
        block = _BLOCK.match(text)
        if block is not None:
            return self._text_block(line, indent, block)
        if text[0] in "[{":
            while not balanced(text) and self.at < len(self.lines):
                text += " " + self.lines[self.at].text
                self.at += 1
                if len(text) > MAX_FLOW:
                    raise ConfigurationError(f"line {line.number} has a list in brackets that is too long")
            return read_flow(text, line.number, depth)
        while self.at < len(self.lines) and self.lines[self.at].indent > indent:
            text += " " + self.lines[self.at].text
            self.at += 1
        return scalar(text, line.number)

    def _text_block(self, line: Line, indent: int, block: re.Match[str]) -> str:
        """Read a text of several lines as it stands; folded, its lines are joined by blanks."""
        taken = []
        for each in self.raw[line.number :]:
            if each.strip() and len(each) - len(each.lstrip(" ")) <= indent:
                break
            taken.append(each)
        last = line.number + len(taken)
        while self.at < len(self.lines) and self.lines[self.at].number <= last:
            self.at += 1
        margin = min((len(each) - len(each.lstrip(" ")) for each in taken if each.strip()), default=0)
        body = [each[margin:] for each in taken]
        text = "\n".join(body).strip("\n") if block["style"] == "|" else " ".join(" ".join(body).split())
        return text if "-" in block["marks"] or not text else text + "\n"

    def _here(self, indent: int) -> Line | None:
        if self.at >= len(self.lines) or self.lines[self.at].indent < indent:
            return None
        line = self.lines[self.at]
        if line.indent > indent:
            raise ConfigurationError(f"line {line.number} is indented as no other")
        return line


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")

"""What of a message goes into a recording: everything that the tool list depends on, and nothing of what tools do."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from diagnose.evidence.imprint import Imprint
from diagnose.evidence.plain_words import plain_words
from diagnose.evidence.redact import Redactor
from diagnose.evidence.secret import MASK
from diagnose.statesync.tag import parse_invalidation
from diagnose.surface import Tool

#: Requests whose parameters and results say what a server offers, and to whom; they are kept.
KEPT: Final = frozenset(
    {"initialize", "server/discover", "tools/list", "prompts/list", "ping", "logging/setLevel", "subscriptions/listen"}
)
#: Requests whose parameters are kept, but whose results list data of the user.
_ASKED: Final = KEPT | {"resources/list", "resources/templates/list"}
#: Notifications that carry text of tools: what of their parameters is kept.
_TALKATIVE: Final = {
    "notifications/message": frozenset({"level", "logger", "_meta"}),
    "notifications/progress": frozenset({"progressToken", "progress", "total", "_meta"}),
}
#: What is kept of any other parameters and results.
_ALWAYS: Final = frozenset({"isError", "resultType", "nextCursor", "cursor", "ttlMs", "cacheScope"})
_NAMED: Final = {method: _ALWAYS | {"name"} for method in ("tools/call", "prompts/get")}
#: What `error.data` of an unsupported version may hold (MCP 2026-07-28, basic/versioning); any other data may be anything.
_VERSIONS: Final = frozenset({"supported", "requested", "supportedVersions"})
#: Members and types of an item of `content`; an item that has others is left out whole.
_ITEM: Final = frozenset(
    [
        "type",
        "text",
        "data",
        "mimeType",
        "annotations",
        "resource",
        "uri",
        "name",
        "title",
        "description",
        "size",
        "icons",
        "_meta",
    ]
)
_TYPES: Final = ("text", "image", "audio", "resource", "resource_link")
#: What a result whose request was not seen may be recognised by.
_SHAPES: Final = (frozenset({"tools"}), frozenset({"protocolVersion", "serverInfo"}), frozenset({"supportedVersions"}))
_OWN_META: Final = re.compile(r"(?:io\.modelcontextprotocol/[\w.-]+|progressToken)")

#: So many texts of arguments and results are remembered, to be found in what a server logs; shorter ones are words.
MAX_HEARD: Final = 400
SHORTEST: Final = 4
LONGEST: Final = 400
_MAX_DEPTH: Final = 16


class Omission:
    """Reduces the messages of one recording. With ``payloads``, arguments and results stay, but for what is secret by its look."""

    def __init__(self, imprint: Imprint, redactor: Redactor, *, payloads: bool = False) -> None:
        self._imprint = imprint
        self._redactor = redactor
        self._payloads = payloads
        self._heard: OrderedDict[str, None] = OrderedDict()
        self._names: OrderedDict[str, None] = OrderedDict()

    def message(self, value: Any, method_of: Callable[[Any], str | None]) -> Any:
        """Return a message or batch as it is recorded; ``method_of`` gives the method of the request that an id belongs to."""
        if isinstance(value, list):
            return [self.message(entry, method_of) if isinstance(entry, dict) else self._left(entry) for entry in value]
        if not isinstance(value, dict):
            return self._left(value)
        if self._payloads:
            return self._open(value)
        asked = value.get("method")
        method = asked if isinstance(asked, str) else method_of(value.get("id"))
        if method == "tools/call":
            self._name(value.get("params"))
        return {name: self._member(name, member, method or "") for name, member in value.items()}

    def text(self, text: str) -> str:
        """Return what a server logged, without secrets and without what it was told or told itself a moment ago."""
        if not self._payloads:
            for heard in self._heard:
                if heard in text:
                    text = text.replace(heard, MASK)
        return self._redactor.text(text)

    def _name(self, params: Any) -> None:
        name = params.get("name") if isinstance(params, dict) else None
        if isinstance(name, str) and len(name) <= LONGEST:
            _remember(self._names, name)

    def _member(self, name: str, value: Any, method: str) -> Any:
        match name:
            case "jsonrpc" | "id" | "method":
                return self._redactor.value(value)
            case "params" if isinstance(value, dict):
                return self._params(value, method)
            case "result" if isinstance(value, dict):
                return self._result(value, method)
            case "error" if isinstance(value, dict):
                return self._error(value)
        return self._left(value)

    def _params(self, params: Mapping[str, Any], method: str) -> dict[str, Any]:
        if method in _ASKED or (method.startswith("notifications/") and method not in _TALKATIVE):
            return self._cleared({name: value for name, value in params.items() if name != "_meta"}, params)
        if method in {"resources/subscribe", "resources/unsubscribe"} and isinstance(params.get("uri"), str):
            return self._cleared({"uri": self._redactor.url(params["uri"])}, params)
        kept = _TALKATIVE.get(method) or _NAMED.get(method, _ALWAYS)
        result: dict[str, Any] = {}
        for name, value in params.items():
            if name == "_meta":
                result[name] = self._meta(value)
            elif name == "arguments" and isinstance(value, dict):
                result[name] = {str(argument): self._left(each) for argument, each in value.items()}
            else:
                result[name] = self._redactor.value(value) if name in kept and _is_plain(value) else self._left(value)
        return result

    def _result(self, result: Mapping[str, Any], method: str) -> dict[str, Any]:
        if method in KEPT or (not method and any(shape <= result.keys() for shape in _SHAPES)):
            return self._offer(result)
        reduced: dict[str, Any] = {}
        for name, value in result.items():
            if name == "_meta":
                reduced[name] = self._meta(value)
            elif name == "content" and isinstance(value, list):
                reduced[name] = [self._content(item) for item in value]
            else:
                plain = name in _ALWAYS and _is_plain(value)
                reduced[name] = self._redactor.value(value) if plain else self._left(value)
        return reduced

    def _content(self, item: Any) -> Any:
        """Return an item of a result: its type, and its text only where that is a tag of state sync."""
        if not isinstance(item, dict) or not item.keys() <= _ITEM:
            return self._left(item)
        text = item.get("text")
        tag = isinstance(text, str) and parse_invalidation(text, lenient=True) is not None
        kept = {name for name in item if (name == "text" and tag) or (name == "type" and item[name] in _TYPES)}
        return {
            name: self._redactor.value(value) if name in kept else self._left(value) for name, value in item.items()
        }

    def _offer(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a server says of itself; a definition that holds a secret is marked and keeps the digest that it had."""
        tools = result.get("tools")
        clear: dict[str, Any] = self._redactor.value(dict(result))
        if isinstance(tools, list):
            clear["tools"] = [self._definition(tool) for tool in tools]
        return clear

    def _definition(self, tool: Any) -> Any:
        clear = self._redactor.value(tool)
        # A server's own mark is taken for none of ours: whoever reads the recording believes the digest beside it.
        if isinstance(clear, dict) and (clear != tool or "$redacted" in clear):
            return {**clear, "$redacted": True, "$digest": Tool.of(tool).digest}
        return clear

    def _error(self, error: Mapping[str, Any]) -> dict[str, Any]:
        reduced: dict[str, Any] = {}
        for name, value in error.items():
            if name == "code" and _is_plain(value):
                reduced[name] = value
            elif name == "message" and isinstance(value, str):
                reduced[name] = plain_words(value, self._names)
            elif name == "data" and isinstance(value, dict) and value.keys() <= _VERSIONS:
                reduced[name] = self._redactor.value(value)
            else:
                reduced[name] = self._left(value)
        return reduced

    def _cleared(self, kept: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
        clear: dict[str, Any] = self._redactor.value(dict(kept))
        return {**clear, "_meta": self._meta(params["_meta"])} if "_meta" in params else clear

    def _meta(self, meta: Any) -> Any:
        if not isinstance(meta, dict):
            return self._left(meta)
        return {
            name: self._redactor.value(value) if _OWN_META.fullmatch(name) else self._left(value)
            for name, value in meta.items()
        }

    def _open(self, message: Mapping[str, Any]) -> dict[str, Any]:
        result = message.get("result")
        clear: dict[str, Any] = self._redactor.value(dict(message))
        if isinstance(result, dict) and isinstance(result.get("tools"), list):
            clear["result"] = self._offer(result)
        return clear

    def _left(self, value: Any) -> Any:
        self._hear(value)
        return self._imprint.omitted(value)

    def _hear(self, value: Any) -> None:
        for text in _texts(value, _MAX_DEPTH):
            if SHORTEST <= len(text) <= LONGEST:
                _remember(self._heard, text)


def _remember(texts: OrderedDict[str, None], text: str) -> None:
    texts[text] = None
    texts.move_to_end(text)
    if len(texts) > MAX_HEARD:
        texts.popitem(last=False)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | bool | int | float)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each, depth - 1)


_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)("?)(\s*:)?')
_PROTOCOL = re.compile(
    r"2\.0|[a-z]+(?:/[a-z_]+)+|initialize|ping|20[0-9]{2}-[0-9]{2}-[0-9]{2}|object|string|integer|array"
)


def broken_json(text: str) -> str:
    """Return JSON that does not parse with its strings masked, but for names and words of the protocol.

    Lone surrogates stay: decoded with `surrogateescape`, they are the bytes that made it invalid.
    """

    def shown(literal: re.Match[str]) -> str:
        body, end, colon = literal[1], literal[2], literal[3] or ""
        if colon or (end and _PROTOCOL.fullmatch(body)):
            return literal[0]
        odd = "".join(char for char in body if "\udc80" <= char <= "\udcff")
        return f'"{MASK if body else ""}{odd}{end}'

    return _LITERAL.sub(shown, text)

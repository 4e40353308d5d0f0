"""From a file to a view of the list: the shapes are tried in turn, and what fits none is named in the error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from diagnose.errors import InputError
from diagnose.evidence.layer_form import observation_of
from diagnose.evidence.observation import Failure, Observation
from diagnose.observe.registry.apis import of_request, of_tools
from diagnose.observe.registry.parts import Shown
from diagnose.observe.registry.statuses import of_codex, of_init, of_librechat, of_mcporter, of_sdk
from diagnose.observe.registry.texts import kind_of_text, of_text
from diagnose.surface import JsonError, Surface, parse_json

#: The deepest JSON that is read: a request holds its definitions a few levels down.
_DEPTH = 144
_ADVICE = (
    "Known are: a tools/list result, an OpenAI, Anthropic or Gemini request, Codex's mcpServerStatus/list, an init event "
    "or mcp_status of Claude Code, what Gemini CLI shows for /mcp or Cursor prints for mcp list-tools, LibreChat's "
    "/api/mcp/tools, a layer of a bundle, and a list of names."
)
#: What only a layer of a bundle has.
_MARKS = frozenset({"namesOnly", "session", "turn", "servers", "samples", "complete"})
#: What a list by itself may say beside its tools, and of which type.
_PLAIN: Mapping[str, type | tuple[type, ...]] = {
    "tools": list,
    "instructions": str,
    "capabilities": Mapping,
    "serverInfo": Mapping,
    "protocolVersion": str,
    "principal": str,
    "era": str,
    "at": str,
    "source": str,
    "ttlMs": (int, float),
    "cacheScope": str,
    "pages": list,
}


def read_view(
    data: bytes, layer: Literal["registry", "model"], *, source: str, server_key: str | None = None
) -> Observation:
    """Return what a file shows of a client's list.

    ``server_key`` says which server is meant, where a file has several.

    Raises:
        InputError: it is in no shape that is known; the error says what was found.

    """
    documents = _documents(data)
    if not documents:
        text = data.decode("utf-8", "replace")
        return _of_shown(_named(of_text(text, server_key), source, kind_of_text(text)), layer, source)
    document = _unwrapped(documents[-1]) if len(documents) == 1 else documents
    listed = of_mcporter(document, server_key)
    if listed is not None:
        return _of_shown(listed, layer, source)
    if isinstance(document, Mapping) and _is_layer(document):
        return observation_of({"source": source, **_stated(document)}, layer, source)
    found = of_init(documents) or _of_value(document, server_key)
    return _of_shown(_named(found, source, _kind(document)), layer, source)


def _documents(data: bytes) -> list[Any]:
    """Return the JSON values of a file: one, or one a line; none where it is no JSON."""
    try:
        return [parse_json(data, max_depth=_DEPTH).value]
    except JsonError:
        found: list[Any] = []
        for line in data.splitlines():
            try:
                found.append(parse_json(line, max_depth=_DEPTH).value)
            except JsonError:
                continue
        return [each for each in found if isinstance(each, Mapping | list)]


def _unwrapped(document: Any) -> Any:
    """Return what an answer by JSON-RPC holds."""
    result = document.get("result") if isinstance(document, Mapping) else None
    return result if isinstance(result, Mapping) else document


def _is_layer(document: Mapping[str, Any]) -> bool:
    """Tell whether a document is a layer as a bundle has it, or a plain list result, which has the same form."""
    tools = document.get("tools")
    if not isinstance(tools, list):
        return False
    return bool(_MARKS & document.keys()) or (of_request(document) is None and of_tools(tools) is None)


def _stated(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a document says in the words of a layer: of another program's, `source` and the like mean something else."""
    if _MARKS & document.keys():
        return document
    return {key: value for key, value in document.items() if isinstance(value, _PLAIN.get(key, ()))}


def _of_value(document: Any, key: str | None) -> Shown | None:
    shown = of_request(document) or of_codex(document, key) or of_sdk(document, key)
    shown = shown or of_librechat(document, key)
    if shown is not None:
        return shown
    tools = document.get("tools") if isinstance(document, Mapping) else document
    if not isinstance(tools, list) or _are_servers(tools):
        return None
    if tools and all(isinstance(each, str) for each in tools):
        return Shown(shape="a list of names", tools=tools, names_only=True)
    asked = of_tools(tools)
    if asked is None and all(isinstance(each, Mapping) and "name" in each for each in tools):
        return Shown(shape="a list of tools", tools=tools)
    return asked


def _named(shown: Shown | None, source: str, kind: str) -> Shown:
    if shown is None:
        raise InputError(f"{source} is no view of a tool list that is known: it holds {kind}", advice=_ADVICE)
    return shown


def _of_shown(shown: Shown, layer: Literal["registry", "model"], source: str) -> Observation:
    surface = Surface.of(shown.tools, names_only=shown.names_only)
    failure = Failure(rule="not-observed", message=f"the client says: {shown.error}") if shown.error else None
    return Observation(
        layer=layer,
        surface=surface if failure is None or surface.tools else None,
        complete=failure is None or bool(surface.tools),
        names_only=shown.names_only,
        source=f"{shown.shape}, {source}",
        session=shown.session or "unknown",
        server_info=shown.server_info,
        meta={"status": shown.status} if shown.status is not None else None,
        failure=failure if not surface.tools else None,
        servers=shown.servers,
    )


def _are_servers(entries: list[Any]) -> bool:
    """Tell whether a list is one of servers, as `codex mcp list --json` prints it: they have names, too."""
    ways = {"transport", "command", "url"}
    return bool(entries) and all(isinstance(each, Mapping) and ways & each.keys() for each in entries)


def _kind(document: Any) -> str:
    """Return in words what a file holds; what belongs to another option is told."""
    first = document[0] if isinstance(document, list) and document else document
    if isinstance(first, Mapping):
        if str(first.get("schema", "")).startswith("diagnose.recording/") or isinstance(first.get("log"), Mapping):
            return "a recording, which --recording takes"
        if isinstance(first.get("mcpServers"), Mapping) or (document is not first and _are_servers(document)):
            return "a configuration, which names servers and not their tools"
    if isinstance(document, Mapping):
        keys = ", ".join(str(key)[:30] for key in list(document)[:6])
        return f"an object with {keys}" if keys else "an empty object"
    if isinstance(document, list):
        return f"a list of {len(document)} values"
    return "a single value"

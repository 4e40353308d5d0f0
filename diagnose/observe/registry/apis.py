"""Requests to a model, in the three forms that there are: OpenAI, Anthropic, Gemini. Each tool becomes an MCP definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnose.observe.registry.parts import Shown

_SCHEMAS = ("parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema", "inputSchema")
_DECLARATIONS = ("functionDeclarations", "function_declarations")


def of_request(document: Any) -> Shown | None:
    """Return the tools of a request to a model; None where it is none."""
    if not isinstance(document, Mapping):
        return None
    body = document.get("body") if isinstance(document.get("body"), Mapping) else document
    config = body.get("config") if isinstance(body, Mapping) else None
    tools = body.get("tools") if isinstance(body, Mapping) else None
    if tools is None and isinstance(config, Mapping):
        tools = config.get("tools")
    known = {"model", "messages", "contents", "input", "max_tokens", "system", "generationConfig", "tool_choice"}
    if not isinstance(tools, list) or not (isinstance(body, Mapping) and known & {*body, *(config or ())}):
        return None
    return Shown(shape="a request to a model", tools=list(definitions(tools)))


def of_tools(tools: list[Any]) -> Shown | None:
    """Return the tools of a request that stand alone; None where they are in none of these forms."""
    forms = [entry for entry in tools if isinstance(entry, Mapping) and _is_ours(entry)]
    return Shown(shape="the tools of a request to a model", tools=list(definitions(tools))) if forms else None


def _is_ours(entry: Mapping[str, Any]) -> bool:
    return "function" in entry or "input_schema" in entry or any(key in entry for key in (*_DECLARATIONS, "parameters"))


def definitions(tools: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the functions among the tools of a request as MCP definitions; what is built into the model has none."""
    for entry in tools:
        if not isinstance(entry, Mapping):
            continue
        declared = next((entry[key] for key in _DECLARATIONS if isinstance(entry.get(key), list)), None)
        if declared is not None:
            yield from (_definition(each) for each in declared if isinstance(each, Mapping))
            continue
        if entry.get("type") == "namespace" and isinstance(entry.get("tools"), list):
            # Codex groups a server's tools so; written in one word they are what other versions call them.
            spaces = [each for each in definitions(entry["tools"]) if isinstance(each["name"], str)]
            yield from ({**each, "name": f"{entry.get('name')}__{each['name']}"} for each in spaces)
            continue
        function = entry.get("function")
        inner = function if isinstance(function, Mapping) else entry
        called = isinstance(inner.get("name"), str)
        described = inner is function or any(key in inner for key in _SCHEMAS)
        # What is built into the model (`{"type": "web_search_20250305", "name": …}`) is nobody's MCP tool.
        if called and (described or entry.get("type") in {None, "function", "custom"}):
            yield _definition(inner)


def _definition(entry: Mapping[str, Any]) -> dict[str, Any]:
    schema = next((entry[key] for key in _SCHEMAS if key in entry), None)
    found: dict[str, Any] = {"name": entry.get("name")}
    if "description" in entry:
        found["description"] = entry["description"]
    return found if schema is None else {**found, "inputSchema": schema}

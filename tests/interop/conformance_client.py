"""The client that the conformance suite tests: our session, doing in each scenario what the scenario is about.

The suite starts it with the URL of its server as the last argument, and names the scenario in the environment.
"""

import json
import os
import sys

from diagnose.observe.listing import ListReader
from diagnose.observe.session import open_http
from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient
from diagnose.wire.headers import header_flaws

#: Arguments that fit a property, by its type.
SAMPLES = {"string": "pear", "integer": 7, "number": 1.5, "boolean": True, "object": {}, "array": []}


def fitting(tool):
    """Return arguments that the tool takes: one for each property that it requires."""
    schema = tool["inputSchema"]
    kinds = {key: schema.get("properties", {}).get(key, {}).get("type") for key in schema.get("required", ())}
    return {key: SAMPLES.get(kind, "pear") for key, kind in kinds.items()}


def call(session, tool, arguments):
    reply = session.request("tools/call", {"name": tool["name"], "arguments": arguments}, tool=tool)
    print(f"{tool['name']}: {json.dumps(reply.result)[:200]}")


def call_those_asked_for(session, tools):
    """Call what the suite asks for in its context, with the arguments that it gives; else each tool that may be called."""
    given = {}
    for wanted in json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}").get("toolCalls", ()):
        given[wanted["name"]] = wanted["arguments"]
    for tool in tools:
        if not header_flaws(tool):
            call(session, tool, given.get(tool["name"], fitting(tool)))


def read_everything(session, tools):
    """Send every kind of request that has a name to be repeated in a header."""
    call_those_asked_for(session, tools)
    for resource in session.request("resources/list").result["resources"]:
        session.request("resources/read", {"uri": resource["uri"]})
    for prompt in session.request("prompts/list").result["prompts"]:
        session.request("prompts/get", {"name": prompt["name"]})


def echo_a_schema(session, tools):
    """Send back a definition as it was received."""
    by_name = {tool["name"]: tool for tool in tools}
    seen = by_name["json_schema_2020_12_tool"]["inputSchema"]
    call(session, by_name["json_schema_echo"], {"schema": seen})


#: What a scenario wants beyond the list.
DEEDS = {
    "tools_call": call_those_asked_for,
    "sse-retry": call_those_asked_for,
    "http-standard-headers": read_everything,
    "http-custom-headers": call_those_asked_for,
    "http-invalid-tool-headers": call_those_asked_for,
    "json-schema-2020-12-preservation": echo_a_schema,
}


def main(url):
    deadline = Deadline(25)
    with HttpClient(timeout=10, deadline=deadline) as http, open_http(http, url, timeout=10) as session:
        print(f"{session.era} {session.protocol_version}")
        seen = ListReader(session, now=lambda: "2026-11-30T00:00:00.000Z").read()
        assert seen.complete, seen.failure
        deed = DEEDS.get(os.environ["MCP_CONFORMANCE_SCENARIO"])
        if deed is not None:
            deed(session, [tool.raw for tool in seen.surface.tools])


if __name__ == "__main__":
    main(sys.argv[-1])

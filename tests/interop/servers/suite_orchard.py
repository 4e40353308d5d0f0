"""Our reference server as it is, with the test tools that the conformance suite calls in its scenarios of the server side.

Started as `diagnose.reference` is. The suite changes a list by calling a tool, and sees by other tools what a server does
that lacks a capability of the client, wants something of its user, or has something to log.
"""

import sys
from itertools import count

from mcp import types
from mcp.shared.exceptions import MCPError

from diagnose.reference import __main__, serve_http
from diagnose.reference.server import ReferenceServer

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
TOOLS = ("test_missing_capability", "test_streaming_elicitation", "test_logging_tool", "test_trigger_tool_change")
QUESTION = {"type": "object", "properties": {"row": {"type": "integer"}}}


class SuiteServer(ReferenceServer):
    """The reference server; what is not one of the suite's tools is its own."""

    def __init__(self, options):
        super().__init__(options)
        self._changes = count(1)
        for name in TOOLS:
            self.surface.edit({"add": {"name": name, "description": "For a test.", "inputSchema": {"type": "object"}}})

    async def _call_tool(self, ctx, params):
        if params.name not in TOOLS:
            return await super()._call_tool(ctx, params)
        return await getattr(self, f"_{params.name}")(ctx)

    async def _test_missing_capability(self, ctx):
        if "sampling" not in ((ctx.meta or {}).get(CAPABILITIES) or {}):
            lacking = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "this tool needs sampling", lacking)
        return _said("there is sampling")

    async def _test_streaming_elicitation(self, ctx):
        question = types.ElicitRequestFormParams(message="Which row?", requested_schema=QUESTION)
        return types.InputRequiredResult(input_requests={"row": types.ElicitRequest(params=question)})

    async def _test_logging_tool(self, ctx):
        await ctx.session.send_log_message("info", "the apples are counted")
        return _said("three apples")

    async def _test_trigger_tool_change(self, ctx):
        told = f"Let the apples ripen, day {next(self._changes)}."
        await self.edit({"describe": {"name": "ripen", "description": told}})
        return _said(told)


def _said(text):
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


if __name__ == "__main__":
    serve_http.server_of = SuiteServer
    sys.exit(__main__.main())

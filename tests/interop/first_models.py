"""Run by the first Python SDK, in its own environment: hold messages on standard input to its types of 2024-11-05."""

import json
import sys

from mcp.types import ClientNotification, ClientRequest, ClientResult, JSONRPCMessage

for message in json.load(sys.stdin):
    JSONRPCMessage.model_validate(message)
    if "method" in message:
        (ClientRequest if "id" in message else ClientNotification).model_validate(message)
    elif "result" in message:
        ClientResult.model_validate(message["result"])

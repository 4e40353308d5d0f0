"""A small client of the handshake era, of the standard library alone, that speaks the bench's lines: `URL [WAYS...]`.

Ways: `first-page` follows no cursor, `forgetful` shakes hands anew where its session is gone, `strict` drops every tool
where a schema is no object, `once` ends after the first list.
"""

import http.client
import json
import sys
from urllib.parse import urlsplit

URL, WAYS = urlsplit(sys.argv[1]), set(sys.argv[2:])
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "hoe", "version": "3.1"}}


class GoneError(Exception):
    """The session is no more."""


class Client:
    """One client, whatever becomes of its session."""

    def __init__(self):
        self.session = None
        self.held = []

    def ask(self, method, params, number=1):
        """Put one request; None is the answer to what is none."""
        message = {"jsonrpc": "2.0", "method": method, "params": params, **({"id": number} if number else {})}
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if self.session:
            headers |= {"mcp-session-id": self.session, "mcp-protocol-version": "2025-11-25"}
        connection = http.client.HTTPConnection(URL.hostname, URL.port, timeout=20)
        connection.request("POST", URL.path, body=json.dumps(message), headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status == 404:
            raise GoneError
        self.session = self.session or answer.headers.get("mcp-session-id")
        return json.loads(body).get("result") if number else None

    def connect(self):
        """Shake hands."""
        self.session = None
        self.ask("initialize", HANDSHAKE)
        self.ask("notifications/initialized", {}, number=None)

    def list(self):
        """List, and hold what came."""
        tools, cursor = [], None
        while True:
            page = self.ask("tools/list", {"cursor": cursor} if cursor else {})
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if not cursor or "first-page" in WAYS:
                break
        odd = [tool for tool in tools if not isinstance(tool.get("inputSchema"), dict)]
        self.held = [] if odd and "strict" in WAYS else [tool["name"] for tool in tools]

    def try_to_list(self):
        """List; where the session is gone, in a new one, if that is its way."""
        try:
            self.list()
        except GoneError:
            if "forgetful" in WAYS:
                self.connect()
                self.list()


def main():
    """Do as the lines say."""
    client = Client()
    client.connect()
    client.list()
    if "once" in WAYS:
        print(json.dumps({"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in client.held]}))
        return
    print(json.dumps({"version": "3.1.4", "tools": client.held}), flush=True)
    for line in sys.stdin:
        if line.strip() == "list":
            client.try_to_list()
        print(json.dumps({"tools": client.held}), flush=True)


main()

"""A server of either era whose list a test changes, and that signals when the test says so."""

import json
import queue

from diagnose.wire.subscription import ACKNOWLEDGED, LIST_CHANGED, SUBSCRIPTION_ID
from support.mcp_http import INFO, MODERN, Said, legacy, modern, result

HINTS = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
META = {"io.modelcontextprotocol/serverInfo": INFO}


class Orchard:
    """``names`` is the list; ``declares`` whether it promises signals; ``channel`` what opens the stream for them.

    ``listed`` is called after each answer to a list, ``acknowledges`` makes the acknowledgement of a subscription.
    """

    def __init__(self, era, *, declares=True, channel=None):
        self.era = era
        self.names = ["pick_apples"]
        self.listed = lambda: None
        self._sessions = 0
        self._streams = {}
        self._deaf = set()
        self._capabilities = {"tools": {"listChanged": True} if declares else {}}
        channel = self.stream if channel is None else channel
        if era == "legacy":
            self.endpoint = legacy(initialize=self._initialize, tools__list=self._list, GET=channel)
        else:
            self.endpoint = modern(server__discover=self._discover, tools__list=self._list)
            self.endpoint.answers["subscriptions/listen"] = channel

    def add(self, *names):
        self.names = [*self.names, *names]

    def acknowledges(self, asked):
        """Return the acknowledgement of one subscription, or None to send none: there is nothing to tell of but tools."""
        wanted = asked.params["notifications"].get("toolsListChanged")
        return self.of(asked.id, ACKNOWLEDGED, notifications={"toolsListChanged": True} if wanted else {})

    @staticmethod
    def of(subscription, method, **params):
        """Return a notification of one subscription."""
        return {"jsonrpc": "2.0", "method": method, "params": {"_meta": {SUBSCRIPTION_ID: subscription}, **params}}

    def signal(self):
        for name in list(self._streams):
            if name not in self._deaf:
                self.send(name, self.changed(name))

    def changed(self, name):
        """Return the signal for one stream."""
        return {"jsonrpc": "2.0", "method": LIST_CHANGED} if self.era == "legacy" else self.of(name, LIST_CHANGED)

    def send(self, name, message):
        """Send a message on one stream: by the id of its subscription, or None for the newest GET stream."""
        self._streams[name].put(f"data: {json.dumps(message)}\n\n".encode())

    def cut(self):
        for stream in self._streams.values():
            stream.put(None)

    def stream(self, asked):
        name = asked.id if self.era == "modern" else len(self._streams)
        stream = self._streams[name] = queue.SimpleQueue()
        if self.era == "modern" and not asked.params["notifications"].get("toolsListChanged"):
            self._deaf.add(name)
        first = self.acknowledges(asked) if self.era == "modern" else None
        if first is not None:
            self.send(name, first)
        return Said(body=iter(stream.get, None), kind="text/event-stream")

    def _list(self, asked):
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in self.names]
        self.listed()
        return result(asked, {"tools": tools, **(HINTS if self.era == "modern" else {})})

    def _initialize(self, asked):
        self._sessions += 1
        agreed = {"protocolVersion": "2025-11-25", "capabilities": self._capabilities, "serverInfo": INFO}
        return result(asked, agreed, **{"Mcp-Session-Id": f"s-{self._sessions}"})

    def _discover(self, asked):
        return result(
            asked, {**HINTS, "supportedVersions": [MODERN], "capabilities": self._capabilities, "_meta": META}
        )

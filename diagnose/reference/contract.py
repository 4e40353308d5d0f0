"""The names under which the reference server says things of its own list, as a Meridian does."""

from __future__ import annotations

from typing import Any

#: The key in `_meta` of a handshake and of a list: an object with `revision` and `count`.
MANIFEST = "meridian/toolManifest"
#: The key in `_meta` of every modern result under which the server information stands (MCP 2026-07-28, basic).
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
#: The field of the server information that holds the revision.
REVISION_FIELD = "toolManifestRevision"
#: The key in `_meta` of the version of a modern request.
VERSION = "io.modelcontextprotocol/protocolVersion"

ToolDict = dict[str, Any]

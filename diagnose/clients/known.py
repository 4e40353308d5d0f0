"""Which entry is meant: by the id of the contract, or by the name that a client gives itself on the wire."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING

from diagnose.clients.lens import Lens
from diagnose.clients.playbook import CLIENTS

if TYPE_CHECKING:
    from diagnose.clients.entry import Client


def client(name: str | None) -> Client | None:
    """Return the entry for an id, a `clientInfo.name` or a user agent (`codex-mcp-client/0.171.0`); None if unknown.

    Ids go first: hosted Claude and Claude Desktop have been seen to give themselves each other's name.
    """
    word = (name or "").strip().lower()
    return _index().get(word) or _index().get(word.partition("/")[0].strip())


def lens_for(
    client_id: str | None,
    server_key: str | None,
    other_server_keys: Iterable[str] = (),
    *,
    carries: Collection[str] | None = None,
) -> Lens:
    """Return the lens of a client on the server with this key; of an unknown client, one that changes nothing.

    ``carries`` are the members of a definition that the view has, where it has not all (`MODEL_CARRIES`).
    """
    entry = client(client_id)
    others = tuple(key for key in dict.fromkeys(other_server_keys) if key != server_key)
    if entry is None:
        lens = Lens(client=client_id or "the client", server_key=server_key, other_keys=others)
    else:
        lens = Lens(
            client=entry.name,
            server_key=server_key,
            other_keys=others,
            naming=entry.naming,
            rewriting=entry.rewriting,
            cap=entry.limits.tools,
        )
    return lens if carries is None else lens.carrying(carries)


@cache
def _index() -> dict[str, Client]:
    ids = {entry.id: entry for entry in CLIENTS}
    names = {name.lower(): entry for entry in reversed(CLIENTS) for name in entry.wire_names}
    return {**names, **ids}

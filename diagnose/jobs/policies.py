"""What the client on this very machine is told by its configuration: which tools it lets through, and which it hides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from diagnose.jobs.clients import list_configured, place_of

if TYPE_CHECKING:
    from diagnose.clients.configuration import ToolList
    from diagnose.evidence.bundle import Bundle
    from diagnose.jobs.access import Surroundings
    from diagnose.observe.configured import ConfiguredClients


def with_policies(bundle: Bundle, around: Surroundings) -> Bundle:
    """Return the bundle with the client's lists as they stand in its files here, and the keys of its other servers.

    What the bundle says of either already stays. For a client of this machine only: the files of another one are not here.
    """
    entry = bundle.client
    if entry is None or entry.server_key is None:
        return bundle
    found = list_configured([entry.id], place_of(around.env), around.redactor).found
    lists = tuple(_lists(found, entry.server_key))
    others = dict.fromkeys(each.key for each in found.servers if each.used and each.key != entry.server_key)
    return replace(
        bundle,
        client=replace(
            entry,
            other_server_keys=entry.other_server_keys or tuple(others),
            allow=entry.allow or _names(lists, "allow"),
            deny=entry.deny or _names(lists, "deny"),
            approve=entry.approve or _names(lists, "approve", "ask"),
        ),
    )


def _names(lists: Iterable[ToolList], *kinds: str) -> tuple[str, ...]:
    return tuple(name for each in lists if each.kind in kinds for name in each.names)


def _lists(found: ConfiguredClients, key: str) -> Iterator[ToolList]:
    """Yield the lists of the entry that is used under this key, and those of the client as a whole."""
    for server in found.servers:
        if server.key == key and server.used:
            yield from server.lists
    for _, each in found.lists:
        yield each

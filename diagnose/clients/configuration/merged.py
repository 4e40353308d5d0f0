"""The servers of all files of one client, with what goes before what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from diagnose.clients.configuration.servers import ConfiguredServer, ToolList
from diagnose.clients.lens import Lens


def merged(servers: Iterable[ConfiguredServer], off: frozenset[str] = frozenset()) -> tuple[ConfiguredServer, ...]:
    """Mark what is shadowed: of one key the first counts, in the order given, that of the client's scopes.

    ``off`` are keys of a project's file that settings switch off.
    """
    first: dict[str, ConfiguredServer] = {}
    same: dict[tuple[str | None, tuple[str, ...]], str] = {}
    found = []
    for server in servers:
        disabled = server.disabled or (server.scope == "project" and server.key in off)
        before = first.setdefault(server.key, server)
        shadowed = None if before is server else before.scope
        twin = same.setdefault((server.url, server.command), server.key) if server.url or server.command else server.key
        same_as = None if twin == server.key else twin
        found.append(replace(server, disabled=disabled, shadowed_by=shadowed, same_as=same_as))
    return tuple(found)


def stale_names(lists: Iterable[ToolList], live: Sequence[str], lens: Lens) -> tuple[tuple[ToolList, str], ...]:
    """Return the names in lists of tools to which no live tool belongs any more, each with its list.

    A list of one server holds tools' own names or shown ones. Of a list for all servers only names with this server's
    prefix are looked at; those with a wildcard, or of the server as a whole, are no names of tools.
    """
    known = {form for name in live for form in (*lens.spellings(name), *lens.map([name]).shown.values())}
    known |= set(lens.map(live).shown.values())
    prefix = lens.forward("")
    found = []
    for each in lists:
        for name in each.names:
            bare = name.partition("(")[0]
            ours = each.key is not None or (len(bare) > len(prefix) > 0 and bare.startswith(prefix))
            if ours and "*" not in bare and bare not in known:
                found.append((each, name))
    return tuple(found)

"""The results of `clients list` and `clients show`: the document `diagnose.clients/1` and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import harmless
from diagnose.jobs.target import shown_url
from diagnose.report.document import json_document
from diagnose.report.layout import Page
from diagnose.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diagnose.clients.configuration import ConfiguredServer, ToolList
    from diagnose.evidence.redact import Redactor
    from diagnose.jobs.clients import ConfiguredLook
    from diagnose.observe.configured import FileRead

SCHEMA = "diagnose.clients/1"
_DOES = {"allow": "allows only", "deny": "leaves out", "approve": "needs no confirmation for", "ask": "asks before"}


def configured_json(look: ConfiguredLook, redactor: Redactor) -> str:
    """Return the servers of all files; of env and headers only the names are there."""
    found = look.found
    document = {
        **head(),
        "system": look.system,
        "servers": [_server(each) for each in found.servers],
        "lists": [{"client": client, **list_document(each), "source": each.source} for client, each in found.lists],
        "files": [_file(each) for each in found.files],
        "exitCode": look.exit_code,
    }
    return json_document(document, redactor)


def configured_text(look: ConfiguredLook, redactor: Redactor, *, width: int, colour: bool = False) -> str:
    """Return how many servers there are, then each under its client, then the files that could not be read."""
    page = Page(width=width, colour=colour)
    found = look.found
    read = [file for file in found.files if file.state == "read"]
    clients = len({server.client for server in found.servers})
    counted = [_many(len(found.servers), "server"), _many(clients, "client"), _many(len(read), "file")]
    lines = page.wrap(f"{counted[0]} of {counted[1]} in {counted[2]}")
    for client in dict.fromkeys([*(each.client for each in found.servers), *(name for name, _ in found.lists)]):
        lines += ["", page.ink(client, "strong")]
        for server in found.servers:
            if server.client == client:
                lines += _server_lines(server, page, redactor)
        for name, each in found.lists:
            if name == client:
                lines += page.wrap(_plain(f"{_list_words(each)}  ({each.source})", redactor), first="  ", rest="    ")
    lines += _file_lines(found.files, page, redactor)
    return "\n".join(lines)


def head() -> dict[str, Any]:
    """Return the keys that every document of these begins with."""
    return {"schema": SCHEMA, "tool": {"name": "diagnose", "version": __version__}}


def list_document(each: ToolList) -> dict[str, Any]:
    """Return a list of tool names as JSON."""
    return {"kind": each.kind, "member": each.member, "scope": each.scope, "names": list(each.names)}


def _server(server: ConfiguredServer) -> dict[str, Any]:
    return {
        "client": server.client,
        "key": server.key,
        "scope": server.scope,
        "project": server.project,
        "source": server.source,
        "transport": server.transport,
        "command": _command(server),
        "url": shown_url(server.url) if server.url else None,
        "env": list(server.env),
        "headers": list(server.headers),
        "used": server.used,
        "disabled": server.disabled,
        "shadowedBy": server.shadowed_by,
        "sameAs": server.same_as,
        "lists": [list_document(each) for each in server.lists],
    }


def _file(file: FileRead) -> dict[str, Any]:
    return {"client": file.client, "path": file.path, "scope": file.scope, "state": file.state, "why": file.why}


def _command(server: ConfiguredServer) -> str | None:
    import shlex

    return shlex.join(server.command) if server.command else None


def _server_lines(server: ConfiguredServer, page: Page, redactor: Redactor) -> Iterator[str]:
    where = _command(server) or (shown_url(server.url) if server.url else "neither command nor address")
    state = (
        "" if server.used else ("  switched off" if server.disabled else f"  shadowed by {server.shadowed_by} scope")
    )
    yield from page.wrap(
        _plain(f"{server.key}  {server.transport}  {where}{state}", redactor), first="  ", rest="      "
    )
    project = f" for {server.project}" if server.project else ""
    details = [f"{server.scope} scope{project}, {server.source}"]
    if server.env or server.headers:
        names = [*(f"{name} (env)" for name in server.env), *(f"{name} (header)" for name in server.headers)]
        details.append(f"values not shown: {', '.join(names)}")
    if server.same_as:
        details.append(f"the same server as {server.same_as}")
    details += [_list_words(each) for each in server.lists]
    for detail in details:
        yield from page.wrap(_plain(detail, redactor), first="    ", rest="      ")


def _list_words(each: ToolList) -> str:
    return f"{each.member} {_DOES[each.kind]}: {', '.join(each.names)}"


def _file_lines(files: tuple[FileRead, ...], page: Page, redactor: Redactor) -> Iterator[str]:
    bad = [file for file in files if file.state == "unreadable"]
    if bad:
        yield ""
    for file in bad:
        yield from page.wrap(_plain(f"not read: {file.path}: {file.why}", redactor), rest="  ")
    absent = sum(file.state == "absent" for file in files)
    if absent:
        yield from ["", *page.wrap(f"{_many(absent, 'documented file')} not there; --format json names them")]


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _plain(text: str, redactor: Redactor) -> str:
    return harmless(redactor.text(text))

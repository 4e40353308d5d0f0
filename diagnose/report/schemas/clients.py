"""The schemas of `clients/1` and `names/1`."""

from __future__ import annotations

from diagnose.clients.config_file import Scope, System
from diagnose.clients.configuration.servers import ListKind, Transport
from diagnose.clients.entry import Answer, Confidence
from diagnose.clients.lens.naming import Twins
from diagnose.clients.measured import Answer as Shown
from diagnose.report.schemas.parts import (
    BOOL,
    COUNT,
    MOMENT,
    STAMP,
    TARGET,
    TEXT,
    described,
    document,
    nullable,
    record,
    rows,
    words,
)

_EXIT = {"type": "integer"}
_SCOPE = words(Scope)
_LIST = record(
    kind=words(ListKind),
    member=described(TEXT, "The key that holds it."),
    scope=_SCOPE,
    names=rows(TEXT),
)
_SERVER = record(
    client=TEXT,
    key=TEXT,
    scope=_SCOPE,
    project=described(nullable(TEXT), "The project folder that a part of the user's file is for."),
    source=described(TEXT, "The file."),
    transport=words(Transport),
    command=nullable(TEXT),
    url=described(nullable(TEXT), "Without userinfo and query values."),
    env=described(rows(TEXT), "Names; values are never shown."),
    headers=described(rows(TEXT), "Names; values are never shown."),
    used=described(BOOL, "Neither switched off nor shadowed."),
    disabled=BOOL,
    shadowedBy=described(nullable(_SCOPE), "The scope whose server of this key goes before."),
    sameAs=described(nullable(TEXT), "Another key with the same address or command."),
    lists=rows(_LIST),
)
_ALL_LISTS = record(client=TEXT, source=TEXT, **_LIST["properties"])
_FILE = record(client=TEXT, path=TEXT, scope=_SCOPE, state=words(("read", "absent", "unreadable")), why=nullable(TEXT))
_SAID = {"text": TEXT, "source": TEXT, "confidence": words(Confidence)}
_STATEMENT = record(**_SAID)
_BEHAVIOUR = record(answer=words(Answer), since=nullable(TEXT), **_SAID)
_VIEW = record(
    kind=words(("command", "api", "screen", "log")),
    what=TEXT,
    shows=TEXT,
    session=described(words(("new", "running", "either")), "Whose list it is."),
    source=TEXT,
    confidence=words(Confidence),
)
_MEASURED = record(
    version=TEXT,
    date=TEXT,
    setup=described(TEXT, "What to tell scripts/measure_clients.py to have it again."),
    how=described(TEXT, "In which of its ways it was measured; empty where it has one."),
    results=rows(record(question=TEXT, name=TEXT, answer=words(Shown), says=TEXT)),
)
_ENTRY = record(
    id=TEXT,
    name=TEXT,
    wireNames=rows(TEXT),
    hosted=described(BOOL, "The vendor keeps the list."),
    transports=rows(TEXT),
    listChanged=_BEHAVIOUR,
    cursors=_BEHAVIOUR,
    modern=described(_BEHAVIOUR, "Whether it speaks 2026-07-28."),
    refresh=described(rows(_STATEMENT), "The least disturbing first."),
    verify=rows(_STATEMENT),
    limits=record(tools=nullable(COUNT), description=nullable(COUNT), statement=nullable(_STATEMENT)),
    names=record(pattern=TEXT, limit=nullable(COUNT), twins=words(Twins)),
    views=rows(_VIEW),
    files=rows(
        record(paths=record(**dict.fromkeys(words(System)["enum"], TEXT)), scope=_SCOPE, keys=TEXT, documented=BOOL)
    ),
    notes=rows(_STATEMENT),
    reports=rows(TEXT),
    measured=described(rows(_MEASURED), "What `clients bench` measured, the newest version first."),
)

CLIENTS = {
    **document(
        "clients/1",
        {"tool": STAMP},
        {
            "system": words(System),
            "servers": rows(_SERVER),
            "lists": described(rows(_ALL_LISTS), "Lists of shown names that hold for all servers."),
            "files": rows(_FILE),
            "exitCode": _EXIT,
            "client": described(_ENTRY, "An entry of the playbook: `clients show`."),
        },
    ),
    "oneOf": [{"required": ["system", "servers", "lists", "files", "exitCode"]}, {"required": ["client"]}],
}
NAMES = document(
    "names/1",
    {
        "tool": STAMP,
        "at": MOMENT,
        "target": TARGET,
        "client": TEXT,
        "serverKey": TEXT,
        "otherServerKeys": rows(TEXT),
        "pattern": TEXT,
        "count": COUNT,
        "names": rows(
            record(
                name=TEXT,
                shown=TEXT,
                cut=BOOL,
                tooLong=described(BOOL, "Longer than the client lets be called."),
            )
        ),
        "collisions": rows(
            record(
                shown=TEXT,
                names=rows(TEXT),
                otherServerKey=described(nullable(TEXT), "A server whose tools would be shown so, too."),
                wins=described(nullable(TEXT), "The tool that is reached, where that is known."),
            )
        ),
        "stale": described(
            rows(record(name=TEXT, kind=words(ListKind), member=TEXT, source=TEXT)),
            "Names in the client's configuration that no live tool has.",
        ),
        "exitCode": _EXIT,
    },
)

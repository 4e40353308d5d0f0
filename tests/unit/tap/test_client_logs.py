"""Logs of clients, in the forms in which people have posted them, read as recordings of one server."""

import contextlib
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import diagnose

from diagnose.errors import InputError
from diagnose.judge.timeline import read
from diagnose.tap.captures import read_capture

KEY = b"k" * 32
PLANTED = "Plum-7141-Xylophone"
TOOL = {"name": "pick_apples", "inputSchema": {"type": "object"}}
OTHER = {"name": "press_cider", "inputSchema": {"type": "object"}}
CAPABILITIES = {"tools": {"listChanged": True}}


def hello(name, number=0):
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": name, "version": "1.138.0"}}
    return {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}


def welcome(number=0):
    info = {"name": "orchard", "version": "1"}
    result = {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "serverInfo": info}
    return {"jsonrpc": "2.0", "id": number, "result": result}


def listed(number, *tools):
    asked = {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": {}}
    return [("client", asked), ("server", {"jsonrpc": "2.0", "id": number, "result": {"tools": list(tools)}})]


CALL = {
    "jsonrpc": "2.0",
    "id": 9,
    "method": "tools/call",
    "params": {"name": "pick_apples", "arguments": {"a": PLANTED}},
}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


def talk(name):
    return [
        ("client", hello(name)),
        ("server", welcome()),
        ("client", {"jsonrpc": "2.0", "method": "notifications/initialized"}),
        *listed(1, TOOL),
        ("client", CALL),
        ("server", {"jsonrpc": "2.0", "id": 9, "result": {"content": [{"type": "text", "text": PLANTED}]}}),
    ]


def clock(second, zone=""):
    between = "T" if zone else " "
    return f"2026-11-30{between}12:{second // 60:02}:{second % 60:02}.{second % 1000:03}{zone}"


def vscode(said, *before):
    ways = {"client": "[editor -> server]", "server": "[server -> editor]"}
    lines = [f"{clock(0)} [info] Connection state: Starting", f"{clock(0)} [warning] [server stderr] ready", *before]
    return [
        *lines,
        *(f"{clock(n)} [trace] {ways[side]} {json.dumps(message)}" for n, (side, message) in enumerate(said)),
    ]


def desktop(said, server="orchard"):
    head = [f"{clock(0, 'Z')} [{server}] [info] Initializing server... {{ metadata: undefined }}"]
    lines = (
        f"{clock(n, 'Z')} [{server}] [info] Message from {side}: {json.dumps(message)} {{ metadata: undefined }}"
        for n, (side, message) in enumerate(said)
    )
    return [*head, "a line of the server's stderr", *lines]


def old_desktop(said):
    """The joint log of all servers, of 2024: the level stands before the name."""
    return [
        f"{clock(n, 'Z')} [info] [orchard] Message from {side}: {json.dumps(message)}"
        for n, (side, message) in enumerate(said)
    ]


def librechat(said, user=""):
    ways = {"client": "sending", "server": "received"}
    return [
        f"{clock(n, 'Z')} debug: [MCP]{user}[orchard] Transport {ways[side]}: {json.dumps(message)}"
        for n, (side, message) in enumerate(said)
    ]


def librechat_console(said):
    return [
        json.dumps({"timestamp": clock(n, "Z"), "level": "debug", "message": line.split("debug: ", 1)[1]})
        for n, line in enumerate(librechat(said))
    ]


def read_it(lines, server_key=None):
    data = "\n".join(lines).encode() + b"\n"
    return read_capture(data, lambda: KEY, source="log", server_key=server_key)


FORMS = {
    "VS Code": (vscode, "vscode"),
    "Claude Desktop": (desktop, "claude-desktop"),
    "Claude Desktop, of 2024": (old_desktop, "claude-desktop"),
    "LibreChat": (librechat, "librechat"),
    "LibreChat, with a user": (lambda said: librechat(said, "[User: 6512bd43d9ca]"), "librechat"),
    "LibreChat, on the console": (librechat_console, "librechat"),
}


@pytest.mark.parametrize(("form", "client"), FORMS.values(), ids=FORMS)
def test_messages_are_those_of_the_session(form, client):
    recording = read_it(form(talk("some-client")))
    assert recording.header.client["id"] == client
    line = read(recording)
    (session,) = line.sessions
    assert session.client == "some-client"
    (walk,) = session.walks
    assert walk.whole
    assert walk.surface.names == ("pick_apples",)
    assert list(session.tallies) == ["pick_apples"]


@pytest.mark.parametrize(("form", "client"), FORMS.values(), ids=FORMS)
def test_arguments_and_results_are_left_out(form, client):
    recording = read_it(form(talk("some-client")))
    assert PLANTED not in repr(recording)


def test_what_a_client_did_not_heed_is_seen(tmp_path):
    log = tmp_path / "MCP orchard.log"
    said = [*talk("Visual Studio Code"), ("server", CHANGED)]
    idle = f"{clock(120)} [trace] [editor -> server] " + json.dumps({"jsonrpc": "2.0", "id": 30, "method": "ping"})
    log.write_text("\n".join([*vscode(said), idle]), encoding="utf-8")
    ran = diagnose("triage", "--recording", str(log), "--format", "json")
    document = json.loads(ran.out)
    assert document["verdict"]["cause"] == "client-ignores-signal", ran.out
    assert any("client's log keeps no connections" in limit for limit in document["verdict"]["limits"])


def test_a_server_that_was_stopped_and_started_again_has_two_sessions():
    again = vscode([("client", hello("x", 0)), ("server", welcome(0)), *listed(1, TOOL, OTHER)])
    stopped = f"{clock(7)} [info] Connection state: Stopped"
    line = read(read_it([*vscode(talk("x")), stopped, *again]))
    assert [walk.surface.names for session in line.sessions for walk in session.walks] == [
        ("pick_apples",),
        ("pick_apples", "press_cider"),
    ]


def test_of_several_servers_one_must_be_named():
    joint = [*desktop(talk("x")), *desktop([("client", hello("x")), *listed(1, OTHER)], server="pear")]
    with pytest.raises(InputError, match=r"2 servers \(orchard, pear\)") as error:
        read_it(joint)
    assert "--server-key" in error.value.diagnostics()
    with pytest.raises(InputError, match="no server 'plum'"):
        read_it(joint, "plum")
    (session,) = read(read_it(joint, "orchard")).sessions
    assert [walk.surface.names for walk in session.walks] == [("pick_apples",)]


@pytest.mark.parametrize("cut", ["valid JSON", "no JSON"])
def test_an_answer_that_the_client_cut_accuses_nobody(cut):
    asked, answer = listed(1, {**TOOL, "description": "x" * 50})
    lines = desktop([("client", hello("x")), ("server", welcome()), asked])
    text = json.dumps(answer[1])
    text = (
        text.replace("x" * 50, "x...[14696 chars truncated]...x")
        if cut == "valid JSON"
        else f"{text[:60]}... [truncated]"
    )
    lines.append(f"{clock(3, 'Z')} [orchard] [info] Message from server: {text}")
    recording = read_it([*lines, f"{clock(90, 'Z')} [orchard] [info] Message from client: " + json.dumps(CALL)])
    (session,) = read(recording).sessions
    assert list(session.walks) == []
    assert any("1 messages were cut" in note for note in recording.notes)


CURSOR = [
    f"{clock(0)} [info] orchard: Handling CreateClient action",
    f"{clock(1)} [info] orchard: Successfully connected to streamableHttp server",
    f"{clock(2)} [info] listOfferings: Found 3 tools",
    f"{clock(2)} [info] orchard: Found 3 tools, 0 resources, and 0 resource templates",
    f"{clock(9)} [info] orchard: Handling ReloadClient action",
    f"{clock(9)} [error] orchard: Client error for command {PLANTED}",
]
LIBRECHAT = [
    f"{clock(0, 'Z')} info: [MCP][orchard] Initialized in: 1648ms",
    f"{clock(1, 'Z')} info: [MCP][orchard] Tool list changed; refreshed 13 tools",
    f"{clock(2, 'Z')} debug: [MCP Cache] Updated 13 tools for server orchard (app-level)",
    f"{clock(3, 'Z')} debug: [MCP][orchard] Transport sending: method=tools/list id=2",
    f"{clock(3, 'Z')} debug: [MCP][orchard] Transport received: method=response id=2",
]


CLAUDE_CODE = [
    json.dumps({key: text, "timestamp": clock(n, "Z"), "sessionId": "9e14", "cwd": "/home/x"})
    for n, (key, text) in enumerate(
        [
            ("debug", f'HTTP transport options: {{"headers":{{"X-Key":"{PLANTED}"}}}}'),
            ("debug", "Successfully connected (transport: http) in 264ms"),
            ("debug", "Received tools/list_changed notification, refreshing tools"),
            ("error", f"HTTP connection dropped {PLANTED}"),
            ("debug", "HTTP connection closed after 5s (cleanly)"),
        ]
    )
]


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (CLAUDE_CODE, ["the log: opened http", "the log: was told of a change", "the log: closed"]),
        (CURSOR, ["the log: opened streamableHttp", "the log: read 3 tools", "user reload"]),
        (
            LIBRECHAT,
            [
                "the log: was told of a change, has 13 tools",
                "the log: keeps 13 tools",
                "the log: sending tools/list",
                "the log: received response",
            ],
        ),
    ],
)
def test_a_log_without_messages_tells_what_the_client_did(log, told):
    recording = read_it(log)
    assert [event.text for event in recording.events if event.kind == "action"] == told
    assert {event.kind for event in recording.events} <= {"action", "end"}
    assert PLANTED not in repr(recording)


@pytest.mark.parametrize("log", [vscode(talk("x")), CURSOR], ids=["VS Code", "Cursor"])
def test_a_log_may_be_collected_and_tells_the_same(tmp_path, log):
    file = tmp_path / "client.log"
    file.write_text("\n".join([*log, f"{clock(9)} [info] {PLANTED}"]), encoding="utf-8")
    case = str(tmp_path / "case.zip")
    assert diagnose("collect", "--recording", str(file), "-o", case).code == 0
    assert PLANTED.encode() not in b"".join(zipfile.ZipFile(case).read(name) for name in ("bundle.json", "wire.jsonl"))
    told, said = (
        json.loads(diagnose("triage", *args, "--format", "json").out) for args in ((case,), ("--recording", str(file)))
    )
    assert told["verdict"] == said["verdict"]
    assert any("log" in limit for limit in told["verdict"]["limits"])


def test_times_without_a_zone_are_the_same_on_every_machine(monkeypatch):
    import time

    starts = set()
    for zone in ("UTC", "Asia/Tokyo"):
        monkeypatch.setenv("TZ", zone)
        if hasattr(time, "tzset"):
            time.tzset()
        starts.add(read_it(vscode(talk("x"))).header.started_at)
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()
    assert starts == {"2026-11-30T12:00:00.000Z"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello\nworld\n",
        "2026-11-30 12:00:00.000 [info] Connection state: Stopped\n",
        '{"timestamp": 1, "message": "x"}\n',
    ],
)
def test_other_text_is_no_log(text):
    with pytest.raises(InputError):
        read_capture(text.encode(), lambda: KEY)


@given(
    st.lists(
        st.sampled_from(
            [
                *vscode(talk("x")),
                *desktop(talk("x")),
                *librechat(talk("x")),
                *CURSOR,
                *LIBRECHAT,
                *CLAUDE_CODE,
                "",
                "{" * 3000,
            ]
        ).flatmap(lambda line: st.integers(0, len(line)).map(lambda end: line[:end])),
        max_size=12,
    )
)
def test_whatever_is_cut_raises_nothing_else(lines):
    with contextlib.suppress(InputError):
        read(read_it(lines))

"""Planted secrets: in no recording, whatever they travel in. What the tool list depends on stays."""

import json
import sys

import pytest
from support.tapping import recording_of

from diagnose.evidence.recording import Recording
from diagnose.tap.frames import CLIENT, FACT, SERVER, STDERR, Frame
from diagnose.tap.stdio_record import StdioRecord

PLANTED = "Plum-7141-Xylophone"
TOOL = {
    "name": "pick_apples",
    "description": "Pick.",
    "inputSchema": {"type": "object", "properties": {"row": {"type": "integer"}}},
}


def stdio(*lines, **options):
    return recording_of(
        [Frame(kind, number, 0, data) for number, (kind, data) in enumerate(lines)], record=StdioRecord, **options
    )


def rpc(value, end=b"\n"):
    return json.dumps({"jsonrpc": "2.0", **value}).encode() + end


def call(**arguments):
    return rpc({"id": 7, "method": "tools/call", "params": {"name": "pick_apples", "arguments": arguments}})


CARRIERS = {
    "argument": [(CLIENT, call(row=PLANTED))],
    "argument in depth": [(CLIENT, call(row={"a": [PLANTED]}))],
    "argument of CR LF": [(CLIENT, call(row=PLANTED)[:-1] + b"\r\n")],
    "cut line": [(CLIENT, call(row=PLANTED)[:-9])],
    "joined objects": [(CLIENT, call(row=PLANTED)[:-1] + call(row=PLANTED))],
    "invalid bytes": [(CLIENT, call(row=PLANTED).replace(b"Plum", b"\xff Plum"))],
    "batch": [(CLIENT, b"[" + call(row=PLANTED)[:-1] + b"]\n")],
    "meta": [(CLIENT, rpc({"id": 7, "method": "tools/list", "params": {"_meta": {"orchard.test/auth": PLANTED}}}))],
    "result": [
        (CLIENT, call()),
        (
            SERVER,
            rpc(
                {
                    "id": 7,
                    "result": {
                        "content": [{"type": "text", "text": PLANTED}],
                        "structuredContent": {PLANTED[:4]: PLANTED},
                    },
                }
            ),
        ),
    ],
    "result of nobody's request": [
        (SERVER, rpc({"id": 9, "result": {"content": [{"type": "text", "text": PLANTED}], "x": PLANTED}}))
    ],
    "tool's error": [
        (CLIENT, call()),
        (SERVER, rpc({"id": 7, "result": {"isError": True, "content": [{"type": "text", "text": PLANTED}]}})),
    ],
    "protocol error": [
        (CLIENT, call()),
        (SERVER, rpc({"id": 7, "error": {"code": -32603, "message": f"no {PLANTED} here", "data": {"was": PLANTED}}})),
    ],
    "error of the list": [
        (CLIENT, rpc({"id": 7, "method": "tools/list"})),
        (SERVER, rpc({"id": 7, "error": {"code": 1, "message": PLANTED}})),
    ],
    "resource": [(CLIENT, rpc({"id": 7, "method": "resources/read", "params": {"uri": f"orchard://{PLANTED}"}}))],
    "prompt": [(CLIENT, rpc({"id": 7, "method": "prompts/get", "params": {"name": "x", "arguments": {"a": PLANTED}}}))],
    "sampling": [(SERVER, rpc({"id": 7, "method": "sampling/createMessage", "params": {"messages": [PLANTED]}}))],
    "answer to elicitation": [
        (SERVER, rpc({"id": 7, "method": "elicitation/create"})),
        (CLIENT, rpc({"id": 7, "result": {"content": {"a": PLANTED}}})),
    ],
    "log notification": [
        (SERVER, rpc({"method": "notifications/message", "params": {"level": "info", "data": PLANTED}}))
    ],
    "progress": [(SERVER, rpc({"method": "notifications/progress", "params": {"progress": 1, "message": PLANTED}}))],
    "log of an argument": [(CLIENT, call(row=PLANTED)), (STDERR, f"calling with row={PLANTED}\n".encode())],
    "log of a result": [
        (SERVER, rpc({"id": 1, "result": {"content": [{"type": "text", "text": PLANTED}]}})),
        (STDERR, f"said {PLANTED}\n".encode()),
    ],
    "banner of an environment value": [(SERVER, f"connected with {PLANTED}\n".encode())],
    "log of an environment value": [(STDERR, f"connected with {PLANTED}\n".encode())],
    "description of a tool": [
        (CLIENT, rpc({"id": 7, "method": "tools/list"})),
        (SERVER, rpc({"id": 7, "result": {"tools": [{**TOOL, "description": f"Use {PLANTED}."}]}})),
    ],
    "unknown member": [(SERVER, rpc({"id": 7, "extra": PLANTED}))],
    "text alone": [(SERVER, json.dumps(PLANTED).encode() + b"\n")],
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_planted_secret_is_in_no_recording(carrier):
    known = (PLANTED,) if any(word in carrier for word in ("environment", "description")) else ()
    recording = stdio(*CARRIERS[carrier], secrets=known)
    assert recording.events
    assert PLANTED[5:] not in repr(recording)
    assert PLANTED[:4] not in repr(recording).replace("'Plum'", "") or carrier == "result"


def test_payloads_are_kept_when_asked_for_but_for_secrets():
    recording = stdio(*CARRIERS["argument"], (CLIENT, call(password=PLANTED, row="ordinary")), payloads=True)
    assert recording.events[0].message["params"]["arguments"] == {"row": PLANTED}
    assert recording.events[1].message["params"]["arguments"] == {"password": "***", "row": "ordinary"}


def test_names_and_types_of_arguments_stay_and_equal_values_are_tellable():
    asked = stdio((CLIENT, call(row=3, tree="elm", list=["elm"])), (CLIENT, call(tree="elm", none=None)))
    first, second = (e.message["params"]["arguments"] for e in asked.events)
    types = {name: value["$omitted"]["type"] for name, value in {**first, **second}.items()}
    assert types == {"row": "number", "tree": "string", "list": "array", "none": "null"}
    assert first["tree"] == second["tree"] != first["list"]
    assert first["tree"]["$omitted"]["bytes"] == 5


def test_what_the_list_depends_on_stays_as_it_was():
    hello = {
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "clientInfo": {"name": "c", "version": "1"}, "capabilities": {}},
    }
    welcome = {
        "id": 0,
        "result": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "s", "version": "1"},
            "_meta": {"meridian/toolManifest": {"revision": "a"}},
        },
    }
    asked = {
        "id": 1,
        "method": "tools/list",
        "params": {
            "cursor": "page-2",
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "progressToken": 4},
        },
    }
    listed = {"id": 1, "result": {"tools": [TOOL], "nextCursor": "page-3", "ttlMs": 600.0, "cacheScope": "private"}}
    signal = {
        "method": "notifications/tools/list_changed",
        "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": 3}},
    }
    sent = [(CLIENT, hello), (SERVER, welcome), (CLIENT, asked), (SERVER, listed), (SERVER, signal)]
    recording = stdio(*((side, rpc(value)) for side, value in sent))
    assert [e.message for e in recording.events] == [{"jsonrpc": "2.0", **value} for _, value in sent]


def test_what_a_call_came_to_stays():
    tag = '<cache_invalidation cause="pick_apples" domains="orchard.*" />'
    answer = {
        "id": 7,
        "result": {
            "isError": False,
            "resultType": "complete",
            "content": [{"type": "text", "text": tag}, {"type": "text", "text": "done"}],
        },
    }
    refused = {"id": 7, "error": {"code": -32602, "message": "Unknown tool: pick_apples"}}
    recording = stdio((CLIENT, call()), (SERVER, rpc(answer)), (CLIENT, call()), (SERVER, rpc(refused)))
    result = recording.events[1].message["result"]
    assert (result["isError"], result["resultType"], result["content"][0]) == (
        False,
        "complete",
        {"type": "text", "text": tag},
    )
    assert "$omitted" in result["content"][1]["text"]
    assert recording.events[3].message["error"] == refused["error"]


def test_a_definition_that_held_a_secret_keeps_its_digest():
    from diagnose.surface import Tool

    secret = {**TOOL, "description": "Use sk_live_abcdefgh12345678."}
    asked = rpc({"id": 7, "method": "tools/list"})
    recording = stdio((CLIENT, asked), (SERVER, rpc({"id": 7, "result": {"tools": [TOOL, secret]}})))
    plain, hidden = recording.events[1].message["result"]["tools"]
    assert plain == TOOL
    assert hidden["$redacted"] is True
    assert Tool.recorded(hidden).digest == Tool.of(secret).digest


def test_lines_that_a_strict_reader_refuses_are_raw_and_still_tell_why():
    odd = [b"starting up\n", call()[:-1] + b"\r\n", b'{"a": "\xff"}\n', call()[:-1] + call()]
    recording = stdio(*((SERVER, line) for line in odd))
    assert [e.kind for e in recording.events] == ["raw"] * 4
    assert recording.events[0].data == b"starting up"
    assert recording.events[1].data.endswith(b"\r\n")
    assert b"\xff" in recording.events[2].data
    assert recording.events[3].data.count(b'"jsonrpc":') == 2


def test_the_ends_of_a_process_are_told():
    facts = [
        (FACT, json.dumps({"do": "process", "event": "start"}).encode()),
        (SERVER, b"{}"),
        (FACT, json.dumps({"do": "process", "event": "exit", "code": 3}).encode()),
    ]
    recording = stdio(*facts)
    assert [(e.kind, e.event, e.code) for e in recording.events] == [
        ("process", "start", None),
        ("message", None, None),
        ("process", "exit", 3),
    ]


SERVER_THAT_LEAKS = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    print("got", line, os.environ["ORCHARD_TOKEN"], *sys.argv[1:], file=sys.stderr)
    said = asked["params"]["arguments"]["pin"] + os.environ["ORCHARD_TOKEN"]
    print(json.dumps({"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": said}]}}), flush=True)
"""


def test_nothing_leaks_through_the_whole_program(tap):
    secrets = ["env-Plum-1", "arg-Plum-2", "flag-Plum-3", "head-Plum-4"]
    command = [
        sys.executable,
        "-c",
        SERVER_THAT_LEAKS,
        f"--api-key={secrets[2]}",
        "--header",
        f"X-Api-Key: {secrets[3]}",
    ]
    out, err, code = tap.run(call(pin=secrets[1]), *command, env={**tap.env, "ORCHARD_TOKEN": secrets[0]})
    assert code == 0
    assert secrets[1].encode() in out
    assert all(secret.encode() in err for secret in secrets), "the server's own words pass unchanged"
    text = tap.path.read_text()
    assert "got" in text
    assert not [secret for secret in secrets if secret in text]
    assert isinstance(tap.recording(), Recording)

"""The ways into a replay, as the client of an SDK and as plain programs meet them."""

import asyncio
import http.client
import json
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from diagnose.evidence.recording import SCHEMA, Recording
from diagnose.jobs.evidence import read_recording
from diagnose.reference.replay.door_http import ReplayDoor
from diagnose.reference.replay.player import Player
from diagnose.reference.replay.tape import tape_of

SESSIONS = Path(__file__).parents[3] / "recordings" / "sessions"


@contextmanager
def replayed(recording):
    tape = tape_of(recording)
    door = ReplayDoor(socket.create_server(("127.0.0.1", 0)), Player(tape, longest=0.05))
    door.start()
    try:
        yield f"http://127.0.0.1:{door.server_address[1]}{tape.path}"
    finally:
        door.shutdown()
        door.server_close()


def session(name):
    return read_recording(str(SESSIONS / f"{name}.jsonl"))


async def use(url, mode, *, until_told=False):
    """List, wait for a signal if there is to be one, and list again, as a program with the Python SDK does."""
    from mcp import Client

    told, names, failures = asyncio.Event(), [], []

    async def hear(message):
        if "ListChanged" in type(message).__name__:
            told.set()

    async with Client(url, mode=mode, message_handler=hear) as client:
        for _ in range(2):
            try:
                names.append([tool.name for tool in (await client.list_tools()).tools])
            except Exception as error:  # noqa: BLE001 - what it is told is the point
                failures.append(str(error))
            if until_told:
                async with asyncio.timeout(20):
                    await told.wait()
    return names, failures


def test_a_signal_that_one_client_ignored_reaches_another_one():
    with replayed(session("02-codex-ignores-signal")) as url:
        names, failures = asyncio.run(use(url, "legacy", until_told=True))
    assert names == [["pick_apples", "prune_tree", "ripen"]]
    [failure] = failures
    assert "This is a replay of 02-codex-ignores-signal.jsonl" in failure
    assert "the list has changed" in failure


def test_a_lost_session_is_lost_again():
    with replayed(session("06-py1-session-lost")) as url:
        names, [failure] = asyncio.run(use(url, "legacy"))
    assert names == [["pick_apples", "prune_tree", "ripen"]]
    assert "Session not found" in failure or "404" in failure or "terminated" in failure.lower()


@pytest.mark.parametrize("mode", ["auto", "2026-07-28"])
def test_a_modern_server_answers_in_its_era(mode):
    with replayed(session("04-py2-inside-ttl")) as url:
        names, failures = asyncio.run(use(url, mode))
    assert (names[0], failures) == (["pick_apples", "prune_tree", "ripen"], [])


def ask(url, verb, message=None, path=None, **headers):
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=20)
    try:
        body = None if message is None else json.dumps(message)
        connection.request(verb, path or where.path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def recorded(*events):
    header = {"schema": SCHEMA, "transport": "http"}
    return Recording.of_objects([header, *({"t": float(t), **event} for t, event in enumerate(events))])


def posted(channel, message, **fields):
    return {"from": "client", "kind": "request", "method": "POST", "path": "/x", "channel": channel, **fields} | {
        "message": message
    }


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
REFUSED = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": "no"}}


def test_statuses_and_headers_are_those_of_the_server_without_the_way_to_it():
    headers = {
        "content-type": "application/json",
        "www-authenticate": 'Bearer resource_metadata="https://orchard.test/m"',
        "set-cookie": "fp:1",
        "server": "orchard",
    }
    refused = {"from": "server", "kind": "response", "channel": "h1", "status": 401, "headers": headers}
    with replayed(recorded(posted("h1", LIST), {**refused, "message": REFUSED})) as url:
        status, got, body = ask(url, "POST", {**LIST, "id": "q"})
    assert (status, json.loads(body)) == (401, {**REFUSED, "id": "q"})
    assert got["www-authenticate"] == "Bearer"
    assert not {"server", "set-cookie"} & {name.lower() for name in got}


def test_a_stream_that_was_cut_is_cut_again():
    opened = {"from": "tap", "kind": "stream-open", "channel": "h1", "status": 200, "purpose": "response"}
    opened["headers"] = {"content-type": "text/event-stream"}
    closed = {"from": "server", "kind": "stream-close", "channel": "h1", "by": "server", "clean": False}
    with replayed(recorded(posted("h1", LIST), opened, closed)) as url, pytest.raises(http.client.IncompleteRead):
        ask(url, "POST", LIST)


def test_over_http_with_sse_a_message_is_accepted_and_answered_on_the_stream():
    got = {"from": "client", "kind": "request", "method": "GET", "path": "/sse", "channel": "h1"}
    opened = {"from": "tap", "kind": "stream-open", "channel": "h1", "status": 200, "purpose": "get"}
    stream = {"channel": "h1", "session": "fp:1", "from": "server"}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
    recording = recorded(
        {**got, "headers": {"accept": "text/event-stream"}},
        {**opened, "headers": {"content-type": "text/event-stream"}},
        {**stream, "kind": "raw", "text": "event: endpoint\ndata: /messages?s=1"},
        posted("h2", LIST, session="fp:1"),
        {"from": "server", "kind": "response", "status": 202, "channel": "h2", "session": "fp:1"},
        {**stream, "message": answer},
    )
    with replayed(recording) as url:
        where = urlsplit(url)
        assert where.path == "/sse"
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=20)
        connection.request("GET", "/sse", headers={"Accept": "text/event-stream"})
        events = connection.getresponse()
        assert [events.readline(), events.readline()] == [b"event: endpoint\n", b"data: /messages?s=1\n"]
        assert ask(url, "POST", {**LIST, "id": 7}, "/messages?s=1")[0] == 202
        said = b""
        while b"}}\r\n" not in said:
            said += events.readline()
        connection.close()
    assert json.loads(said.split(b"data: ")[1]) == {**answer, "id": 7}


@pytest.mark.parametrize(
    ("verb", "message", "path", "status"),
    [
        ("GET", None, None, 405),
        ("DELETE", None, None, 200),
        ("GET", None, "/.well-known/oauth-protected-resource", 404),
        ("POST", {"jsonrpc": "2.0", "method": "notifications/initialized"}, None, 202),
        ("POST", {"jsonrpc": "2.0", "id": 5, "method": "ping"}, None, 200),
        ("POST", None, None, 404),
    ],
)
def test_what_was_not_recorded_is_said_to_be_so(verb, message, path, status):
    answer = {"from": "server", "kind": "response", "channel": "h1", "status": 200, "message": {**REFUSED}}
    with replayed(recorded(posted("h1", LIST), answer)) as url:
        came, _, body = ask(url, verb, message, path)
    assert came == status
    assert status == 202 or b"This is a replay" in body


@pytest.mark.parametrize("headers", [{"Host": "orchard.test"}, {"Origin": "https://orchard.test"}, {"Origin": "null"}])
def test_a_page_of_a_stranger_is_told_nothing(headers):
    with replayed(session("04-py2-inside-ttl")) as url:
        status, _, body = ask(url, "POST", LIST, **headers)
    assert (status, b"tools" in body) == (403, False)


def program(*words, **options):
    return subprocess.run(
        [sys.executable, "-P", "-m", "diagnose", "serve", *words],
        capture_output=True,
        check=False,
        timeout=60,
        **options,
    )


def test_the_program_replays_on_stdio():
    path = SESSIONS / "08-ts1-undeclared-signal.jsonl"
    messages = [
        event.message for event in read_recording(str(path)).events if event.sender == "client" and event.message
    ]
    sent = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    done = program("--stdio", "--replay", str(path), input=sent)
    came = [json.loads(line) for line in done.stdout.splitlines()]
    assert {message.get("id") for message in came} == {None} | {m["id"] for m in messages if "id" in m}
    assert [message["method"] for message in came if "method" in message] == ["notifications/tools/list_changed"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--replay", "no-such.jsonl"), b"no-such.jsonl"),
        (("--replay", str(SESSIONS / "08-ts1-undeclared-signal.jsonl"), "--fault", "x"), b"--replay says what"),
    ],
)
def test_what_cannot_be_replayed_is_wrong_usage(words, says):
    done = program(*words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr


def test_a_recording_in_which_nobody_asks_is_refused():
    from diagnose.errors import InputError

    with pytest.raises(InputError, match="no client says anything"):
        tape_of(recorded())

"""Real clients and servers of both eras through the tap, and what the judge then reads in the recording."""

import asyncio
import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest
from support.mcp_http import Endpoint, Said, answering, error, result

from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.recording import Recording
from diagnose.jobs.embedded import embedded
from diagnose.judge import diagnose
from diagnose.judge.timeline import read
from diagnose.reference.options import ServeOptions

REFERENCE = [sys.executable, "-P", "-m", "diagnose", "serve", "--stdio", "--page-size", "2"]
ERAS = [("modern", "2026-07-28"), ("legacy", "legacy")]


async def session_of(target, mode):
    """List, and call one tool, as a program with the Python SDK does."""
    from mcp import Client

    async with Client(target, mode=mode) as client:
        tools, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                break
        await client.call_tool(tools[0], {"row": 1})
        return tools


@pytest.mark.parametrize(("era", "mode"), ERAS)
def test_the_python_sdk_over_stdio(tap, era, mode):
    from mcp import StdioServerParameters

    def parameters(command):
        return StdioServerParameters(command=command[0], args=command[1:], env={**os.environ, **tap.env})

    direct = asyncio.run(session_of(parameters(REFERENCE), mode))
    through = asyncio.run(session_of(parameters(tap.command(*REFERENCE)), mode))
    assert through == direct
    recording = finished(tap.path)
    assert recording.notes == ()
    line = read(recording)
    [session] = line.sessions
    assert session.era == era
    newest = session.walks.newest
    assert newest.state == "complete"
    assert list(newest.surface.names) == sorted(direct) or set(newest.surface.names) == set(direct)
    assert not list(line.corruptions)


def finished(path):
    """Read the recording once it has its end: an SDK does not wait for the process that it has ended."""
    end = time.monotonic() + 10
    while True:
        with contextlib.suppress(FileNotFoundError):
            recording = Recording.of_lines(path.read_bytes().splitlines(keepends=True))
            if recording.ended is not None or time.monotonic() > end:
                return recording
        assert time.monotonic() < end


class Running:
    """`diagnose tap http` before a server, and the URL that it gives to clients."""

    def __init__(self, tap, url):
        command = [sys.executable, "-P", "-m", "diagnose", "tap", "http", "--listen", "127.0.0.1:0", "--to", url]
        self.child = subprocess.Popen([*command, "-o", str(tap.path)], env=tap.env, stderr=subprocess.PIPE, text=True)
        self.said = ""
        while "as the server's URL" not in self.said:
            line = self.child.stderr.readline()
            assert line, self.said
            self.said += line
        self.url = self.said.split("give the client ")[1].split()[0]

    def stop(self):
        self.child.send_signal(signal.SIGINT)
        self.said += self.child.communicate(timeout=20)[1]
        return self.child.returncode


@contextlib.contextmanager
def http_tap(tap, url):
    running = Running(tap, url)
    try:
        yield running
    finally:
        if running.child.poll() is None:
            running.child.kill()
            running.child.communicate()


@pytest.mark.parametrize(("era", "mode"), ERAS)
def test_the_python_sdk_over_http(tap, era, mode):
    with embedded(ServeOptions(page_size=2)) as server, http_tap(tap, server.url) as running:
        direct = asyncio.run(session_of(server.url, mode))
        through = asyncio.run(session_of(running.url, mode))
        assert running.stop() == 0
    assert through == direct
    recording = tap.recording()
    assert (recording.ended, recording.notes) == ("stopped", ())
    line = read(recording)
    [session] = line.sessions
    assert session.era == era
    assert session.walks.newest.state == "complete"
    assert set(session.walks.newest.surface.names) == set(direct)


def test_a_signal_reaches_the_client_through_the_tap_and_is_recorded_where_it_stands(tap):
    heard = []

    async def listen(server, url):
        from mcp import Client

        got, words = asyncio.Event(), "Wait"

        async def told(message):
            heard.append(type(message).__name__)
            if "ListChanged" in type(message).__name__:
                got.set()

        async with Client(url, mode="legacy", message_handler=told) as client:
            await client.list_tools()
            async with asyncio.timeout(10):
                while not got.is_set():
                    # The stream for signals is opened by a task of the SDK's own; a change before that reaches nobody.
                    words += " now"
                    await asyncio.to_thread(server.change, {"describe": {"name": "ripen", "description": words}})
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(got.wait(), 0.5)

    with embedded(ServeOptions(control=True)) as server, http_tap(tap, server.url) as running:
        asyncio.run(listen(server, running.url))
        assert running.stop() == 0
    recording = tap.recording()
    signals = [
        e for e in recording.events if isinstance(e.message, dict) and "list_changed" in str(e.message.get("method"))
    ]
    opened = {e.channel: e.purpose for e in recording.events if e.kind == "stream-open"}
    assert signals
    assert {opened[e.channel] for e in signals} == {"get"}
    assert read(recording).sessions[0].signals.total == len(signals)
    # This program takes no notice of the signal, and says goodbye: so the judge finds it, with the frames.
    verdict = diagnose(
        Bundle(
            created_at=recording.header.started_at,
            target=Target(id="orchard", transport="http", endpoint="http://127.0.0.1/mcp"),
            wire=(recording,),
        )
    )
    assert (verdict.verdict.state, verdict.verdict.layer, verdict.verdict.cause) == (
        "stale",
        "wire",
        "client-ignores-signal",
    )
    [finding] = [each for each in verdict.findings if each.rule == "client-ignores-signal"]
    assert f"wire:{signals[-1].frame}" in finding.evidence


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_tap_that_ends_leaves_a_readable_recording(tap, how):
    with embedded() as server, http_tap(tap, server.url) as running:
        where = urlsplit(running.url)
        for _ in range(50):
            connection = http.client.HTTPConnection(where.hostname, where.port, timeout=10)
            connection.request("GET", "/health")
            assert connection.getresponse().read()
            connection.close()
        running.child.send_signal(how)
        running.child.communicate(timeout=20)
    end = time.monotonic() + 10
    while sum(e.kind == "response" for e in tap.recording().events) < 49:
        assert time.monotonic() < end
    recording = tap.recording()
    assert recording.ended == ("stopped" if how == signal.SIGTERM else None)
    assert recording.notes == ()


def test_nothing_that_was_planted_is_in_the_recording(tap):
    planted = [f"Plum-{number}-Xylophone" for number in range(12)]
    query, segment, token, cookie, session, extra, argument, said, failed, cursor, code, meta = planted

    def answered(asked):
        value = {"content": [{"type": "text", "text": said}], "structuredContent": {"a": [said]}}
        return result(asked, value, **{"Set-Cookie": f"a={cookie}", "Mcp-Session-Id": session, "X-Trace": extra})

    endpoint = Endpoint(
        {
            "tools/call": answered,
            "prompts/list": lambda asked: error(asked, -32603, f"it was {failed}", 500, {"was": failed}),
            "POST": Said(body=json.dumps({"access_token": token}).encode()),
        }
    )
    call = {"name": "pick_apples", "arguments": {"row": argument}, "_meta": {"orchard.test/x": meta}}
    sent = [("tools/call", call), ("prompts/list", {"cursor": "page-2"})]
    with answering(endpoint) as url, http_tap(tap, f"{url}/{segment}?key={query}") as running:
        where = urlsplit(running.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=10)
        headers = {
            "Authorization": f"Bearer {token}",
            "Cookie": f"a={cookie}",
            "X-Api": extra,
            "Mcp-Session-Id": session,
        }
        for number, (method, params) in enumerate(sent):
            body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            connection.request(
                "POST", f"{where.path}?code={code}", body, {**headers, "Content-Type": "application/json"}
            )
            assert connection.getresponse().read()
        connection.request("POST", "/token", f"code={code}", {"Content-Type": "application/x-www-form-urlencoded"})
        assert connection.getresponse().read()
        connection.close()
        assert running.stop() == 0
    assert endpoint.asked[0].path == f"/mcp/{segment}?key={query}&code={code}"
    text = tap.path.read_text()
    assert cursor not in text  # never sent: the test can tell
    assert [secret for secret in planted if secret in text] == []
    assert "Plum" not in text
    assert [e.status for e in tap.recording().events if e.kind == "response"] == [200, 500, 200]


def test_what_cannot_be_is_wrong_usage(tap):
    def said(*options):
        command = [sys.executable, "-P", "-m", "diagnose", "tap", "http", *options]
        ran = subprocess.run(command, env=tap.env, capture_output=True, text=True, check=False)
        return ran.returncode, ran.stderr

    to = ("--to", "http://127.0.0.1:1/mcp")
    assert said(*to)[0] == 2
    assert said("-o", str(tap.path))[0] == 2
    assert "not 'here'" in said(*to, "-o", str(tap.path), "--listen", "here")[1]
    assert "--allow-remote" in said(*to, "-o", str(tap.path), "--listen", "0.0.0.0:8787")[1]
    assert said("--to", "orchard", "-o", str(tap.path))[0] == 2
    code, text = said(*to, "-o", str(tap.path.parent / "no" / "x.jsonl"), "--listen", "127.0.0.1:0")
    assert (code, "cannot be" in text) == (2, True)

"""Real pairs through the taps, and what the judge reads in their recordings: who lists, who ignores a signal, who does not."""

import json
import os
import shlex
import socket
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from interop import rows
from interop.tapping import TAP, http_tap, json_of, recording_of

from diagnose.evidence.bundle import Bundle, Target
from diagnose.jobs.embedded import embedded
from diagnose.jobs.replay import read_tape
from diagnose.judge import diagnose
from diagnose.judge.timeline import read
from diagnose.observe.bench.client import BenchClient, Plan
from diagnose.observe.bench.runners import plan_for
from diagnose.reference.options import ServeOptions
from diagnose.reference.replay.door_http import ReplayDoor
from diagnose.reference.replay.player import Player
from diagnose.transport.deadline import Deadline

HERE = Path(__file__).resolve().parent
REFERENCE = [sys.executable, "-P", "-m", "diagnose", "serve", "--stdio"]
ORCHARD = ("pick_apples", "prune_tree", "ripen")
#: Each client: its runner, the peer that has it, and how it calls itself on the wire.
CLIENTS = {
    "codex": ("codex", "codex", "codex-mcp-client"),
    "python-1": ("mcp-python", "mcp-1", "mcp"),
    "python-2": ("mcp-python", "mcp-2", "mcp"),
    "typescript": ("mcp-typescript", "typescript-client-2", "mcp-typescript"),
    "fastmcp": ("fastmcp", "fastmcp-4", "mcp"),
    "inspector": ("inspector", "inspector", "inspector-client"),
}
PATIENCE = 60.0
#: Seconds after which a silence is judged here.
WAIT = 1.0


@pytest.fixture
def start(peer, node, tmp_path, monkeypatch):
    """Return a function that starts a client of ours before a URL; it is ended with the test."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(node).parent), os.environ["PATH"]]))
    monkeypatch.setenv("DIAGNOSE_DATA", str(tmp_path / "data"))
    with ExitStack() as open_clients:

        def started(name, url, **plan):
            runner, of, _ = CLIENTS[name]
            how = plan_for(runner, (), folder=str(peer(of).folder), **plan)
            home = tmp_path / f"home-{name}"
            client = BenchClient(how, url, home, env=dict(os.environ), deadline=Deadline(120))
            return open_clients.enter_context(client)

        yield started


def judged(recording, wait=10.0):
    where = Target(id="orchard", transport="http", endpoint="http://127.0.0.1/mcp")
    bundle = Bundle(created_at=recording.header.started_at, target=where, wire=(recording,), wait=wait)
    return diagnose(bundle)


def errors(diagnosis):
    return {finding.rule: finding for finding in diagnosis.findings if finding.severity == "error"}


@pytest.fixture
def everything(launch, listening, tmp_path):
    row = next(row for row in rows.FOREIGN if row.id == "everything-http")
    with listening(launch(row), tmp_path / "log") as port:
        yield f"http://127.0.0.1:{port}{row.path}", row.names


@pytest.fixture
def reference():
    with embedded(ServeOptions()) as server:
        yield server.url, ORCHARD


def listed(client):
    """Wait until a client holds a list, and return the names; one that is a command is waited for until it ends."""
    names, left = client.ask("held", PATIENCE), PATIENCE
    while names is None and not client.asks and left > 0:
        left -= 2.0  # which it waits itself
        names = client.ask("held", PATIENCE)
    return names


@pytest.mark.parametrize("server", ["reference", "everything"])
def test_clients_of_all_kinds_list_over_http(server, start, request, tmp_path):
    url, base = request.getfixturevalue(server)
    path = tmp_path / "session.jsonl"
    with http_tap(url, path) as tapped:
        held = []
        for name in CLIENTS:
            client = start(name, tapped.url)
            held.append(set(listed(client) or ()))
            client.close()
    recording = recording_of(path)
    sessions = [session for session in read(recording).sessions if session.walks]
    assert [set(session.walks.newest.surface.names) for session in sessions] == held
    assert all(set(base) <= names for names in held)
    assert not errors(judged(recording))


def test_who_ignores_a_signal_is_found_and_who_lists_again_is_not(start, tmp_path):
    path, over = tmp_path / "session.jsonl", threading.Event()
    with embedded(ServeOptions(control=True)) as server, http_tap(server.url, path) as tapped:
        deaf, keen = start("codex", tapped.url), start("typescript", tapped.url)
        for client in (deaf, keen):
            assert set(listed(client)) == set(ORCHARD)
        server.change({"add": "press_cider"})
        while "press_cider" not in keen.ask("held", PATIENCE):
            assert not over.wait(0.05)
        over.wait(WAIT + 0.5)  # a client may take so long
        deaf.close()
        keen.close()
    recording = recording_of(path)
    diagnosis = judged(recording, WAIT)
    verdict = diagnosis.verdict
    assert (verdict.state, verdict.layer, verdict.cause) == ("stale", "wire", "client-ignores-signal")
    found = [finding for finding in diagnosis.findings if finding.rule == "client-ignores-signal"]
    assert [finding.args["client"] for finding in found] == ["codex-mcp-client"]
    signals = [f"wire:{event.frame}" for event in recording.events if "list_changed" in json.dumps(event.message)]
    assert set(found[0].evidence) & set(signals)


def test_a_fault_is_seen_again_with_the_replay_of_its_recording(start, tmp_path):
    """Codex before the server of a recording: it ignores the signal as it did then, and another client does not."""
    recorded = HERE.parent / "recordings" / "sessions" / "02-codex-ignores-signal.jsonl"
    for name, ignores in (("codex", True), ("typescript", False)):
        path, over = tmp_path / f"{name}.jsonl", threading.Event()
        door = ReplayDoor(socket.create_server(("127.0.0.1", 0)), Player(read_tape(str(recorded))))
        door.start()
        with http_tap(f"http://127.0.0.1:{door.server_address[1]}/mcp", path) as tapped:
            client = start(name, tapped.url)
            assert set(listed(client)) == set(ORCHARD)
            while b"list_changed" not in path.read_bytes():
                assert not over.wait(0.05)
            over.wait(WAIT + 0.5)
            client.close()
        door.shutdown()
        door.server_close()
        assert ("client-ignores-signal" in errors(judged(recording_of(path), WAIT))) is ignores


@pytest.fixture
def on_stdio(peer, node, tmp_path):
    """Return a function that has a client list a server on stdio, and gives the names that it got."""
    found = peer("inspector")
    cli = [node, str(found.module("@modelcontextprotocol/inspector/clients/launcher/build/index.js")), "--cli"]

    def run(name, command):
        match name:
            case "codex":
                server = f"command = {json.dumps(command[0])}\nargs = {json.dumps(command[1:])}\n"
                return set(codex(server))
            case "inspector":
                # It takes options of the server's command for its own.
                script = tmp_path / "server"
                script.write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n")
                script.chmod(0o700)
                tools = json_of([*cli, str(script), "--method", "tools/list"])["tools"]
                return {tool["name"] for tool in tools}
            case "typescript":
                modules = peer("typescript-client-2").folder / "node_modules"
                env = {**os.environ, "NODE_PATH": str(modules)}
                return set(json_of([node, str(HERE / "stdio_client.cjs"), *command], env=env)["names"])
        program = "sdk_client.py" if name == "python-1" else "stdio_client.py"
        words = ["stdio"] if name == "python-1" else []
        python = str(peer(CLIENTS[name][1]).python)
        return set(json_of([python, str(HERE / program), *words, *command])["names"])

    def codex(server):
        program = str(peer("codex").bin / "codex")
        environment = {"CODEX_HOME": "{home}"}
        files = {"config.toml": f"[mcp_servers.orchard]\n{server}env_vars = ['DIAGNOSE_DATA']\n"}
        plan = Plan(command=(program, "app-server"), form="codex", env=environment, files=files)
        with BenchClient(plan, "", tmp_path / "codex", env=dict(os.environ), deadline=Deadline(120)) as client:
            return listed(client)

    return run


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("server", ["reference", "everything"])
def test_clients_of_all_kinds_list_over_stdio(server, name, on_stdio, launch, tmp_path, monkeypatch, node):
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(node).parent), os.environ["PATH"]]))
    monkeypatch.setenv("DIAGNOSE_DATA", str(tmp_path / "data"))
    row = next(row for row in rows.FOREIGN if row.id == "everything-stdio")
    command = launch(row).command if server == "everything" else REFERENCE
    path = tmp_path / "session.jsonl"
    names = on_stdio(name, [*TAP, "stdio", "-o", str(path), "--", *command])
    recording = settled(path)
    whole = [walk.surface for session in read(recording).sessions for walk in session.walks if walk.surface]
    assert set(whole[-1].names) == names
    assert set(ORCHARD if server == "reference" else row.names) <= names
    # This server signals while it is first asked for its list, and none of these clients asks again before it leaves.
    assert errors(judged(recording)).keys() <= ({"client-ignores-signal"} if server == "everything" else set())


def settled(path):
    """Read a recording that nobody writes to any more: a client may leave, or end its tap, before all is written."""
    size = quiet = 0
    while quiet < 10:
        threading.Event().wait(0.05)
        before, size = size, path.stat().st_size
        quiet = quiet + 1 if size == before else 0
    return recording_of(path)

"""`collect`: the evidence goes into one file without a credential in any spelling, and gives the same diagnosis."""

import base64
import json
import os
import stat
import urllib.parse
import zipfile

import pytest
from support.mcp_http import answering, modern
from support.program import diagnose

from diagnose.jobs.embedded import embedded
from diagnose.reference.options import ServeOptions

SECRET = "sk_meridian_9f8e7d6c5b4a39281706"
COOKIE = "orchardsession-0123456789abcdef"
TOOL = {
    "name": "pick_apples",
    "description": f"Call with Authorization: Bearer {SECRET}.",
    "inputSchema": {"type": "object", "properties": {"token": {"type": "string", "default": SECRET}}},
}


@pytest.fixture(scope="module")
def server():
    with embedded(ServeOptions()) as running:
        yield running


@pytest.fixture
def collect(tmp_path):
    def run(*args, env=None):
        path = tmp_path / "case.zip"
        around = {**os.environ, "DIAGNOSE_DATA": str(tmp_path / "data"), **(env or {})}
        ran = diagnose("collect", *map(str, args), "-o", str(path), env=around)
        return ran, path

    return run


def triage(path, tmp_path):
    env = {**os.environ, "DIAGNOSE_DATA": str(tmp_path / "data")}
    return json.loads(diagnose("triage", str(path), "--format", "json", env=env).out)


def spellings(secret):
    yield secret
    yield urllib.parse.quote(secret, safe="")
    for pad in ("", "x", "xy"):
        text = base64.b64encode((pad + secret).encode()).decode()
        yield text[4:-4]


def planted(tmp_path):
    """Write files in which everything that may hold a credential does."""
    basic = base64.b64encode(f"picker:{SECRET}".encode()).decode()
    status = {"data": [{"name": "orchard", "tools": {"pick_apples": TOOL}, "env": {"API_KEY": SECRET}}]}
    (tmp_path / "status.json").write_text(json.dumps(status))
    request = {
        "model": "m",
        "messages": [{"role": "user", "content": SECRET}],
        "headers": {"x-api-key": SECRET},
        "tools": [{"name": "pick_apples", "description": TOOL["description"], "input_schema": TOOL["inputSchema"]}],
    }
    (tmp_path / "request.json").write_text(json.dumps(request))
    headers = {"authorization": f"Bearer {SECRET}", "cookie": f"sid={COOKIE}", "mcp-session-id": COOKIE}
    listed = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    lines = [
        {"schema": "diagnose.recording/1", "startedAt": "2026-11-30T12:00:00.000Z", "transport": "http"},
        {"t": 1, "from": "client", "kind": "request", "channel": "h1", "method": "POST", "path": f"/mcp?token={SECRET}",
         "headers": headers, "session": COOKIE, "principal": SECRET, "message": asked},
        {"t": 2, "from": "server", "kind": "response", "channel": "h1", "status": 200, "session": COOKIE, "message": listed},
        {"t": 3, "from": "server", "kind": "raw", "base64": base64.b64encode(f"key {SECRET}\n".encode()).decode()},
        {"t": 4, "from": "server", "kind": "stderr", "text": f"Basic {basic} {SECRET}"},
    ]  # fmt: skip
    cut = json.dumps({"t": 5, "from": "server", "text": SECRET})[:-5]
    (tmp_path / "wire.jsonl").write_text("\n".join([*map(json.dumps, lines), cut]))
    return (
        *("--registry", tmp_path / "status.json", "--model", tmp_path / "request.json"),
        *("--recording", tmp_path / "wire.jsonl", "--client", "codex", "--server-key", "orchard"),
    )


def test_no_credential_is_in_the_file(collect, tmp_path):
    args = planted(tmp_path)
    with answering(modern(tools=[TOOL])) as url:
        host = url.removeprefix("http://")
        env = {"ORCHARD_API_KEY": SECRET, "DIAGNOSE_TOKEN": SECRET}
        ran, path = collect(f"http://picker:{SECRET}@{host}?key={SECRET}", *args, env=env)
    assert ran.code == 0, ran.err
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        everything = "\n".join([ran.out, ran.err, *(archive.read(name).decode() for name in names)])
    assert {"bundle.json", "registry.json", "model.json", "wire.jsonl"} <= set(names)
    for secret in (SECRET, COOKIE):
        for spelled in spellings(secret):
            assert spelled not in everything
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def wire(tmp_path, *tools):
    """Write a recording of our own form that some other program made: as plain as it was sent."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"x-orchard": "plain words", "authorization": "Bearer plain-words", "accept": "application/json"}
    lines = [
        {"schema": "diagnose.recording/1", "startedAt": "2026-11-30T12:00:00.000Z", "transport": "http"},
        {"t": 1, "from": "client", "kind": "request", "channel": "h1", "method": "POST", "path": "/mcp?k=plain-words",
         "headers": headers, "message": asked},
        {"t": 2, "from": "server", "kind": "response", "channel": "h1", "status": 200,
         "message": {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}},
    ]  # fmt: skip
    (tmp_path / "plain.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return tmp_path / "plain.jsonl"


def test_a_recording_is_kept_as_our_own_tap_would_have_kept_it(collect, tmp_path):
    _, path = collect("--recording", wire(tmp_path))
    with zipfile.ZipFile(path) as archive:
        request = json.loads(archive.read("wire.jsonl").splitlines()[1])
    assert request["headers"]["accept"] == "application/json"
    assert request["headers"]["x-orchard"].startswith("fp:")
    assert request["headers"]["authorization"].startswith("Bearer fp:")
    assert request["path"].startswith("/mcp?k=fp:")


def test_a_definition_that_is_redacted_still_counts_as_the_one_that_it_was(collect, tmp_path):
    tool = {**TOOL, "description": f"password={SECRET}"}
    with answering(modern(tools=[tool])) as url:
        ran, path = collect(url, "--recording", wire(tmp_path, tool))
    assert ran.code == 0, ran.err
    document = triage(path, tmp_path)
    assert document["verdict"]["state"] == "in-sync", document["verdict"]


def test_what_is_on_disk_needs_nobody(collect, tmp_path, monkeypatch):
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("somebody was asked"))
    ran, path = collect(*planted(tmp_path))
    assert ran.code == 0, ran.err
    assert "registry.json" in ran.err
    document = triage(path, tmp_path)
    assert [row["layer"] for row in document["layers"] if row["observed"]] == ["wire", "registry", "model"]


def test_the_same_diagnosis_comes_of_it(collect, server, tmp_path):
    names = tmp_path / "names.json"
    names.write_text(json.dumps({"tools": [{"name": "pick_apples", "inputSchema": {"type": "object"}}]}))
    ran, path = collect(server.url, "--path", server.url, "--client", "vscode", "--registry", names)
    assert ran.code == 0, ran.err
    first, second = triage(path, tmp_path), triage(path, tmp_path)
    assert first == second
    assert tuple(first["verdict"][key] for key in ("state", "layer")) == ("stale", "registry")
    args = ("--path", server.url, "--client", "vscode", "--registry", str(names), "--format", "json")
    live = json.loads(
        diagnose("triage", server.url, *args, env={**os.environ, "DIAGNOSE_DATA": str(tmp_path / "d")}).out
    )
    for key in ("verdict", "comparisons", "findings", "exitCode"):
        assert _timeless(first[key]) == _timeless(live[key])


def _timeless(value):
    text = json.dumps(value)
    return text.replace("a bundle holds no snapshot", "no snapshot was stored yet")


def test_a_server_that_is_gone_is_evidence_too(collect, tmp_path):
    ran, path = collect("http://127.0.0.1:9/mcp")
    assert ran.code == 0
    document = triage(path, tmp_path)
    assert (document["exitCode"], document["verdict"]["state"]) == (3, "inconclusive")
    assert any(each["rule"] == "unreachable" for each in document["findings"])


def test_without_a_file_to_write_it_is_exit_2(server):
    ran = diagnose("collect", server.url)
    assert (ran.code, ran.out) == (2, "")
    assert "-o" in ran.err

"""Every JSON document that a command writes is valid under the schema that `explain --json-schema` publishes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from support.keyrings import MemoryKeyring, selecting
from support.mcp_http import Said, answering, error, legacy, modern
from support.program import diagnose
from support.schemas import validated

from diagnose.jobs.embedded import embedded
from diagnose.reference.options import ServeOptions
from diagnose.report.schemas import SCHEMAS

WILD = [
    {"name": "a", "inputSchema": {"type": "object", "default": float("nan")}},
    {"name": "half \ud83c", "inputSchema": []},
    {"name": ""},
    "no tool",
    {"name": "a", "description": 5},
]


@pytest.fixture(scope="module")
def reference():
    """A server with everything: health, version, manifest, and the contract of Meridian."""
    with embedded(ServeOptions()) as running:
        yield running.url


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    places = {"DIAGNOSE_DATA": str(tmp_path / "data"), "DIAGNOSE_CONFIG": str(tmp_path / "config")}

    def call(*args, codes=(0,), stdin=""):
        ran = diagnose(*args, "--format", "json", env=places, stdin=stdin)
        assert ran.code in codes, ran.err
        return validated(ran.out)

    return call


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_the_steps_of_a_server_with_everything(call, reference, era):
    found = [call(name, reference, "--era", era) for name in ("surface", "health", "version", "manifest", "revision")]
    assert [each["schema"] for each in found] == [
        f"diagnose.{name}/1" for name in ("diagnosis", "health", "version", "manifest", "revision")
    ]


@pytest.mark.parametrize(
    ("server", "codes"),
    [
        (modern(), (0,)),
        (legacy(), (0,)),
        (modern(tools=WILD), (1,)),
        (modern(tools=[]), (0,)),
        (modern(tools__list=lambda asked: error(asked, -32603)), (1,)),
        (modern(tools__list=Said(status=401)), (4,)),
        (modern(server__discover=Said(status=500)), (3,)),
    ],
)
def test_a_diagnosis_of_whatever_a_server_does(call, server, codes):
    with answering(server) as url:
        call("surface", url, "--timeout", "2", codes=codes)


def test_a_stdio_server_that_is_none(call):
    ran = diagnose("surface", "--format", "json", "--", sys.executable, "-c", "print('hello')")
    assert validated(ran.out)["exitCode"] == ran.code


def test_the_past(call, tmp_path):
    server = modern(tools=[*WILD[:1], {"name": "b"}])
    with answering(server) as url:
        name = call("snapshot", "take", url)["snapshots"][0]["id"]
        call("diff", "snapshot:latest", url, codes=(0, 3))
    call("snapshot", "list")
    call("snapshot", "show", name)
    exported = diagnose("snapshot", "export", env={"DIAGNOSE_DATA": str(tmp_path / "data")}).out
    validated(exported)
    call("snapshot", "import", "-", "--store", "other.sqlite3", stdin=exported)
    assert call("snapshot", "prune", "--keep", "0")["removed"] is False
    assert call("snapshot", "prune", "--keep", "0", "--yes")["removed"] is True


def test_the_lock_and_what_is_held_to_it(call, tmp_path, reference):
    server = modern(tools=[{"name": "b", "description": "Bearer sk_live_0123456789abcdef"}])
    with answering(server) as url:
        written = diagnose("lock", "write", url)
        assert written.code == 0
        assert validated((tmp_path / "tool-surface.lock.json").read_text())["tools"][0]["$redacted"] is True
        call("lock", "check", url)
        server.answers.update(modern(tools=[{"name": "c"}]).answers)
        call("lock", "check", url, codes=(1,))
    diagnose("lock", "write", reference, "-o", "reference.lock.json")
    assert validated((tmp_path / "reference.lock.json").read_text())["instructions"]


def test_two_files(call, tmp_path):
    for name, tools in (("a", [{"name": "x", "inputSchema": {"type": "object"}}]), ("b", [{"name": "y", "icons": []}])):
        (tmp_path / f"{name}.json").write_text(json.dumps(tools))
    call("diff", "a.json", "b.json", codes=(1,))
    assert call("diff", "a.json", "a.json")["impact"] is None
    call("revision", "a.json")


@pytest.mark.parametrize("name", [None, "surface-changed", "origin", "3", "unreachable", "in-sync"])
def test_explanations(call, name):
    call("explain", *filter(None, [name]))


def test_the_schema_itself_is_what_explain_gives(tmp_path):
    for name in SCHEMAS:
        assert json.loads(diagnose("explain", "--json-schema", name).out)["title"] == f"diagnose.{name}"
    ran = diagnose("explain", "--json-schema", "diff", "origin")
    assert (ran.code, ran.out) == (2, "")


def test_faults(call):
    assert call("serve", "--list-faults")["faults"]


def test_where_a_server_answers():
    command = [sys.executable, "-m", "diagnose", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        line = child.stdout.readline()
        child.terminate()
    assert validated(line)["pid"] != os.getpid()


def test_every_event_of_a_watch(tmp_path):
    server = modern()
    with answering(server) as url:
        ran = diagnose("watch", url, "--for", "0.5", "--poll", "0.2", "--format", "json")
    events = [validated(line)["event"] for line in ran.out.splitlines()]
    assert {"connected", "listed", "ended"} <= set(events), ran.err


def test_credentials(call):
    origin = "https://a.test"
    with selecting() as select:
        select(MemoryKeyring())
        for args in (("set", origin, "--stdin"), ("status",), ("status", origin), ("remove", origin)):
            call("auth", *args, stdin="opaque-s3cret\n")

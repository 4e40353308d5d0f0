import io
import json
import os
import pty
import select
import subprocess
import sys

import keyring.backends.fail
import pytest
from support.keyrings import MemoryKeyring, selecting

from diagnose.cli import run
from diagnose.credentials.resolve import resolve
from diagnose.transport.origin import Origin

SECRET = "opaque-s3cret"
URL = "https://example.test/mcp"


@pytest.fixture
def memory():
    with selecting() as select:
        backend = MemoryKeyring()
        select(backend)
        yield backend


@pytest.fixture
def call(tmp_path):
    config = tmp_path / "config.toml"
    config.write_text(
        f'[targets.orchard]\nurl = "{URL}"\n[targets.filed]\nurl = "{URL}"\nauth = "file:/x"\n'
        '[targets.child]\ncommand = ["server"]\n'
    )

    def call(*args, stdin="", **env):
        out, err = io.StringIO(), io.StringIO()
        env = {"DIAGNOSE_DATA": str(tmp_path / "data"), "DIAGNOSE_CONFIG": str(tmp_path), **env}
        code = run(["auth", *args], out, err, stdin=io.StringIO(stdin), env=env)
        assert SECRET not in out.getvalue() + err.getvalue()
        return code, out.getvalue(), err.getvalue()

    return call


def test_set_status_remove(call, memory):
    code, out, _ = call("set", URL, stdin=SECRET + "\n")
    assert code == 0
    assert out.startswith("Stored in the keyring, for this origin only:\nhttps://example.test  uses: keyring\n")
    assert memory.entries == {("diagnose", "https://example.test"): SECRET}

    code, out, _ = call("status", "@orchard", "--format", "json")
    document = json.loads(out)
    assert code == 0
    assert list(document) == ["schema", "tool", "action", "origins"]
    assert document["schema"] == "diagnose.auth/1"
    (origin,) = document["origins"]
    fingerprint = origin["sources"][0].pop("fingerprint")
    assert fingerprint.startswith("fp:")
    assert origin == {
        "origin": "https://example.test",
        "uses": "keyring",
        "why": None,
        "sources": [
            {"source": "keyring", "present": True, "why": None},
            {"source": "environment", "present": False, "fingerprint": None, "why": None},
        ],
    }
    assert fingerprint in call("status")[1]

    code, out, _ = call("remove", URL)
    assert code == 0
    assert "keyring      absent" in out
    assert memory.entries == {}
    assert "there was none" in call("remove", URL)[1]
    assert call("status")[1] == "No credential was stored with `diagnose auth set`.\n"


def test_everywhere_it_is_the_same_fingerprint(call, memory, tmp_path):
    call("set", URL, stdin=SECRET)
    used = resolve("auto", Origin.of(URL), env={"DIAGNOSE_DATA": str(tmp_path / "data")})
    assert used.fingerprint in call("status")[1]
    lines = call("status", URL, DIAGNOSE_TOKEN=SECRET)[1].splitlines()
    assert lines[2].split() == ["keyring", "present", lines[2].split()[-1]]
    assert lines[3].split() == ["environment", "present", lines[2].split()[-1]]


def test_what_would_not_be_sent_is_said(call, memory):
    _, out, _ = call("status", "http://example.test", DIAGNOSE_TOKEN=SECRET)
    assert "uses: none" in out
    assert "--allow-plain-http http://example.test" in out


def test_a_way_of_the_configuration_is_told_and_not_read(call, memory):
    _, out, _ = call("status", "@filed", DIAGNOSE_TOKEN=SECRET)
    assert "https://example.test  uses: file\n" in out
    assert "the configuration names it" in out


def test_a_variable_that_no_header_can_carry_is_told(call, memory):
    assert "no header may carry" in call("status", URL, DIAGNOSE_TOKEN="a\nb")[1]


@pytest.mark.parametrize(
    ("args", "stdin", "problem"),
    [
        (("set", URL), "", "what was entered holds no credential"),
        (("set", URL), f"{SECRET}\x07", "no header may carry"),
        (("set", URL, SECRET), "", "takes a target and nothing else"),
        (("set", "demo"), SECRET, "demo takes no credential"),
        (("set", "@child"), SECRET, "child takes no credential"),
        (("set", "@unknown"), SECRET, "no target '@unknown'"),
        (("set", f"user:{SECRET}@example.test"), "x", "is no target"),
        (("status", URL, "--format", "xml"), "", "--format takes text or json"),
    ],
)
def test_wrong_usage(call, memory, args, stdin, problem):
    code, out, err = call(*args, stdin=stdin)
    assert (code, out) == (2, "")
    assert problem in err
    assert memory.entries == {}


def test_a_password_in_the_url_is_neither_stored_nor_shown(call, memory):
    code, _, _ = call("set", f"https://user:{SECRET}@example.test/mcp?token={SECRET}", stdin=SECRET)
    assert code == 0
    assert list(memory.entries) == [("diagnose", "https://example.test")]


def test_without_a_keyring_the_other_ways_are_named(call):
    with selecting() as select:
        select(keyring.backends.fail.Keyring())
        code, out, err = call("set", URL, stdin=SECRET)
        assert (code, out) == (2, "")
        assert err.splitlines()[0] == "diagnose: this machine has no keyring"
        assert all(way in err for way in ("env:VAR", "file:PATH", "command:CMD"))
        code, out, _ = call("status", URL)
        assert code == 0
        assert "unknown  this machine has no keyring" in out


def test_on_a_terminal_it_is_asked_for_without_echo(tmp_path):
    ours, theirs = pty.openpty()
    env = {**os.environ, "DIAGNOSE_DATA": str(tmp_path), "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    child = subprocess.Popen(
        [sys.executable, "-m", "diagnose", "auth", "set", URL],
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, start_new_session=True,
    )  # fmt: skip
    said = b""
    while b"(hidden): " not in said:
        said += os.read(child.stdout.fileno(), 1024)
    os.write(ours, SECRET.encode() + b"\n")
    said += child.communicate()[0]
    echoed = os.read(ours, 1024) if select.select([ours], [], [], 0)[0] else b""
    os.close(ours)
    os.close(theirs)
    assert child.returncode == 2
    assert b"Credential for https://example.test (hidden): " in said
    assert b"this machine has no keyring" in said
    assert SECRET.encode() not in said + echoed

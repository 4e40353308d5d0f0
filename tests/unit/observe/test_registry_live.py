"""Clients asked themselves, played by children that speak as Claude Code 2.1.332 and Gemini CLI 0.61.0 were seen to.

Cursor's command line cannot be had here: its child prints what cursor.com/docs/cli/mcp says that it prints.
"""

import json
import os
import subprocess
import sys

import pytest

from diagnose.errors import InputError, ObservationError, UsageError
from diagnose.observe.registry import commands
from diagnose.observe.registry.claude_code import observe_claude_code
from diagnose.observe.registry.commands import observe_cursor, observe_gemini
from diagnose.observe.registry.live import ASKED
from diagnose.observe.registry.texts import states_of
from diagnose.transport.deadline import Deadline

SECRET = "sk_live_0123456789abcdef"
CONFIG = {"type": "stdio", "command": "npx", "args": ["some-server"], "env": {"KEY": SECRET}}
TOOLS = [{"name": "pick_apples", "annotations": {}}, {"name": "ripen", "annotations": {"readOnly": True}}]
PENDING = {"name": "orchard", "status": "pending", "config": CONFIG, "scope": "user"}
CONNECTED = {**PENDING, "status": "connected", "serverInfo": {"name": "orchard", "version": "0.1.0"}, "tools": TOOLS}
OTHER = {"name": "other", "status": "pending", "config": CONFIG}

CLAUDE = """
import json, os, sys
answers = json.loads(sys.argv[1])
def say(message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    kind = asked["request"]["subtype"]
    say({"type": "system", "subtype": "hook_started"})
    print("no JSON", flush=True)
    say({"type": "control_response", "response": {"subtype": "success", "request_id": "another", "response": {}}})
    if kind == "initialize":
        answer = {"subtype": "success", "response": {"commands": [], "updater": os.environ.get("DISABLE_AUTOUPDATER")}}
    else:
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
    say({"type": "control_response", "response": {**answer, "request_id": asked["request_id"]}})
"""
PRINTS = "import sys; sys.stdout.write(sys.argv[1]); sys.stderr.write(sys.argv[2]); sys.exit(int(sys.argv[3]))"


def asked(observe, code, *args, key="orchard", timeout=10.0):
    """Ask a client that is a few lines of Python."""
    command = (sys.executable, "-c", code, *args)
    return observe(Deadline(20), server_key=key, env={}, now="2026-11-30T12:00:00Z", command=command, timeout=timeout)


def claude(*statuses, key="orchard", timeout=10.0):
    answers = [{"subtype": "success", "response": {"mcpServers": servers}} for servers in statuses]
    return asked(observe_claude_code, CLAUDE, json.dumps(answers), key=key, timeout=timeout)


def test_claude_code_is_asked_until_the_server_is_connected():
    seen = claude([PENDING, OTHER], [PENDING, OTHER], [CONNECTED, OTHER])
    assert seen.surface.names == ("pick_apples", "ripen")
    assert (seen.names_only, seen.session, seen.at) == (True, "new", "2026-11-30T12:00:00Z")
    assert seen.server_info == {"name": "orchard", "version": "0.1.0"}


def test_what_its_configuration_says_is_kept_nowhere():
    assert SECRET not in repr(claude([CONNECTED]))


@pytest.mark.parametrize(
    ("server", "said"),
    [
        (PENDING, "pending after 1 s"),
        ({**PENDING, "status": "needs-auth"}, "needs-auth"),
        ({**PENDING, "status": "failed", "error": "Connection refused"}, "Connection refused"),
        ({**PENDING, "status": "disabled"}, "disabled"),
    ],
)
def test_a_server_that_is_not_connected_is_no_empty_list(server, said):
    seen = claude([server], timeout=1.0)
    assert seen.surface is None
    assert (seen.failure.rule, seen.complete) == ("not-observed", False)
    assert said in seen.failure.message


def test_a_connected_server_without_tools_has_an_empty_list():
    seen = claude([{**CONNECTED, "tools": []}])
    assert seen.failure is None
    assert seen.surface.names == ()


def test_a_key_that_claude_code_does_not_have_is_said():
    with pytest.raises(InputError, match="it has orchard, other"):
        claude([CONNECTED, {**OTHER, "status": "failed"}], key="plum")


@pytest.mark.parametrize(
    ("code", "error", "rule"),
    [
        ("raise SystemExit(1)", ObservationError, "unreachable"),
        ("import sys; sys.stdin.read()", ObservationError, "timed-out"),
        ("while True: print('{}')", ObservationError, "timed-out"),
    ],
)
def test_a_claude_code_that_does_not_answer_is_said(code, error, rule):
    with pytest.raises(error) as raised:
        asked(observe_claude_code, code, timeout=0.5)
    assert raised.value.rule == rule


@pytest.mark.parametrize(
    "answer", [{"subtype": "error", "error": f"no {SECRET}"}, {"subtype": "success", "response": 3}]
)
def test_a_refusal_is_said_without_its_words(answer):
    with pytest.raises(ObservationError, match="refuses mcp_status") as raised:
        asked(observe_claude_code, CLAUDE, json.dumps([answer]))
    assert SECRET not in str(raised.value)


def test_an_answer_that_is_none_is_said():
    with pytest.raises(ObservationError, match="without a list of servers"):
        asked(observe_claude_code, CLAUDE, json.dumps([{"subtype": "success", "response": {"servers": 3}}]))


CURSOR = "Tools for orchard (2):\n- pick_apples (row, count)\n- ripen ()\n"


def test_cursor_lists_the_tools_of_one_server():
    # The key comes last on its command line: the child takes it for the words that it prints to stderr.
    seen = asked(observe_cursor, "import sys; print(sys.argv[1]); assert sys.argv[2] == 'orchard'", CURSOR)
    assert seen.surface.names == ("pick_apples", "ripen")
    assert (seen.names_only, seen.session) == (True, "new")


def test_cursor_needs_a_server():
    with pytest.raises(UsageError, match="one server"):
        observe_cursor(Deadline(5), server_key=None, env={}, now="")


@pytest.mark.parametrize("printed", [f"Error: Authentication required {SECRET}.\n", "", "\0"])
def test_what_cursor_prints_instead_is_not_repeated(printed):
    with pytest.raises(ObservationError, match="no list of the tools of orchard") as raised:
        asked(observe_cursor, f"import sys; sys.stdout.write({printed!r}); sys.exit(1)")
    assert raised.value.rule == "not-observed"
    assert SECRET not in str(raised.value) + raised.value.diagnostics()


def test_a_command_that_prints_without_end_or_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr("diagnose.observe.registry.child.MAX_PRINTED", 1000)
    for code, rule in (
        ("while True: print('x' * 999)", "limit-exceeded"),
        ("import sys; sys.stdin.read()", "timed-out"),
    ):
        with pytest.raises(ObservationError) as raised:
            asked(observe_cursor, code, timeout=0.5 if rule == "timed-out" else 10.0)
        assert raised.value.rule == rule


@pytest.mark.skipif(os.name != "posix", reason="files that are commands by their mode")
def test_cursors_command_is_found_by_both_its_names(tmp_path):
    assert commands.first_found(("cursor-agent", "agent"), {"PATH": str(tmp_path)}) == "cursor-agent"
    (tmp_path / "agent").touch(mode=0o755)
    assert commands.first_found(("cursor-agent", "agent"), {"PATH": str(tmp_path)}) == "agent"


GEMINI = f"""Configured MCP servers:

\x1b[32m✓\x1b[0m orchard: npx some-server --key {SECRET} (stdio) - Connected
✗ pear (from fruit): https://pear.test/mcp?key={SECRET} (http) - Disconnected
○ plum: npx plum (stdio) - Disabled
"""


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("orchard", [{"name": "orchard", "status": "connected"}]),
        (
            None,
            [
                {"name": "orchard", "status": "connected"},
                {"name": "pear", "status": "disconnected"},
                {"name": "plum", "status": "disabled"},
            ],
        ),
    ],
)
def test_gemini_tells_states_and_no_tools(key, told):
    seen = asked(observe_gemini, PRINTS, "", GEMINI, "0", key=key)
    assert seen.surface is None
    assert list(seen.servers) == told
    assert "names no tools but on its screen" in seen.failure.message
    assert SECRET not in repr(seen)


def test_gemini_without_servers_or_without_this_one_is_said():
    with pytest.raises(ObservationError, match="lists no servers") as raised:
        asked(observe_gemini, PRINTS, "", f"No MCP servers configured. {SECRET}", "0")
    assert SECRET not in str(raised.value)
    with pytest.raises(InputError, match="it has orchard, pear, plum"):
        asked(observe_gemini, PRINTS, GEMINI, "", "0", key="quince")


def test_a_line_that_is_no_server_has_no_state():
    assert states_of("Warning: x - disabled because this folder is untrusted.\n: - Connected\nTrying: a - b\n") == {}


@pytest.mark.skipif(os.name != "posix", reason="a group of processes")
def test_nothing_that_a_client_started_is_left(tmp_path):
    """The client starts a child of its own, refuses, and goes on: both are ended."""
    note = tmp_path / "pid"
    code = f"""
import json, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
open({str(note)!r}, "w").write(str(child.pid))
name = json.loads(sys.stdin.readline())["request_id"]
print(json.dumps({{"type": "control_response", "response": {{"subtype": "error", "request_id": name}}}}), flush=True)
child.wait()
"""
    with pytest.raises(ObservationError, match="refuses initialize"):
        asked(observe_claude_code, code)
    state = subprocess.run(["ps", "-o", "stat=", "-p", note.read_text()], capture_output=True, text=True, check=False)
    assert state.stdout.strip()[:1] in {"", "Z"}


def test_every_way_is_that_of_a_client_of_the_playbook():
    from diagnose.clients import client

    for name in ASKED:
        entry = client(name)
        assert entry is not None
        assert entry.id == name
        assert any(view.kind in {"command", "api"} and view.session == "new" for view in entry.views)

"""Clients as children: started with their places filled in, spoken to in their own way, and ended."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from diagnose.errors import ObservationError, UsageError
from diagnose.observe.bench import BenchClient, Plan, plan_for
from diagnose.transport.deadline import Deadline

URL = "http://127.0.0.1:9/mcp"
#: A Codex that has a thread with two tools, and does what it is told of by its first argument.
CODEX = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    print("a line that is no message")
    result = {"userAgent": "diagnose/0.171.0 (Linux)"}
    if asked["method"] == "thread/start":
        result = {"thread": {"id": "t1"}} if sys.argv[1] == "well" else {}
    elif asked["method"] == "mcpServerStatus/list":
        assert asked["params"]["threadId"] == "t1" and asked["params"]["serverName"] == "orchard"
        tools = {name: {"name": name, "inputSchema": {"type": "object"}} for name in ("pick_apples", "ripen")}
        result = {"data": [{"name": "orchard", "tools": tools}]}
    print(json.dumps({"id": asked["id"], "result": result}), flush=True)
"""
LINES = """
import json, sys
print("starting")
print(json.dumps({"version": "1.2", "tools": ["a"]}), flush=True)
for line in sys.stdin:
    print(json.dumps({"tools": ["a", line.strip()]}), flush=True)
"""


def client(tmp_path, code, *words, form="plain", **rest):
    plan = Plan(command=(sys.executable, "-c", code, *words), form=form, **rest)
    return BenchClient(plan, URL, tmp_path, env=os.environ, deadline=Deadline(60))


def test_a_driver_lists_and_says_what_it_holds(tmp_path):
    with client(tmp_path, LINES, form="lines") as running:
        running.wait_until_listed(20)
        assert running.version == "1.2"
        assert running.asks
        assert running.ask("list", 20) == ("a", "list")
        assert running.ask("held", 20) == ("a", "held")
        assert not running.ended


def test_a_codex_is_asked_for_the_list_of_its_thread(tmp_path):
    with client(tmp_path, CODEX, "well", form="codex") as running:
        assert running.version == "0.171.0"
        assert running.ask("held", 20) == ("pick_apples", "ripen")


def test_a_codex_without_a_thread_is_ended(tmp_path):
    running = client(tmp_path, CODEX, "badly", form="codex")
    with pytest.raises(ObservationError, match="begins no thread"), running:
        pytest.fail("there is no thread")
    assert running.ended


def test_a_command_that_ends_shows_what_it_printed(tmp_path):
    said = 'import json, sys; print(json.dumps({"tools": [{"name": "a", "inputSchema": {}}]}))'
    with client(tmp_path, said) as running:
        assert running.ask("held", 20) == ("a",)
        assert running.ask("list", 20) is None


@pytest.mark.parametrize("said", ["print('hello')", "raise SystemExit(3)", "print('{' * 9999)"])
def test_a_command_that_prints_no_list_shows_none(tmp_path, said):
    with client(tmp_path, said) as running:
        assert running.ask("held", 20) is None


def test_a_driver_that_has_ended_says_nothing(tmp_path):
    with client(tmp_path, "pass", form="lines") as running:
        running.wait_until_listed(20)
        assert running.ask("list", 20) is None
        assert running.version is None


def test_places_are_filled_in_words_environment_and_files(tmp_path):
    said = "import os, sys, json; print(json.dumps([sys.argv[1:], os.environ['X'], open('a.txt').read()]))"
    rest = {"env": {"X": "at {home}"}, "files": {"a.txt": "for {url}"}}
    with client(tmp_path, said, "--to={url}", "{config}", **rest) as running:
        assert running.ask("held", 20) is None
        words, env, text = json.loads(running._output.text)
    assert words == [f"--to={URL}", str(tmp_path / "mcp.json")]
    assert (env, text) == (f"at {tmp_path}", f"for {URL}")
    assert json.loads((tmp_path / "mcp.json").read_text())["mcpServers"]["orchard"]["url"] == URL


def test_without_a_place_the_url_is_the_last_word(tmp_path):
    with client(tmp_path, "import sys; print(sys.argv[-1])") as running:
        assert running.ask("held", 20) is None
        assert running._output.text.strip() == URL.encode()


def test_a_runner_finds_its_program_in_the_folder(tmp_path):
    for place in ("bin", "node_modules/.bin"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "bin" / "python").write_text("")
    (tmp_path / "node_modules" / ".bin" / "codex").write_text("")
    python = plan_for("mcp-python", (), folder=str(tmp_path), era="legacy")
    assert python.command[0] == str(tmp_path / "bin" / "python")
    assert python.command[-2:] == ("{url}", "legacy")
    assert Path(python.command[2]).is_file()
    codex = plan_for("codex", (), folder=str(tmp_path))
    assert codex.command == (str(tmp_path / "node_modules" / ".bin" / "codex"), "app-server")
    assert codex.env == {"CODEX_HOME": "{home}"}
    node = plan_for("mcp-typescript", ("node22",), folder=str(tmp_path))
    assert (node.command[0], node.command[-1]) == ("node22", str(tmp_path))
    with pytest.raises(UsageError, match="cannot be told"):
        plan_for("inspector", (), era="modern")
    with pytest.raises(UsageError, match="is no folder"):
        plan_for("mcp-typescript", (), folder=str(tmp_path / "none"))

"""The README is true: each command in it runs, and its output is the program's own."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.keyrings import MemoryKeyring, selecting
from support.program import diagnose

from diagnose.cli.app import COMMANDS
from diagnose.jobs.config import load_config
from diagnose.jobs.embedded import embedded
from diagnose.judge.checks import ALL

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
EXAMPLE = "https://example.test/mcp"
#: Commands that run until they are stopped, or that the tests of their own hold (bootstrap, serve, tap, the bench).
ENDLESS = {
    "diagnose clients bench --runner mcp-typescript --in ./node-app",
    "diagnose clients bench --only declared --only pages -- my-client --server {url}",
    "diagnose clients bench --recordings trials --lines -- python my_driver.py {url}",
    "diagnose serve",
    "diagnose serve --port 7878 --fault cursor-loop",
    "diagnose serve --port 7878 --control",
    "diagnose serve --replay session.jsonl",
    f"diagnose tap http --listen 127.0.0.1:8787 --to {EXAMPLE} -o session.jsonl",
    f"diagnose tap http --live --listen 127.0.0.1:8787 --to {EXAMPLE} -o session.jsonl",
}
#: What a command may answer besides 0, where its very point is to tell a difference, or what it cannot tell.
TELLING = {
    "diagnose diff before.json after.json --format json": {1},
    f"diagnose triage {EXAMPLE} --recording session.jsonl": {1},
    "diagnose timeline session.jsonl": {1},
    "diagnose timeline session.jsonl --format html -o session.html": {1},
    "diagnose timeline --follow session.jsonl": {1},
    "diagnose statesync check --recording session.jsonl": {0, 3},
    "diagnose statesync trust session.jsonl": {0, 3},
}


def shell_lines():
    lines = []
    for language, body in BLOCKS:
        for line in body.splitlines():
            command = line.partition("  #")[0].strip()
            if language == "sh" and command:
                lines.append(command)
            elif language == "console" and line.startswith("$ "):
                lines.append(line[2:].strip())
    return lines


COMMANDS_SHOWN = [line for line in shell_lines() if line.startswith("diagnose ")]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A server at the address of the examples, files of their names, a keyring, and one data folder for all."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "before.json").write_text('[{"name": "a", "inputSchema": {"type": "object"}}]', encoding="utf-8")
    (folder / "after.json").write_text('[{"name": "b", "inputSchema": {"type": "object"}}]', encoding="utf-8")
    recorded = ROOT / "tests" / "recordings" / "sessions" / "02-codex-ignores-signal.jsonl"
    (folder / "session.jsonl").write_bytes(recorded.read_bytes())
    with embedded() as server, selecting() as select:
        select(MemoryKeyring())
        yield folder, server.url


def runnable(command, folder, url):
    """Return the words of a command with the examples' places put in."""
    command = command.replace(EXAMPLE, url).replace("https://example.test", url.removesuffix("/mcp"))
    command = command.replace("python my_server.py", f"{sys.executable} -m diagnose serve --stdio")
    command = command.replace("curl -X POST", "true").replace("--for 600", "--for 1")
    version, build = read_build(url)
    command = command.replace("0.1.9", version).replace("0a1b2c3d4e5f", build)
    words = shlex.split(command)[1:]
    return [str(folder / word) if word.endswith((".json", ".jsonl", ".zip")) else word for word in words]


def read_build(url):
    told = json.loads(diagnose("version", url, "--format", "json").out)
    return told["version"], told["build"]


@pytest.mark.parametrize("command", [line for line in COMMANDS_SHOWN if line not in ENDLESS])
def test_every_command_shown_does_what_it_says(world, command, monkeypatch):
    folder, url = world
    monkeypatch.chdir(folder)  # some write a file
    tokens = {"EXAMPLE_TOKEN": "t0ken-of-the-example", "OTHER_TOKEN": "an0ther-token-of-the-example"}
    env = {"DIAGNOSE_DATA": str(folder / "data"), "PATH": "/usr/bin:/bin", **tokens}
    if command.startswith("diagnose diff snapshot:latest"):
        diagnose("snapshot", "take", url, env=env)
    if command.startswith("diagnose quarantine"):
        command = with_a_move(command, folder, env)
    ran = diagnose(*runnable(command, folder, url), env=env, stdin="t0ken-of-the-example\n")
    assert ran.code in TELLING.get(command, {0}), ran.err
    assert "t0ken-of-the-example" not in ran.out + ran.err


def with_a_move(command, folder, env):
    """Return the command with the id of a move; the file that is moved is there for every other one."""
    (folder / "apps-cache.json").write_text("[]", encoding="utf-8")
    if " restore " not in command:
        return command
    moved = ("quarantine", "move", str(folder / "apps-cache.json"), "--reason", "as shown", "--yes")
    told = json.loads(diagnose(*moved, "--format", "json", env=env).out)
    return command.replace("1a2b3c4d", told["moves"][0]["id"])


def test_the_commands_shown_are_commands():
    assert {shlex.split(line)[1] for line in COMMANDS_SHOWN} <= set(COMMANDS)


def test_every_command_is_in_the_readme():
    assert set(COMMANDS) <= {shlex.split(line)[1] for line in COMMANDS_SHOWN}


def test_the_set_up_commands_are_tasks():
    tasks = tomllib.loads((ROOT / "pixi.toml").read_text(encoding="utf-8"))["tasks"]
    shown = [line.split()[2] for line in shell_lines() if line.startswith("python3 scripts/bootstrap.py")]
    assert shown == ["diagnose_tool_surface", "test"]
    assert set(shown) <= set(tasks)


def test_the_output_shown_is_the_programs_own(tmp_path):
    shown = next(body for language, body in BLOCKS if language == "console" and "IN SYNC" in body)
    ran = diagnose("surface", "demo", env={"DIAGNOSE_DATA": str(tmp_path)})

    def scrubbed(text):
        text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text)
        return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)

    for line in shown.splitlines()[1:]:
        assert scrubbed(line) in scrubbed(ran.out), line


def test_the_configuration_shown_is_taken(tmp_path):
    body = next(body for language, body in BLOCKS if language == "toml")
    file = tmp_path / "config.toml"
    file.write_text(body, encoding="utf-8")
    config = load_config({}, str(file))
    assert config.default in config.targets


@pytest.mark.parametrize("body", [body for language, body in BLOCKS if language == "python"])
def test_the_python_shown_runs(body):
    done = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_exit_codes_shown_are_explained():
    for code in re.findall(r"^\| `[\w-]+` \|.*\| (\d+) \|$", README, re.MULTILINE):
        ran = diagnose("explain", code)
        assert ran.code == 0
        assert "exit code" in ran.out.lower()


def table_of_checks():
    """Return the table of all checks, from their declarations."""
    rows = [f"| `{each.name}` | {each.family} | {each.severity} | {each.summary} |" for each in ALL]
    return "\n".join(["| check | family | severity | it holds that |", "|---|---|---|---|", *rows])


def test_the_table_of_checks_is_that_of_the_declarations():
    start, end = "from the declarations -->\n", "<!-- /checks -->"
    before, _, rest = README.partition(start)
    shown, _, after = rest.partition(end)
    if os.environ.get("DIAGNOSE_UPDATE_README"):
        (ROOT / "README.md").write_text(f"{before}{start}{table_of_checks()}\n{end}{after}", encoding="utf-8")
    else:
        assert shown.strip() == table_of_checks()

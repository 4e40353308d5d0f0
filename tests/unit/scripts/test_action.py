"""The composite action and the pre-commit hook: what they run, and the exit code that comes of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.mcp_http import answering, modern

ROOT = Path(__file__).parents[3]
ACTION = ROOT / ".github" / "actions" / "diagnose"
TOOLS = [{"name": "pick_apples", "inputSchema": {"type": "object"}}]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the action's script is for bash")

#: Writes down how it was called, writes the reports that it was asked for, and ends as the test wants it.
FAKE = f"""#!{sys.executable}
import os, sys
words = sys.argv[1:]
name = words[0]
with open(os.environ["CALLS"], "a") as calls:
    print(*words, sep="|", file=calls)
for word in words:
    if word.startswith(("sarif=", "markdown=")):
        with open(word.partition("=")[2], "w") as report:
            report.write(f"report of {{name}}\\n")
sys.exit(int(os.environ.get(f"CODE_{{name}}", "0")))
"""


class Job:
    """One job of a runner, as far as the script sees it."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("output", "summary", "calls"):
            (folder / name).touch()
        self.program = folder / "diagnose"
        self.program.write_text(FAKE)
        self.program.chmod(0o755)
        self.lock = folder / "tool-surface.lock.json"

    def run(self, **env):
        given = {
            "TARGET": "", "SERVER_COMMAND": "", "LOCK": self.lock.name, "FAIL_ON": "breaking", "CHECK": "true",
            "CHECK_FAIL_ON": "error", "ARGUMENTS": "", "DIAGNOSE_TOKEN": "", "DIAGNOSE_REQUIRE_TARGET": "1",
            "RUNNER_TEMP": str(self.folder / "temp"), "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"), "DIAGNOSE": str(self.program),
            "CALLS": str(self.folder / "calls"), "PATH": os.environ["PATH"], "HOME": str(self.folder),
        }  # fmt: skip
        command = ["bash", str(ACTION / "run.sh")]
        return subprocess.run(
            command, cwd=self.folder, env={**given, **env}, capture_output=True, text=True, check=True
        )

    @property
    def said(self):
        return dict(line.split("=", 1) for line in (self.folder / "output").read_text().splitlines())

    @property
    def calls(self):
        return [line.split("|") for line in (self.folder / "calls").read_text().splitlines()]


@pytest.fixture
def job(tmp_path):
    return Job(tmp_path)


def test_both_commands_run_once_and_in_all_forms(job):
    job.lock.write_text("{}")
    job.run(TARGET="https://example.test/mcp", ARGUMENTS="--era legacy", FAIL_ON="routing")
    check, lock = job.calls
    assert check[:3] == ["check", "--fail-on", "error"]
    assert lock[:6] == ["lock", "check", "--lock", job.lock.name, "--fail-on", "routing"]
    for call in (check, lock):
        assert call[-3:] == ["--era", "legacy", "https://example.test/mcp"]
        assert call[call.index("--format") + 1] == "github"
    assert (job.folder / "summary").read_text() == "report of check\nreport of lock\n"
    assert Path(job.said["check"]).read_text() == "report of check\n"
    assert Path(job.said["lock"]).read_text() == "report of lock\n"
    assert job.said["exit-code"] == "0"


def test_a_stdio_server_is_named_by_its_words(job):
    job.lock.write_text("{}")
    job.run(SERVER_COMMAND="python server.py --port 1; rm -rf $HOME")
    assert job.calls[1][-8:] == ["--", "python", "server.py", "--port", "1;", "rm", "-rf", "$HOME"]


@pytest.mark.parametrize(
    ("check", "lock", "worse"),
    [
        (0, 0, 0),
        (1, 0, 1),
        (0, 1, 1),
        (3, 1, 1),
        (3, 0, 3),
        (1, 4, 4),
        (2, 4, 2),
        (70, 1, 70),
        (0, 137, 70),
        (130, 70, 130),
    ],
)
def test_the_worse_exit_code_is_told(job, check, lock, worse):
    job.lock.write_text("{}")
    job.run(CODE_check=str(check), CODE_lock=str(lock))
    assert job.said["exit-code"] == str(worse)


def test_without_a_lock_file_only_the_contract_is_checked(job):
    ran = job.run()
    assert [call[0] for call in job.calls] == ["check"]
    assert ran.stdout.startswith("::notice title=diagnose::There is no tool-surface.lock.json")
    assert "lock" not in job.said


def test_where_nothing_is_checked_the_job_is_not_green(job):
    job.run(CHECK="false")
    assert job.said["exit-code"] == "2"


def test_with_the_real_program(job):
    job.program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m diagnose "$@"\n')
    server = modern(tools=TOOLS)
    with answering(server) as url:
        real = [str(job.program), "lock", "write", url]
        subprocess.run(real, cwd=job.folder, check=True, capture_output=True)
        job.run(TARGET=url, CHECK="false")
        assert job.said["exit-code"] == "0"
        server.answers.update(modern(tools=[]).answers)
        ran = job.run(TARGET=url, CHECK="false")
    assert job.said["exit-code"] == "1"
    assert "::error file=tool-surface.lock.json," in ran.stdout
    assert "## Stale at baseline: `surface-changed`" in (job.folder / "summary").read_text()
    assert '"2.1.0"' in Path(job.said["lock"]).read_text()


def test_no_input_is_read_by_a_shell_as_a_part_of_a_script():
    text = (ACTION / "action.yml").read_text()
    scripts = re.findall(r"^( +)run: (?:\|\n((?:\1 +.*\n|\n)+)|(.*)\n)", text, re.MULTILINE)
    assert len(scripts) == 3
    assert not any("${{" in "".join(script) for script in scripts)


def test_every_input_is_declared_and_used():
    text = (ACTION / "action.yml").read_text()
    declared = re.findall(r"^  ([a-z-]+):\n    description: .*\n    required:", text, re.MULTILINE)
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(declared)
    told = set(re.findall(r"steps\.run\.outputs\.([a-z-]+)", text))
    assert told == {"exit-code", "check", "lock"}


def test_the_hook_runs_a_command_that_there_is():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    (entry,) = re.findall(r"^  entry: (.*)$", text, re.MULTILINE)
    ran = subprocess.run([sys.executable, "-m", *entry.split(), "--help"], capture_output=True, text=True, check=True)
    assert "Hold what a server lists now against the lock file" in ran.stdout

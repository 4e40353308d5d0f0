"""pixi.toml: right by hand, so held by rules; and the tasks that can be run here are run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PIXI = tomllib.loads((ROOT / "pixi.toml").read_text(encoding="utf-8"))
TASKS = PIXI["tasks"]
ASKED_FOR = ("diagnose_tool_surface", "demo", "test", "lint", "interop", "bench")


def words(task):
    command = task if isinstance(task, str) else task.get("cmd", "")
    return shlex.split(command)


def test_the_workspace_is_one_that_pixi_takes():
    workspace = PIXI["workspace"]
    assert workspace["name"] == "diagnose"
    assert workspace["channels"] == ["conda-forge"]
    assert set(workspace["platforms"]) == {"linux-64", "osx-arm64", "osx-64", "win-64"}
    assert set(PIXI) <= {"workspace", "dependencies", "pypi-dependencies", "tasks"}
    assert "python" in PIXI["dependencies"]
    ours = PIXI["pypi-dependencies"]["diagnose"]
    assert (ours["path"], ours["editable"]) == (".", True)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(ours["extras"]) <= set(extras)


def test_the_tasks_that_users_know_are_there():
    assert set(ASKED_FOR) <= set(TASKS)


@pytest.mark.parametrize("name", list(TASKS))
def test_a_task_has_the_form_of_pixi_and_what_it_runs_exists(name):
    task = TASKS[name]
    assert re.fullmatch(r"[A-Za-z0-9_-]+", name)
    if not isinstance(task, str):
        assert set(task) <= {"cmd", "depends-on"}
        assert all(needed in TASKS for needed in task.get("depends-on", []))
    command = words(task)
    if command:
        assert not set(" ".join(command)) & set("|;$`<>"), "the bootstrap runs no shell"
        assert command[0] == "python" or shutil.which(command[0], path=str(Path(sys.executable).parent)), command[0]
        for word in command[1:]:
            if word.startswith(("scripts/", "tests/")):
                assert (ROOT / word).exists(), word


def run(task, *arguments, **env):
    """Run a task's command as the bootstrap does, from another folder's point of view."""
    command = words(TASKS[task])
    command[0] = sys.executable if command[0] == "python" else str(Path(sys.executable).parent / command[0])
    clean = {key: value for key, value in os.environ.items() if not key.startswith("DIAGNOSE_")}
    return subprocess.run(
        [*command, *arguments], cwd=ROOT, env={**clean, **env}, capture_output=True, text=True, check=False, timeout=110
    )


def test_the_main_job_runs_and_says_that_it_asked_the_embedded_server(tmp_path):
    done = run("diagnose_tool_surface", "--format", "json", DIAGNOSE_DATA=str(tmp_path))
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["target"]["id"] == "demo"
    assert document["verdict"]["state"] == "in-sync"
    assert any("no target was named" in limit.lower() for limit in document["verdict"]["limits"])
    assert "no target was named" in done.stderr


def test_the_script_takes_what_surface_takes(tmp_path):
    script = [sys.executable, str(ROOT / "scripts" / "diagnose_tool_surface.py"), "--require-target"]
    done = subprocess.run(
        script, cwd=tmp_path, env={"HOME": str(tmp_path)}, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "no target was named" in done.stderr


def test_the_demo_runs(tmp_path):
    done = run("demo", DIAGNOSE_DATA=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "STALE" in done.stdout
    assert done.stdout.rstrip().splitlines()[-1]


def test_the_test_task_finds_the_tests():
    done = run("test", "--collect-only", "-q", "-n", "0", "tests/unit/scripts/test_tasks.py")
    assert done.returncode == 0, done.stdout
    assert "test_the_test_task_finds_the_tests" in done.stdout


def test_the_imports_keep_to_their_rooms():
    done = run("lint-rooms")
    assert done.returncode == 0, done.stdout


def test_the_bench_task_lists_its_benches():
    done = run("bench", "--list")
    assert done.returncode == 0, done.stderr
    assert "bench_surface" in done.stdout

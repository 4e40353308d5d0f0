"""The bootstrap: what it runs, what it says when it cannot, and that it never takes a half-made environment."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROJECT = '[project]\nname = "orchard"\nversion = "1"\n'
TASKS = f"""
[tasks]
hello = "{Path(sys.executable).as_posix()} -c 'import sys; print(sys.argv[1:])'"
failing = "{Path(sys.executable).as_posix()} -c 'raise SystemExit(7)'"
both = {{ cmd = "{Path(sys.executable).as_posix()} -c 'print(1)'", depends-on = ["failing"] }}
bundle = {{ depends-on = ["hello"] }}
missing = "no-such-program-here"
"""


@pytest.fixture
def bootstrap(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "bootstrap.py").write_bytes((ROOT / "scripts" / "bootstrap.py").read_bytes())
    (tmp_path / "pixi.toml").write_text(TASKS, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("bootstrap", tmp_path / "scripts" / "bootstrap.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def ready(bootstrap):
    bootstrap.PYTHON.parent.mkdir(parents=True)
    bootstrap.PYTHON.write_text("", encoding="utf-8")
    bootstrap.STAMP.write_text(bootstrap.wanted_stamp(), encoding="utf-8")
    return bootstrap


def test_a_task_runs_with_its_arguments(ready, capfd):
    assert ready.main(["hello", "a b", "--c"]) == 0
    assert "['a b', '--c']" in capfd.readouterr().out


def test_the_exit_code_of_the_task_is_passed_on(ready):
    assert ready.main(["failing"]) == 7


def test_what_a_task_needs_runs_first_and_ends_it_when_it_fails(ready, capfd):
    assert ready.main(["both"]) == 7
    assert "1" not in capfd.readouterr().out


def test_a_task_may_be_only_what_it_needs(ready, capfd):
    assert ready.main(["bundle"]) == 0
    assert "[]" in capfd.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["nonsense"]])
def test_an_unknown_task_is_told_with_those_that_there_are(ready, capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        ready.main(arguments)
    assert ended.value.code == 2
    assert "Tasks: hello, failing, both, bundle, missing." in capsys.readouterr().err


def test_a_program_that_is_missing_is_told(ready, capsys):
    with pytest.raises(SystemExit):
        ready.main(["missing"])
    assert "cannot run no-such-program-here" in capsys.readouterr().err


def test_an_old_python_is_told(ready, capsys, monkeypatch):
    monkeypatch.setattr(ready.sys, "version_info", (3, 10, 4))
    with pytest.raises(SystemExit):
        ready.main(["hello"])
    assert "is too old" in capsys.readouterr().err


def test_a_missing_venv_is_told_with_the_package(bootstrap, capsys, monkeypatch):
    def broken(*args, **rest):
        raise ImportError("No module named 'ensurepip'")

    monkeypatch.setattr(bootstrap.venv.EnvBuilder, "create", broken)
    with pytest.raises(SystemExit) as ended:
        bootstrap.main(["hello"])
    assert ended.value.code == 2
    assert "apt install python3-venv" in capsys.readouterr().err


def test_a_failing_install_is_told_and_leaves_no_stamp(bootstrap, capfd, monkeypatch):
    monkeypatch.setattr(bootstrap.venv.EnvBuilder, "create", lambda *args: None)
    bootstrap.PYTHON.parent.mkdir(parents=True)
    bootstrap.PYTHON.write_text("#!/bin/sh\necho no route to the index >&2\nexit 1\n", encoding="utf-8")
    bootstrap.PYTHON.chmod(0o755)
    with pytest.raises(SystemExit) as ended:
        bootstrap.main(["hello"])
    assert ended.value.code == 2
    assert "needs a network" in capfd.readouterr().err
    assert not bootstrap.STAMP.exists()


def test_a_change_of_pyproject_makes_it_install_again(ready):
    assert ready.is_ready()
    (ready.ROOT / "pyproject.toml").write_text(PROJECT + "# changed\n", encoding="utf-8")
    assert not ready.is_ready()


def test_an_environment_without_stamp_is_not_taken(ready):
    ready.STAMP.unlink()
    assert not ready.is_ready()


def test_it_imports_the_standard_library_only():
    code = "import sys; sys.path.insert(0, 'scripts'); import bootstrap; print([m for m in sys.modules if 'site-packages' in (getattr(sys.modules[m], '__file__', '') or '')])"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"

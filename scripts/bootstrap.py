"""Run a task of pixi.toml where pixi is not at hand: make .venv, install this project into it, run the task.

    python3 scripts/bootstrap.py TASK [ARGUMENT...]

It needs nothing but Python 3.11 or newer and, the first time, a network. A second run starts at once: what was installed
is remembered by a digest of pyproject.toml, and installed again when that changes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / ".bootstrapped"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
EXTRAS = "server,http2,dev"
OLDEST = (3, 11)


def fail(message: str, advice: str) -> NoReturn:
    """Say what is wrong and what to do, and exit 2."""
    print(f"bootstrap: {message}\n  {advice}", file=sys.stderr)
    raise SystemExit(2)


def read_tasks() -> dict[str, dict[str, Any]]:
    """Return the tasks of pixi.toml, each as a table with `cmd` and `depends-on`."""
    import tomllib

    tasks = tomllib.loads((ROOT / "pixi.toml").read_text(encoding="utf-8"))["tasks"]
    return {name: {"cmd": task} if isinstance(task, str) else task for name, task in tasks.items()}


def wanted_stamp() -> str:
    """Return what the environment must have been made from to be used as it is."""
    made_from = (ROOT / "pyproject.toml").read_bytes() + sys.version.encode() + EXTRAS.encode() + str(ROOT).encode()
    return hashlib.sha256(made_from).hexdigest()


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Let one bootstrap at a time work on the environment; another one waits."""
    lock = ROOT / ".venv.lock"
    with lock.open("a+") as file:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def is_ready() -> bool:
    """Tell whether the environment is there, whole, and made from what pyproject.toml says now."""
    return PYTHON.exists() and STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted_stamp()


def make_environment() -> None:
    """Make .venv and install the project into it. The stamp is written last, so that a half-made one is made again."""
    STAMP.unlink(missing_ok=True)
    print("bootstrap: making .venv and installing; the next run starts at once", file=sys.stderr)
    try:
        venv.EnvBuilder(with_pip=True, clear=not PYTHON.exists()).create(VENV)
    except (subprocess.CalledProcessError, OSError, ImportError) as error:
        fail(f"cannot make a virtual environment in {VENV}: {error}", "On Debian and Ubuntu: apt install python3-venv.")
    install = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-e", f".[{EXTRAS}]"]
    if subprocess.run(install, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode:
        fail("pip could not install the project", "The reason stands above; the first run needs a network and PyPI.")
    STAMP.write_text(wanted_stamp(), encoding="utf-8")


def run_task(name: str, arguments: list[str], tasks: dict[str, dict[str, Any]], environment: dict[str, str]) -> int:
    """Run what the task depends on, then the task; the first that fails ends it. Returns the exit code."""
    for needed in tasks[name].get("depends-on", []):
        code = run_task(needed, [], tasks, environment)
        if code:
            return code
    if "cmd" not in tasks[name]:
        return 0
    words = shlex.split(tasks[name]["cmd"]) + arguments
    program = BIN / (words[0] + (".exe" if os.name == "nt" else ""))
    words[0] = str(program) if program.exists() else words[0]
    try:
        return subprocess.run(words, cwd=ROOT, env=environment, check=False).returncode
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        fail(f"cannot run {words[0]}: {error.strerror}", f"Task {name} needs it.")


def main(arguments: list[str]) -> int:
    """Make the environment where it is missing, and run the task."""
    if sys.version_info < OLDEST:
        fail(f"Python {sys.version.split()[0]} is too old", "Run it with Python 3.11 or newer.")
    tasks = read_tasks()
    if not arguments or arguments[0] not in tasks:
        what = f"there is no task {arguments[0]!r}" if arguments else "no task was named"
        fail(what, "Tasks: " + ", ".join(tasks) + ".")
    with only_one():
        if not is_ready():
            make_environment()
    path = str(BIN) + os.pathsep + os.environ.get("PATH", "")
    environment = {**os.environ, "PATH": path, "VIRTUAL_ENV": str(VENV)}
    environment.pop("PYTHONHOME", None)
    return run_task(arguments[0], arguments[1:], tasks, environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

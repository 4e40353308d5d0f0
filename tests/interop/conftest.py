"""What others wrote: installed where it is needed, started, told apart from strangers, and ended."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVERS = Path(__file__).resolve().parent / "servers"
#: A server may take so long to listen, in seconds: some import a great deal, on a machine that has much to do.
START = 60
STOP = 5


def _peers():
    spec = importlib.util.spec_from_file_location("peers", ROOT / "scripts" / "peers.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


PEERS = _peers()


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(item.fspath).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.interop)


@pytest.fixture(scope="session")
def peer():
    """Return a function that gives a peer by name, made first if it is not there."""

    def get(name):
        found = PEERS.ALL[name]
        if not found.can_be_had:
            pytest.skip(f"{name} is a program for Linux on x86-64")
        found.make()
        return found

    return get


@pytest.fixture(scope="session")
def node(peer):
    """Return the Node that the JavaScript peers run on."""
    if PEERS.ALL["node"].can_be_had:
        peer("node")
    return str(PEERS.node())


@dataclass(frozen=True)
class Launch:
    """How to start a server: its command, and what it needs in its environment."""

    command: list
    env: dict = field(default_factory=dict)


def clean_environment(**extra):
    """The environment of this process without what would change a server's mind, and with ``extra``."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("DIAGNOSE_", "PYTHON", "NODE_"))}
    return {**kept, **extra}


@pytest.fixture(scope="session")
def launch(peer, node):
    """Return a function that tells how a row's server is started."""

    def words_of(row):
        found = peer(row.peer)
        places = {
            "bin": found.bin,
            "python": found.python,
            "modules": found.folder / "node_modules",
            "node": node,
            "servers": SERVERS,
        }
        command = [word.format(**places) for word in row.command]
        return Launch(command, {name: value.format(**places) for name, value in row.env.items()})

    return words_of


@pytest.fixture(scope="session")
def listening():
    """Return `serve`."""
    return serve


@contextmanager
def serve(launch, log):
    """Start a server in a group of its own and yield the port on which that very process listens; then end it."""
    with log.open("wb") as said:
        process = subprocess.Popen(
            launch.command,
            env=clean_environment(**launch.env),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        try:
            yield _port_of(process, log)
        finally:
            _end(process)


def _port_of(process, log):
    """Wait until the process, or a child of it, listens, and return where: no other process can be taken for it."""
    until = time.monotonic() + START
    while time.monotonic() < until:
        try:
            process.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
            for each in family:
                for connection in each.net_connections("tcp"):
                    if connection.status == psutil.CONN_LISTEN:
                        return connection.laddr.port
            continue
        break
    pytest.fail(f"no port was opened; it said: {log.read_text(errors='replace')[-2000:]}")


def _end(process):
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
        except ProcessLookupError:
            break
        try:
            process.wait(STOP)
        except subprocess.TimeoutExpired:
            continue
    process.wait(STOP)

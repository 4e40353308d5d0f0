"""Nothing is written but below the data folder, the system's temporary folder, and to files that a person named.

Every client's home is full of files that must not even be touched; only `quarantine move --yes` moves one, when told to.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from support.writes import Watched

from diagnose.cli.app import COMMANDS
from diagnose.clients import CLIENTS
from diagnose.jobs.embedded import embedded

ROOT = Path(__file__).resolve().parents[3]
RECORDING = ROOT / "tests" / "recordings" / "sessions" / "02-codex-ignores-signal.jsonl"
SERVER = '{"mcpServers": {"orchard": {"url": "http://127.0.0.1:9/mcp", "headers": {"X-Key": "s3cret-s3cret"}}}}'
#: A client that never connects.
NOBODY = (sys.executable, "-c", "pass")
BESIDES = (".codex/auth.json", ".codex/cache/apps.json", ".claude/.credentials.json", ".config/Code/Cache/x", ".netrc")


def planted(home):
    """Put a file in each place where a client has one, old enough that a touch would show."""
    own = [file.paths["linux"] for entry in CLIENTS for file in entry.configuration]
    named = [path.partition("/")[2] for path in own if path.startswith("{home}")]
    for name in {*named, *BESIDES}:
        place = home / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(SERVER if name.endswith(".json") else "", encoding="utf-8")
        os.utime(place, (1_000_000, 1_000_000))


def tree(folder):
    """Return every file and folder below it, with its time, mode and content."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mtime_ns,
            path.lstat().st_mode,
            path.is_file() and path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def world(tmp_path):
    for name in ("home", "tmp", "work", "out"):
        (tmp_path / name).mkdir()
    planted(tmp_path / "home")
    places = {
        "HOME": "home",
        "USERPROFILE": "home",
        "TMPDIR": "tmp",
        "TEMP": "tmp",
        "TMP": "tmp",
        "DIAGNOSE_DATA": "data",
    }
    env = {name: str(tmp_path / place) for name, place in places.items()}
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "COMSPEC") if name in os.environ}
    return tmp_path, Watched(tmp_path, {**kept, **env, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"})


def commands(url, out, home):
    """Return a command of every family, and the exit codes that show that it did its work."""
    lock, plan, case = str(out / "a.lock.json"), str(out / "plan.json"), str(out / "case.zip")
    cache = str(home / ".codex" / "cache" / "apps.json")
    names = out / "names.txt"
    names.write_text("pick_apples\n", encoding="utf-8")
    beside = ("--client", "codex", "--server-key", "orchard", "--registry", str(names))
    return [
        (("surface", url), {0}),
        (("surface", url, "--save", "--also", f"sarif={out / 'a.sarif'}", "-o", str(out / "a.txt")), {0}),
        (("surface", "demo", *beside), {0, 1, 3}),
        (("check", url, "--wait", "0.2"), {0, 1, 3}),
        (("triage", url, "--recording", str(RECORDING), *beside), {0, 1, 3}),
        (("collect", url, *beside, "-o", case), {0}),
        (("triage", case), {0, 1, 3}),
        *(((name, url), {0}) for name in ("health", "version", "manifest", "revision")),
        (("watch", url, "--for", "0.2"), {0}),
        (("snapshot", "take", url), {0}),
        (("snapshot", "list"), {0}),
        (("snapshot", "prune", "--keep", "1", "--yes"), {0}),
        (("diff", "snapshot:latest", url), {0}),
        (("lock", "write", url, "-o", lock), {0}),
        (("lock", "check", url, "--lock", lock), {0}),
        (("plan", "pin", url, "--tool", "pick_apples", "-o", plan), {0}),
        (("plan", "check", plan, url), {0}),
        (("clients", "list"), {0, 3}),
        (("clients", "show", "codex"), {0}),
        (("clients", "names", "--client", "codex", "--server-key", "orchard", url), {0}),
        (("clients", "bench", "--only", "era", "--timeout", "1", "--wait", "0.2", "--", *NOBODY), {0, 1, 3}),
        (("clients", "tap-config", "cursor", "orchard"), {0}),
        (("statesync", "check", "--recording", str(RECORDING)), {0, 3}),
        (("statesync", "trust", str(RECORDING)), {0, 3}),
        (("timeline", str(RECORDING), "--format", "html", "-o", str(out / "timeline.html")), {0, 1, 3}),
        (("auth", "status"), {0}),
        (("explain", "origin"), {0}),
        (("serve", "--list-faults"), {0}),
        (("demo",), {0}),
        (("quarantine", "move", cache, "--reason", "x"), {0}),
        (("quarantine", "list"), {0}),
    ]


@pytest.mark.timeout(300)  # every command there is, on a machine that has much to do
@pytest.mark.skipif(os.name != "posix", reason="a home as Linux and macOS lay it out")
def test_every_command_writes_its_own_files_and_no_other(world):
    folder, watched = world
    home = folder / "home"
    before = tree(home)
    with embedded() as server:
        asked = commands(server.url, folder / "out", home)
        assert {args[0] for args, _ in asked} == set(COMMANDS) - {"tap"}  # which has a test of its own
        came = watched.diagnose([args for args, _ in asked], cwd=folder / "work")
    for (args, codes), (code, said) in zip(asked, came, strict=True):
        assert code in codes, (args, code, said)
    assert watched.outside(folder / "data", folder / "tmp", folder / "out") == []
    assert tree(home) == before
    assert list((folder / "work").iterdir()) == []
    assert {path.parent.name for _, path in watched.writes} >= {"data", "out"}  # the hook was there


@pytest.mark.skipif(os.name != "posix", reason="a stdin that ends at once")
def test_a_tap_writes_its_recording_and_no_other(world):
    folder, watched = world
    before = tree(folder / "home")
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
    server = ("--", sys.executable, "-m", "diagnose", "serve", "--stdio")
    tapped = ("-m", "diagnose", "tap", "stdio", "-o", str(folder / "out" / "session.jsonl"), *server)
    watched.python(*tapped, cwd=folder / "work", stdin=asked)
    assert watched.outside(folder / "data", folder / "tmp", folder / "out") == []
    assert (folder / "out" / "session.jsonl").exists()
    assert tree(folder / "home") == before
    assert any(path.name == "session.jsonl" for _, path in watched.writes)  # the recorder's own process was seen


@pytest.mark.parametrize(
    "deed",
    [
        "open('x', 'w')",
        "open('.netrc', 'ab')",
        "os.open('x', os.O_CREAT | os.O_WRONLY)",
        "os.rename('.netrc', 'x')",
        "os.mkdir('x')",
        "os.remove('.netrc')",
        "os.chmod('.netrc', 0o600)",
        "os.utime('.netrc')",
        "os.symlink('.netrc', 'x')",
        "import pathlib; pathlib.Path('x').touch()",
        "import sqlite3; sqlite3.connect('x')",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', 'open(\"x\", \"w\")'], check=True)",
    ],
)
def test_a_write_elsewhere_would_be_seen(world, deed):
    folder, watched = world
    watched.python("-c", f"import os; {deed}", cwd=folder / "home")
    assert watched.outside(folder / "data", folder / "tmp", folder / "out") != []

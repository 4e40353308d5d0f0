"""What the taps add beside what the proxies of others add: mitmproxy, FastMCP and mcp-proxy, on the same traffic in one run.

Each stands before a server that answers at once, and a client lists through each of them in turns. mcp-proxy changes the
transport and so stands before that server's other form. The peers are those of scripts/peers.py; one that cannot be made
here is left out, and said.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench_tap import Ask, child, program
from ratios import Figure, main

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import peers

STUB = [sys.executable, "-S", str(Path(__file__).with_name("stub.py"))]
ROUNDS, ASKS, BURST = 8, 25, 400
SESSIONS = 50
START = 90.0
#: Seconds after which nothing slow is measured once more.
PATIENCE = 3.0
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
BOTH = "application/json, text/event-stream"
FASTMCP_HTTP = """
import sys
from fastmcp.server import create_proxy
create_proxy(sys.argv[1], name="p").run("http", host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
"""
FASTMCP_STDIO = """
import sys
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
create_proxy(StdioTransport(sys.argv[1], sys.argv[2:]), name="p").run("stdio", show_banner=False)
"""


def listing(number: int) -> dict[str, object]:
    """Return a request for the list."""
    return {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": {}}


class HttpClient:
    """A session over a connection that is kept."""

    def __init__(self, port: int, path: str = "/mcp") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._connect()
        self._path = path
        self._headers = {"Content-Type": "application/json", "Accept": BOTH}
        answer, _ = self._post(HELLO)
        session = answer.getheader("Mcp-Session-Id")
        if session is not None:
            self._headers["Mcp-Session-Id"] = session
        self._headers["MCP-Protocol-Version"] = "2025-11-25"
        self._post(INITIALIZED)

    def ask(self) -> None:
        """List once; some close a connection that rests for a few seconds."""
        try:
            _, body = self._post(listing(7))
        except (OSError, http.client.HTTPException):
            self._connect()
            _, body = self._post(listing(7))
        assert b"pick_apples" in body, body

    def listen(self) -> http.client.HTTPResponse:
        """Open the stream of the session; the connection is then taken."""
        self._connection.request("GET", self._path, headers={**self._headers, "Accept": "text/event-stream"})
        return self._connection.getresponse()

    def _connect(self) -> None:
        self._connection.close()
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _post(self, message: Mapping[str, object]) -> tuple[http.client.HTTPResponse, bytes]:
        self._connection.request("POST", self._path, body=json.dumps(message), headers=self._headers)
        answer = self._connection.getresponse()
        return answer, answer.read()


class StdioClient:
    """A session over a pipe."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._say(HELLO)
        self._hear(0)
        self._say(INITIALIZED)

    def ask(self) -> None:
        """List once."""
        self._say(listing(7))
        self._hear(7)

    def burst(self) -> None:
        """List many times without waiting for an answer."""
        data = b"".join(json.dumps(listing(number)).encode() + b"\n" for number in range(1, BURST + 1))
        writer = threading.Thread(target=self._in.write, args=(data,))
        writer.start()
        left = set(range(1, BURST + 1))
        while left:
            left.discard(json.loads(self._out.readline()).get("id"))
        writer.join()

    def _say(self, message: Mapping[str, object]) -> None:
        self._in.write(json.dumps(message).encode() + b"\n")

    def _hear(self, number: int) -> None:
        while json.loads(self._out.readline()).get("id") != number:
            pass


def taken(asks: Mapping[str, Ask]) -> dict[str, list[float]]:
    """Return the milliseconds of each question by way; the ways take turns, and a first round does not count."""
    times: dict[str, list[float]] = {name: [] for name in asks}
    for turn in range(ROUNDS + 1):
        for name, ask in asks.items():
            ask()  # which may have to connect anew
            for _ in range(ASKS):
                start = time.perf_counter()
                ask()
                if turn:
                    times[name].append((time.perf_counter() - start) * 1000)
    return times


def beside(what: str, times: Mapping[str, list[float]], direct: Mapping[str, str]) -> Iterator[Figure]:
    """Yield what each way adds, and the tap's part of what a peer adds; ``direct`` names the direct way of each."""
    middle = {name: statistics.median(each) for name, each in times.items()}
    slow = {name: statistics.quantiles(each, n=100)[98] for name, each in times.items()}
    added = {name: middle[name] - middle[way] for name, way in direct.items()}
    for name, way in direct.items():
        yield Figure(what=f"{what}: ms added by {name}, median", ratio=added[name])
        yield Figure(what=f"{what}: ms added by {name}, 99th percentile", ratio=slow[name] - slow[way])
    for name in direct:
        if name != "the tap":
            yield Figure(what=f"{what}: added by the tap / by {name}", ratio=added["the tap"] / added[name], limit=1.0)


def bursts(what: str, jobs: Mapping[str, Callable[[], None]]) -> Iterator[Figure]:
    """Yield how the time of many questions at once through the tap stands to that of each other way."""
    seconds = {}
    for name, job in jobs.items():
        runs: list[float] = []
        while len(runs) < 3 and sum(runs) < PATIENCE:
            start = time.perf_counter()
            job()
            runs.append(time.perf_counter() - start)
        seconds[name] = statistics.median(runs)
    for name in jobs:
        if name != "the tap":
            limit = None if name.startswith("direct") else 1.0
            ratio = seconds["the tap"] / seconds[name]
            yield Figure(what=f"{what}: time of {BURST} lists through the tap / {name}", ratio=ratio, limit=limit)


def at_once(port: int) -> Callable[[], None]:
    """Return a job that lists many times on eight kept connections at once."""
    clients = [HttpClient(port) for _ in range(8)]

    def job() -> None:
        threads = [threading.Thread(target=lambda c=each: [c.ask() for _ in range(BURST // 8)]) for each in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return job


def ready(port: int) -> int:
    """Wait until somebody listens there."""
    end = time.monotonic() + START
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return port
    raise TimeoutError(f"nobody listens on {port}")


def free_port() -> int:
    """Return a port that nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def made(name: str) -> peers.Peer | None:
    """Return a peer, made if need be; None where it cannot be."""
    try:
        peers.ALL[name].make()
    except peers.PeerError as error:
        print(f"bench_tap_peers: without {name}: {error}", file=sys.stderr)
        return None
    return peers.ALL[name]


@contextmanager
def silent(command: list[str], env: Mapping[str, str]) -> Iterator[None]:
    """Run a child that says what nobody reads."""
    null = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=null, stdout=null, stderr=null, env=dict(env))
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def over_http(stack: ExitStack, folder: Path, env: dict[str, str]) -> list[Figure]:
    """Measure the proxies over HTTP."""
    stub = stack.enter_context(child([*STUB, "http"], env))
    port = int(stub.stdout.readline())
    url = f"http://127.0.0.1:{port}/mcp"
    tap = stack.enter_context(child(program(folder, "http", "--listen", "127.0.0.1:0", "--to", url), env))
    said = b""
    while b"as the server's URL" not in said:
        said = tap.stderr.readline()
    ports = {"direct": port, "the tap": int(said.split(b"http://127.0.0.1:")[1].split(b"/")[0])}
    commands = {}
    if (mitmproxy := made("mitmproxy")) is not None:
        commands["mitmproxy"] = [str(mitmproxy.bin / "mitmdump"), "--quiet", "--set", f"confdir={folder}"]
        commands["mitmproxy"] += [
            "--mode",
            f"reverse:http://127.0.0.1:{port}",
            "--listen-host",
            "127.0.0.1",
            "--listen-port",
        ]
    if (fastmcp := made("fastmcp-4")) is not None:
        commands["FastMCP"] = [str(fastmcp.python), "-c", FASTMCP_HTTP, url]
    for name, command in commands.items():
        ports[name] = free_port()
        stack.enter_context(silent([*command, str(ports[name])], env))
    if (mcp_proxy := made("mcp-proxy")) is not None:
        ports["mcp-proxy"] = free_port()
        words = [str(mcp_proxy.bin / "mcp-proxy"), "--port", str(ports["mcp-proxy"]), "--pass-environment"]
        stack.enter_context(silent([*words, "--", *STUB, "stdio"], env))
    clients = {name: HttpClient(ready(at)) for name, at in ports.items()}
    pipe = StdioClient(stack.enter_context(child([*STUB, "stdio"], env)))
    asks: dict[str, Ask] = {name: client.ask for name, client in clients.items()}
    direct = {name: "direct" for name in clients if name != "direct"}
    if "mcp-proxy" in direct:
        asks["direct, the pipe"], direct["mcp-proxy"] = pipe.ask, "direct, the pipe"
    jobs = {name: at_once(at) for name, at in ports.items()}
    return [
        *beside("HTTP", taken(asks), direct),
        *bursts("HTTP", jobs),
        held_open(tap, ports["the tap"]),
    ]


def held_open(tap: subprocess.Popen[bytes], port: int) -> Figure:
    """Measure the memory of the tap and its recorder while many sessions have their streams open."""
    import psutil

    streams = [HttpClient(port).listen() for _ in range(SESSIONS)]
    assert all(stream.status == 200 for stream in streams)
    family = [psutil.Process(tap.pid), *psutil.Process(tap.pid).children()]
    megabytes = sum(process.memory_info().rss for process in family) / 1024 / 1024
    return Figure(
        what=f"HTTP: MB of tap and recorder, {SESSIONS} sessions with open streams", ratio=megabytes, limit=150
    )


def over_stdio(stack: ExitStack, folder: Path, env: dict[str, str]) -> list[Figure]:
    """Measure the proxies over stdio."""
    server = [*STUB, "stdio"]
    commands = {"direct": server, "the tap": program(folder, "stdio", "--", *server)}
    if (fastmcp := made("fastmcp-4")) is not None:
        commands["FastMCP"] = [str(fastmcp.python), "-c", FASTMCP_STDIO, *server]
    web = None
    if (mcp_proxy := made("mcp-proxy")) is not None:
        port = int(stack.enter_context(child([*STUB, "http"], env)).stdout.readline())
        web = HttpClient(port)
        words = [str(mcp_proxy.bin / "mcp-proxy"), "--transport", "streamablehttp", f"http://127.0.0.1:{port}/mcp"]
        commands["mcp-proxy"] = words
    clients = {}
    for name, command in commands.items():
        process = stack.enter_context(child(command, env))
        threading.Thread(target=process.stderr.read, daemon=True).start()
        clients[name] = StdioClient(process)
    asks: dict[str, Ask] = {name: client.ask for name, client in clients.items()}
    direct = {name: "direct" for name in clients if name != "direct"}
    if web is not None:
        asks["direct, HTTP"], direct["mcp-proxy"] = web.ask, "direct, HTTP"
    jobs = {name: client.burst for name, client in clients.items()}
    return [*beside("stdio, a question", taken(asks), direct), *bursts("stdio", jobs)]


def measure() -> list[Figure]:
    """Measure both taps beside the proxies of others."""
    folder = Path(tempfile.mkdtemp())
    env = {**os.environ, "DIAGNOSE_DATA": str(folder / "data"), "FASTMCP_LOG_LEVEL": "CRITICAL"}
    try:
        with ExitStack() as stack:
            return [*over_stdio(stack, folder, env), *over_http(stack, folder, env)]
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    raise SystemExit(main(measure))

"""What the taps add to a session: a client asks a server that answers at once, directly and through the tap, in turns."""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ratios import Figure, main

ROUNDS = 30
ASKS = 100
STREAM = 20_000
REQUEST = b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"progressToken":7}}}'
ANSWER = b'{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"pick_apples","inputSchema":{"type":"object"}}]}}'

ECHO = "import os\nwhile data := os.read(0, 65536):\n    while data: data = data[os.write(1, data):]\n"
HTTP_SERVER = f"""
import asyncio
BODY = {ANSWER!r}
ANSWER = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(BODY) + BODY
class Server(asyncio.Protocol):
    def connection_made(self, transport): self.transport = transport
    def data_received(self, data): self.transport.write(ANSWER)
async def main():
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
Ask = Callable[[], None]


def program(folder: Path, *words: str) -> list[str]:
    """Return the command line of a tap that records into a folder."""
    return [
        sys.executable,
        "-P",
        "-m",
        "diagnose",
        "tap",
        words[0],
        "-o",
        str(folder / f"{words[0]}.jsonl"),
        *words[1:],
    ]


@contextmanager
def child(command: list[str], env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a child for the length of the block."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, bufsize=0)
    try:
        yield process
    finally:
        process.stdin.close()
        process.terminate()
        process.wait()


def line_asker(process: subprocess.Popen[bytes]) -> Ask:
    """Return what sends one line and waits for it to come back."""

    def ask() -> None:
        process.stdin.write(REQUEST + b"\n")
        process.stdout.readline()

    return ask


def http_asker(stack: ExitStack, port: int) -> Ask:
    """Return what asks on a connection that is kept."""
    connection = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(REQUEST)}\r\n\r\n"
    request = head.encode() + REQUEST

    def ask() -> None:
        connection.sendall(request)
        came = b""
        while not came.endswith(ANSWER):
            came += connection.recv(65536)

    return ask


def taken(asks: dict[str, Ask]) -> dict[str, list[float]]:
    """Return the milliseconds of each question, by way; the ways take turns, and a first round does not count."""
    times: dict[str, list[float]] = {name: [] for name in asks}
    for turn in range(ROUNDS + 1):
        for name, ask in asks.items():
            for _ in range(ASKS):
                start = time.perf_counter()
                ask()
                if turn:
                    times[name].append((time.perf_counter() - start) * 1000)
    return times


def added(what: str, times: dict[str, list[float]], *, lines: int, limit: float) -> list[Figure]:
    """Return what the tap adds, in milliseconds, and how often that is the time of a direct question."""
    middle = {name: statistics.median(each) for name, each in times.items()}
    slow = {name: statistics.quantiles(each, n=100)[98] for name, each in times.items()}
    return [
        Figure(what=f"{what}: ms added, median", ratio=(middle["tap"] - middle["direct"]) / lines, limit=limit),
        Figure(what=f"{what}: ms added, 99th percentile", ratio=(slow["tap"] - slow["direct"]) / lines),
        Figure(what=f"{what}: median through the tap / direct", ratio=middle["tap"] / middle["direct"]),
        Figure(what=f"{what}: 99th percentile through the tap / direct", ratio=slow["tap"] / slow["direct"]),
    ]


def streamed(process: subprocess.Popen[bytes]) -> float:
    """Return the seconds that many lines need when nobody waits for the answer to each."""
    data = (REQUEST + b"\n") * STREAM
    start = time.perf_counter()
    writer = threading.Thread(target=process.stdin.write, args=(data,))
    writer.start()
    left = len(data)
    while left:
        left -= len(os.read(process.stdout.fileno(), 65536))
    writer.join()
    return time.perf_counter() - start


def over_stdio(stack: ExitStack, folder: Path, env: dict[str, str]) -> list[Figure]:
    """Measure the shim."""
    server = [sys.executable, "-S", "-c", ECHO]
    ways = {"direct": server, "tap": program(folder, "stdio", "--", *server)}
    children = {name: stack.enter_context(child(command, env)) for name, command in ways.items()}
    times = taken({name: line_asker(process) for name, process in children.items()})
    whole = {name: statistics.median(streamed(process) for _ in range(3)) for name, process in children.items()}
    return [
        *added("stdio, a line", times, lines=2, limit=0.2),
        Figure(what="stdio: time of 20,000 lines through the tap / direct", ratio=whole["tap"] / whole["direct"]),
    ]


def over_http(stack: ExitStack, folder: Path, env: dict[str, str]) -> list[Figure]:
    """Measure the proxy."""
    port = int(stack.enter_context(child([sys.executable, "-c", HTTP_SERVER], env)).stdout.readline())
    command = program(folder, "http", "--listen", "127.0.0.1:0", "--to", f"http://127.0.0.1:{port}/mcp")
    tap = stack.enter_context(child(command, env))
    said = b""
    while b"as the server's URL" not in said:
        said = tap.stderr.readline()
    tapped = int(said.split(b"http://127.0.0.1:")[1].split(b"/")[0])
    times = taken({"direct": http_asker(stack, port), "tap": http_asker(stack, tapped)})
    return added("HTTP, a request on a kept connection", times, lines=1, limit=0.7)


def measure() -> list[Figure]:
    """Measure both taps."""
    folder = Path(tempfile.mkdtemp())
    env = {**os.environ, "DIAGNOSE_DATA": str(folder / "data")}
    try:
        with ExitStack() as stack:
            return [*over_stdio(stack, folder, env), *over_http(stack, folder, env)]
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    raise SystemExit(main(measure))

"""Measure the clients that PyPI and npm have, and write what came of it as rows of the playbook.

    python scripts/measure_clients.py [NAME...]     these, or all: one to three minutes each
    python scripts/measure_clients.py --list        tell which there are

Each is put before the reference server by `diagnose clients bench`; the clients are peers (scripts/peers.py), each in an
environment of its own. A row goes to diagnose/clients/measured/rows/, which `clients show` reads.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peers

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "diagnose" / "clients" / "measured" / "rows"
DRIVERS = ROOT / "scripts" / "bench_clients"


#: Clients that no test needs, so that only whoever measures installs them.
ONLY_HERE = (
    peers.Peer(
        name="claude-code-2-1-197",
        kind="npm",
        packages=("@anthropic-ai/claude-code-linux-x64@2.1.197",),
        what="Claude Code before the modern era",
        binary=True,
    ),
    peers.Peer(name="fastmcp-3", kind="pip", packages=("fastmcp==3.4.*",), what="FastMCP before the modern era"),
    peers.Peer(
        name="typescript-client-1",
        kind="npm",
        packages=("@modelcontextprotocol/sdk@^1.32",),
        what="the TypeScript SDK 1",
    ),
    peers.Peer(name="ai-sdk", kind="npm", packages=("@ai-sdk/mcp@2.0.99",), what="the AI SDK's client"),
    peers.Peer(name="pydantic-ai", kind="pip", packages=("pydantic-ai-slim[mcp]==2.68.*",), what="Pydantic AI"),
    peers.Peer(name="openai-agents", kind="pip", packages=("openai-agents==0.24.*",), what="the OpenAI Agents SDK"),
    peers.Peer(
        name="langchain-mcp", kind="pip", packages=("langchain-mcp-adapters==0.3.*",), what="LangChain's adapters"
    ),
)
peers.ALL.update({peer.name: peer for peer in ONLY_HERE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How one client is measured: its peer, the bench's options, and the command behind `--`."""

    client: str
    peer: str
    options: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    how: str = ""

    def words(self) -> list[str]:
        """Return the bench's command line."""
        peer = peers.ALL[self.peer]
        places = {"folder": peer.folder, "bin": peer.bin, "drivers": DRIVERS, "python": sys.executable}
        if peer.kind == "pip":
            places["python"] = peer.python
        behind = [_filled(word, places) for word in self.command]
        before = [_filled(word, places) for word in self.options]
        return ["clients", "bench", "--client", self.client, *before, *(["--", *behind] if behind else [])]


def _filled(word: str, places: dict[str, Any]) -> str:
    for name, value in places.items():
        word = word.replace(f"<{name}>", str(value))
    return word


def _runner(name: str, peer: str, *options: str, client: str | None = None, how: str = "") -> Setup:
    return Setup(client=client or name, peer=peer, options=("--runner", name, "--in", "<folder>", *options), how=how)


def _python(client: str, peer: str, driver: str, *words: str, how: str = "") -> Setup:
    command = ("<python>", f"<drivers>/{driver}", "{url}", *words)
    return Setup(client=client, peer=peer, options=("--lines",), command=command, how=how)


def _claude(peer: str) -> Setup:
    program = "<folder>/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
    return Setup(
        client="claude-code",
        peer=peer,
        options=("--lines", "--timeout", "60"),
        command=("<python>", "<drivers>/claude_code.py", program, "{url}", "{home}"),
        how="claude -p over stream-json, by mcp_status and mcp_reconnect, no model turn",
    )


ALL: dict[str, Setup] = {
    "mcp-python-1": _runner("mcp-python", "mcp-1"),
    "mcp-python-2": _runner("mcp-python", "mcp-2"),
    "mcp-typescript-1": _runner("mcp-typescript", "typescript-client-1", how="with its option listChanged"),
    "mcp-typescript-2": _runner("mcp-typescript", "typescript-client-2", how="with its option listChanged"),
    "mcp-typescript-2-auto": _runner(
        "mcp-typescript",
        "typescript-client-2",
        "--era",
        "auto",
        how="with its option listChanged, and versionNegotiation auto",
    ),
    "fastmcp-2": _runner("fastmcp", "fastmcp-2"),
    "fastmcp-3": _runner("fastmcp", "fastmcp-3"),
    "fastmcp-4": _runner("fastmcp", "fastmcp-4"),
    "codex": _runner("codex", "codex", how="a thread of its app-server, no model turn"),
    "codex-modern": _runner(
        "codex",
        "codex",
        "--era",
        "modern",
        how="a thread of its app-server, with feature flag and variable for 2026-07-28",
    ),
    "inspector": _runner("inspector", "inspector", how="--cli --method tools/list"),
    "mcporter": Setup(
        client="mcporter",
        peer="mcporter",
        command=("<bin>/mcporter", "list", "{url}", "--json", "--allow-http"),
        how="list URL --json",
    ),
    "claude-code": _claude("claude-code"),
    "claude-code-legacy": _claude("claude-code-2-1-197"),
    "gemini-cli": Setup(
        client="gemini-cli",
        peer="gemini-cli",
        options=("--lines", "--timeout", "60"),
        command=("<python>", "<drivers>/gemini_cli.py", "<bin>/gemini", "{url}", "{home}"),
        how="--acp, with a model of ours on loopback",
    ),
    "pydantic-ai": _python("pydantic-ai", "pydantic-ai", "pydantic_ai_client.py", how="MCPToolset"),
    "openai-agents": _python(
        "openai-agents", "openai-agents", "openai_agents_client.py", how="MCPServerStreamableHttp"
    ),
    "openai-agents-cache": _python(
        "openai-agents",
        "openai-agents",
        "openai_agents_client.py",
        "cache",
        how="MCPServerStreamableHttp with cache_tools_list",
    ),
    "langchain-mcp-adapters": _python(
        "langchain-mcp-adapters", "langchain-mcp", "langchain_client.py", how="load_mcp_tools of one session"
    ),
    "ai-sdk": Setup(
        client="ai-sdk",
        peer="ai-sdk",
        options=("--lines",),
        command=("node", "<drivers>/ai_sdk_client.mjs", "<folder>", "{url}"),
        how="createMCPClient over http",
    ),
}


def main(arguments: Sequence[str]) -> int:
    """List the setups, or measure those named; return the exit code."""
    if list(arguments) == ["--list"]:
        for name, setup in ALL.items():
            print(f"{name:24}{setup.client}{f' ({setup.how})' if setup.how else ''}")
        return 0
    unknown = [name for name in arguments if name not in ALL]
    if unknown:
        print(f"measure_clients: there is no setup {unknown[0]!r}; --list tells which there are", file=sys.stderr)
        return 2
    names = list(arguments) or list(ALL)
    problems = peers.prepare([*dict.fromkeys([*(ALL[name].peer for name in names), "node"])])
    for problem in problems:
        print(f"measure_clients: {problem}\n  {problem.advice}", file=sys.stderr)
    return max((_measure(name, ALL[name]) for name in names), default=0) if not problems else 1


def _measure(name: str, setup: Setup) -> int:
    """Run the bench once and write the row; returns the bench's exit code."""
    path = os.pathsep.join([str(peers.node().parent), os.environ.get("PATH", "")])
    env = {**os.environ, "PATH": path}
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "bench.json")
        program = [sys.executable, "-P", "-m", "diagnose", *setup.words()]
        options = ["--format", "json", "--output", str(result)]
        cut = program.index("--") if "--" in program else len(program)
        done = subprocess.run([*program[:cut], *options, *program[cut:]], env=env, check=False)
        if done.returncode:
            return done.returncode
        document = json.loads(result.read_text(encoding="utf-8"))
    ROWS.mkdir(exist_ok=True)
    (ROWS / f"{name.replace('-', '_')}.py").write_text(row_text(name, setup, document), encoding="utf-8")
    return 0


def row_text(name: str, setup: Setup, document: dict[str, Any]) -> str:
    """Return a row as a Python module."""
    results = [
        f"        Result({_quoted(each['name'])}, {_quoted(each['answer'])}, {_quoted(each['says'])}),"
        for each in document["measurements"]
    ]
    lines = [
        f'"""Measured by `python scripts/measure_clients.py {name}`."""',
        "",
        "from __future__ import annotations",
        "",
        "from diagnose.clients.measured.row import Result, Row",
        "",
        "ROW = Row(",
        f"    client={_quoted(setup.client)},",
        f"    version={_quoted(document['client']['version'])},",
        f"    date={_quoted(document['at'][:10])},",
        f"    setup={_quoted(name)},",
        f"    how={_quoted(setup.how)},",
        "    results=(",
        *results,
        "    ),",
        ")",
        "",
    ]
    return "\n".join(lines)


def _quoted(text: str | None) -> str:
    """Return a text as the formatter writes it."""
    return repr(text) if text is None or '"' in text or "\\" in text else f'"{text}"'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The clients that the bench can start by name, each with what it needs of the machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from diagnose.errors import UsageError
from diagnose.observe.bench.client import Form, Plan
from diagnose.wire.eras import MODERN

Era: TypeAlias = Literal["default", "auto", "modern", "legacy"]
"""default: as the client chooses where nobody tells it."""

_DRIVERS: Final = Path(__file__).with_name("drivers")
_CODEX: Final = """\
cli_auth_credentials_store = "file"

[mcp_servers.orchard]
url = "{url}"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """One client. ``program`` is what is run; ``driver`` is what it is given to run, where it is an interpreter."""

    name: str
    what: str
    client: str
    """Its id in the playbook."""
    program: str
    form: Form = "lines"
    driver: str | None = None
    arguments: tuple[str, ...] = ()
    eras: tuple[Era, ...] = ("default",)

    def plan(self, program: Sequence[str], folder: str | None, era: Era) -> Plan:
        """Return how it is started. Raises UsageError for an era that it cannot be told."""
        if era not in self.eras:
            told = "it chooses by itself" if self.eras == ("default",) else f"it takes {', '.join(self.eras)}"
            raise UsageError(f"--era {era} cannot be told to {self.name}: {told}")
        if folder is not None and not Path(folder).is_dir():
            raise UsageError(
                f"--in {folder} is no folder", advice="Name the npm prefix or Python environment that has the client."
            )
        words = list(program) or [_found(self.program, folder)]
        if self.driver is not None:
            words += [*_ISOLATED.get(self.program, ()), str(_DRIVERS / self.driver), "{url}", era]
            words += [str(Path(folder or ".").absolute())] if self.program == "node" else []
        env: dict[str, str] = {}
        files: dict[str, str] = {}
        if self.form == "codex":
            env, files = {"CODEX_HOME": "{home}"}, {"config.toml": _CODEX}
            if era == "modern":  # measured on 0.171.0: it takes both
                env["CODEX_MCP_PROTOCOL_VERSION"] = MODERN[0]
                files["config.toml"] += "\n[features]\nmcp_2026_07_28 = true\n"
        return Plan(command=(*words, *self.arguments), form=self.form, env=env, files=files)


#: The interpreter's own folders alone: neither the working directory nor the driver's.
_ISOLATED: Final = {"python": ("-I",)}

RUNNERS: dict[str, Runner] = {
    runner.name: runner
    for runner in (
        Runner(
            name="codex",
            what="Codex, a thread of its app-server",
            client="codex",
            program="codex",
            form="codex",
            arguments=("app-server",),
            eras=("default", "modern"),
        ),
        Runner(
            name="fastmcp",
            what="the client of FastMCP",
            client="fastmcp",
            program="python",
            driver="fastmcp_client.py",
        ),
        Runner(
            name="mcp-python",
            what="the client of the Python SDK, 1.x or 2.x",
            client="mcp-python",
            program="python",
            driver="python_sdk.py",
            eras=("default", "auto", "legacy"),
        ),
        Runner(
            name="mcp-typescript",
            what="the client of the TypeScript SDK, 1.x or 2.x, with its option listChanged",
            client="mcp-typescript",
            program="node",
            driver="typescript_sdk.mjs",
            eras=("default", "auto", "modern", "legacy"),
        ),
        Runner(
            name="inspector",
            what="the command line of the MCP Inspector",
            client="inspector",
            program="mcp-inspector",
            form="plain",
            arguments=("--cli", "{url}", "--method", "tools/list"),
        ),
    )
}


def plan_for(
    name: str | None,
    command: Sequence[str],
    *,
    folder: str | None = None,
    era: Era = "default",
    lines: bool = False,
) -> Plan:
    """Return how the client of that name is started; without a name, how ``command`` is.

    ``folder`` is a Python environment or an npm prefix that holds the client; ``command``, beside a name, is the program
    to run in the place of the usual one. Raises UsageError where that does not go together.
    """
    if name is None:
        if not command:
            raise UsageError("no client was named", advice="Put its command line after --, or name a --runner.")
        return Plan(command=tuple(command), form="lines" if lines else "plain")
    runner = RUNNERS.get(name)
    if runner is None:
        raise UsageError(f"there is no runner named {name!r}", advice=f"There are {', '.join(RUNNERS)}.")
    return runner.plan(command, folder, era)


def _found(program: str, folder: str | None) -> str:
    """Return the program as the folder has it: of a Python environment, or of an npm prefix; else its name alone."""
    if folder is None:
        return program
    endings = ("", ".exe", ".cmd") if os.name == "nt" else ("",)
    for place in ("bin", "Scripts", "node_modules/.bin"):
        for ending in endings:
            path = Path(folder, place, program + ending)
            if path.is_file():
                return str(path.absolute())
    return program

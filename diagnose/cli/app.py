"""The command tree: which commands there are, under which heading, and how one is called."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import typer

from diagnose.cli.invocation import Invocation
from diagnose.cli.light import LightCommand, LightGroup
from diagnose.cli.options import expand
from diagnose.errors import UsageError

CommandFunction = Callable[..., int]


class Group:
    """A command that has commands (`snapshot take`, `auth set`), or the program itself."""

    def __init__(self, name: str, summary: str) -> None:
        self.name = name
        self.summary = summary
        self.typer = typer.Typer(
            name=name,
            help=summary,
            cls=LightGroup,
            add_completion=False,
            rich_markup_mode=None,
            pretty_exceptions_enable=False,
            no_args_is_help=True,
        )

    def command(
        self, name: str, *, panel: str | None = None, tail: bool = False
    ) -> Callable[[CommandFunction], CommandFunction]:
        """Register a command: `f(inv: Invocation, ..., group: Connect, ...) -> exit code`.

        `tail` tells whether it takes a server's command line behind `--`.
        """

        def register(function: CommandFunction) -> CommandFunction:
            self.typer.command(name, cls=LightCommand, rich_help_panel=panel)(expand(function, _invocation(name, tail)))
            return function

        return register

    def add(self, group: Group, *, panel: str | None = None) -> None:
        """Hang a group of commands below this one."""
        self.typer.add_typer(group.typer, name=group.name, help=group.summary, rich_help_panel=panel)


def _invocation(name: str, tail: bool) -> Callable[[typer.Context], Invocation]:
    def inject(ctx: typer.Context) -> Invocation:
        inv: Invocation = ctx.obj
        inv.verbosity = int(ctx.params.get("verbose") or 0)
        inv.quiet = bool(ctx.params.get("quiet"))
        if inv.tail is not None and not tail:
            raise UsageError(f"{name} takes no command line behind --")
        return inv

    return inject


#: Every command and the module of this room that holds it, in the order of the help; each module has `register(root)`.
COMMANDS = {
    "surface": "surface",
    "triage": "triage",
    "collect": "collect",
    "check": "check",
    "watch": "watch",
    "tap": "tap",
    "timeline": "timeline",
    "health": "steps",
    "version": "steps",
    "manifest": "steps",
    "revision": "steps",
    "diff": "diff",
    "statesync": "statesync",
    "snapshot": "snapshot",
    "lock": "lock",
    "plan": "plan",
    "clients": "clients",
    "quarantine": "quarantine",
    "auth": "auth",
    "demo": "demo",
    "serve": "serve",
    "explain": "explain",
}


def build(first: str | None = None) -> Any:
    """Return the program as a command that Typer can run; if `first` names a command, with that command alone.

    A short command pays for the parameters of every command that is built, so that only the one that runs is.
    """
    root = Group("diagnose", "Find out where an MCP client's tool list went stale, and prove it.")

    @root.typer.callback()
    def program(
        version: bool = typer.Option(False, "--version", help="Show the version and exit."),
    ) -> None:
        del version  # answered before Typer is loaded; stands here for the help

    modules = [COMMANDS[first]] if first in COMMANDS else list(dict.fromkeys(COMMANDS.values()))
    for module in modules:
        importlib.import_module(f"diagnose.cli.{module}").register(root)
    return typer.main.get_command(root.typer)

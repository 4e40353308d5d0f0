"""`diagnose auth set|status|remove`: credentials, never shown."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from diagnose.cli.invocation import Invocation
from diagnose.cli.options import CREDENTIALS, SERVER, Output, option
from diagnose.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diagnose.cli.app import Group
    from diagnose.jobs.auth import OriginState
    from diagnose.jobs.target import TargetSpec

MAX_LINE = 65536

WHOSE = "The server whose origin the credential belongs to: a URL, or @NAME of the configuration."
OriginArgument = Annotated[str, typer.Argument(metavar="TARGET", help=WHOSE, show_default=False)]
StrayArguments = Annotated[list[str] | None, typer.Argument(hidden=True, metavar="nothing else")]
OptionalOrigin = Annotated[
    str | None,
    typer.Argument(metavar="TARGET", help=f"{WHOSE} Without it, all that were stored.", show_default=False),
]
ConfigOption = Annotated[
    str | None,
    option(
        "--config", panel=SERVER, metavar="FILE", text="Configuration file (default: config.toml of the user's folder)."
    ),
]
StdinOption = Annotated[
    bool,
    option(
        "--stdin", panel=CREDENTIALS, text="Read the credential from standard input (without a terminal, the default)."
    ),
]


def set_(
    inv: Invocation,
    target: OriginArgument,
    stray: StrayArguments = None,
    *,
    stdin: StdinOption = False,
    config: ConfigOption = None,
    output: Output,
) -> int:
    """Store a credential in the system's keyring, for one origin. It is asked for, and never an argument."""
    from diagnose.jobs.auth import origin_of, store

    if stray:
        # Taken so that it is not repeated in an error about a word too many.
        raise UsageError(
            "auth set takes a target and nothing else: what follows is not shown, as it may be the credential",
            advice="Other users of this machine can read command lines; treat a credential that stood there as known.",
        )
    origin = origin_of(_spec(inv, target, config))
    value = _entered(inv, f"Credential for {origin} (hidden): ", from_stdin=stdin)
    inv.redactor.learn(value)
    return _show(inv, "set", [store(origin, value, inv.env)], output)


def status(inv: Invocation, target: OptionalOrigin = None, *, config: ConfigOption = None, output: Output) -> int:
    """Show which credentials there are and which is used, by keyed fingerprint."""
    from diagnose.jobs import auth

    states = auth.status_of_all(inv.env) if target is None else [auth.status(_spec(inv, target, config), inv.env)]
    return _show(inv, "status", states, output)


def remove(inv: Invocation, target: OriginArgument, *, config: ConfigOption = None, output: Output) -> int:
    """Remove the credential of one origin from the system's keyring."""
    from diagnose.jobs.auth import origin_of
    from diagnose.jobs.auth import remove as take_out

    origin = origin_of(_spec(inv, target, config))
    return _show(inv, "remove", [take_out(origin, inv.env)], output)


def register(root: Group) -> None:
    """Hang the commands into the program."""
    from diagnose.cli.app import Group

    group = Group("auth", "Store, look at and remove credentials, which are never shown.")
    group.command("set")(set_)
    group.command("status")(status)
    group.command("remove")(remove)
    root.add(group, panel="Set up")


def _spec(inv: Invocation, operand: str, config: str | None) -> TargetSpec:
    from diagnose.jobs.config import load_config
    from diagnose.jobs.target import resolve_target

    return resolve_target(operand, None, config=load_config(inv.env, config), env=inv.env)


def _entered(inv: Invocation, prompt: str, *, from_stdin: bool) -> str:
    """Ask on the terminal without echo, or read one line of standard input. Raises `UsageError`."""
    if from_stdin or inv.stdin is not sys.stdin or not inv.stdin.isatty():
        return inv.stdin.readline(MAX_LINE)
    import getpass
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt, stream=inv.stderr)
        except getpass.GetPassWarning:
            raise UsageError("this terminal cannot hide what is typed", advice="Use --stdin.") from None
        except EOFError:
            raise UsageError("nothing was entered") from None


def _show(inv: Invocation, action: str, states: Sequence[OriginState], output: Output) -> int:
    from diagnose.report.auth import as_json, as_text

    form = as_json if output.form == "json" else as_text
    inv.emit(form(action, states), output=output.output)
    return 0

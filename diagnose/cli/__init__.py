"""Commands: read the options, call one job, render, exit."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from diagnose.cli.invocation import Invocation

__all__ = ["main", "run"]

INTERRUPTED = 130
OUR_FAULT = 70


def main() -> int:
    """Run the program on this process's arguments and return its exit code."""
    # Loading modules makes many objects and no garbage; looking for some every 700 objects is a tenth of a short run.
    gc.set_threshold(100_000, 20, 20)
    for stream in (sys.stdout, sys.stderr):
        # What servers say may not fit the terminal's encoding; it must never end the program.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    _end_in_order()
    return _leave(run(sys.argv[1:], sys.stdout, sys.stderr))


def _leave(code: int) -> int:
    """Leave at once with this exit code: taking a thousand modules apart one by one would cost a tenth of a short run.

    What was registered for the end is run, and what was written goes out, as at any other end.
    """
    atexit._run_exitfuncs()  # noqa: SLF001 - the standard library has no public way to run them
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return code  # the reader has gone; the ordinary end deals with that
    os._exit(code)


def _end_in_order() -> None:
    """Let a termination unwind the program, so that no server that it started is left behind."""

    def end(number: int, frame: object) -> None:
        del frame
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


def run(
    args: Sequence[str],
    stdout: TextIO,
    stderr: TextIO,
    *,
    stdin: TextIO | None = None,
    env: Mapping[str, str] | None = None,
) -> int:
    """Run the program: read the arguments, write to the streams given, return the exit code. Never raises."""
    if list(args) in (["--version"], ["-V"]):
        from diagnose.version import __version__

        stdout.write(f"diagnose {__version__}\n")
        return 0
    words = list(args)
    tail: tuple[str, ...] | None = None
    if "--" in words:
        cut = words.index("--")
        words, tail = words[:cut], tuple(words[cut + 1 :])
    from diagnose.cli.invocation import Invocation

    invocation = Invocation(
        stdout=stdout,
        stderr=stderr,
        stdin=sys.stdin if stdin is None else stdin,
        env=dict(os.environ) if env is None else dict(env),
        tail=tail,
    )
    try:
        return _dispatch(words, invocation)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; what is left has nobody to go to, and Python must not say so at exit.
        if stdout is sys.stdout:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last line: whatever it is, it leaves through the redactor
        return _crashed(error, invocation)


def _dispatch(words: list[str], invocation: Invocation) -> int:
    from contextlib import redirect_stdout

    import typer

    from diagnose.cli.app import build
    from diagnose.errors import DiagnoseError

    command = build(words[0] if words else None)
    try:
        with redirect_stdout(invocation.stdout):
            code = command.main(words, prog_name="diagnose", standalone_mode=False, obj=invocation)
    except typer.TyperException as error:
        return _wrong_usage(error, invocation)
    except typer.Abort:
        return INTERRUPTED
    except DiagnoseError as error:
        invocation.warn(f"diagnose: {error}")
        if error.diagnostics():
            invocation.warn(f"  {error.diagnostics()}")
        return error.exit_code
    return code if isinstance(code, int) else 0


def _wrong_usage(error: Exception, invocation: Invocation) -> int:
    """Say what is wrong with the command line. Called without a command, the program shows its help there."""
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    if type(error).__name__ == "NoArgsIsHelpError":
        invocation.warn(message)
        return 2
    context = getattr(error, "ctx", None)
    invocation.warn(f"diagnose: {message}")
    if context is not None:
        invocation.warn(f"  {context.get_usage()}\n  Try '{context.command_path} --help'.")
    return 2


def _crashed(error: Exception, invocation: Invocation) -> int:
    """Report a fault of ours: one sentence, and with -v the traceback, through the redactor like everything."""
    import traceback

    invocation.warn(f"diagnose: this is a fault of diagnose itself: {type(error).__name__}: {error}")
    if invocation.verbosity:
        invocation.warn("".join(traceback.format_exception(error)))
    else:
        invocation.warn("  Run it again with -v for the traceback, and report it; nothing was changed.")
    return OUR_FAULT

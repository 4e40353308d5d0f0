"""One run of the program: its streams, its environment and the one way out for every word that it says."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TextIO

from diagnose.cli.options import Output, choice
from diagnose.errors import UsageError
from diagnose.evidence.harmless import harmless
from diagnose.evidence.redact import Redactor


class Invocation:
    """What a command needs of the outside, handed in so that a test can hand in something else."""

    def __init__(
        self,
        *,
        stdout: TextIO,
        stderr: TextIO,
        stdin: TextIO,
        env: Mapping[str, str],
        tail: tuple[str, ...] | None = None,
    ) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.stdin = stdin
        self.env = env
        self.tail = tail
        """The words behind `--`: a server's command line. None where there was no `--`."""
        self.redactor = Redactor()
        self.verbosity = 0
        self.quiet = False

    def note(self, text: str) -> None:
        """Say something beside the result, on stderr."""
        if not self.quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Say something on stderr that `--quiet` does not silence."""
        self.stderr.write(self.safe(text) + "\n")
        self.stderr.flush()

    def log(self, text: str) -> None:
        """Say something on stderr if `-v` was given."""
        if self.verbosity:
            self.warn(text)

    def safe(self, text: str) -> str:
        """Return the text without credentials and with every character that could act made visible."""
        return harmless(self.redactor.text(text), newlines=True)

    def emit(self, text: str, *, output: str | None = None) -> None:
        """Write the result, whole, to stdout or to the file that `--output` names.

        The text comes from a report, which has redacted and escaped it; the redactor goes over it once more, as the last
        line. Raises `DiagnoseError` where the file cannot be written.
        """
        text = self.redactor.text(text)
        if not text.endswith("\n"):
            text += "\n"
        if output is None or output == "-":
            self._write(text)
            return
        from diagnose.store.files import write_whole

        write_whole(output, text.encode("utf-8", "backslashreplace"))
        self.note(f"wrote {output}")

    def _write(self, text: str) -> None:
        try:
            self.stdout.write(text)
            self.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UsageError(f"the result cannot be written: {error.strerror or error}") from error

    def colour(self, output: Output) -> bool:
        """Tell whether the result may use colour: `--color`, then NO_COLOR and FORCE_COLOR, then the terminal.

        A file gets colour only if it was asked for by name. Raises `UsageError` for a word that `--color` does not take.
        """
        wanted = choice(output.color, "--color", ("auto", "always", "never"))
        if wanted != "auto" or output.output is not None:
            return wanted == "always"
        if self.env.get("NO_COLOR"):
            return False
        if self.env.get("FORCE_COLOR"):
            return True
        return self.stdout.isatty() and self.env.get("TERM", "") != "dumb"

    def unicode(self) -> bool:
        """Tell whether what is written can show characters beyond ASCII, by the encoding of stdout."""
        encoding = getattr(self.stdout, "encoding", None) or "utf-8"
        return encoding.lower().replace("-", "").startswith("utf")

    def width(self) -> int:
        """Return the columns to lay text out in: COLUMNS, else the terminal's, else 80."""
        stated = self.env.get("COLUMNS", "")
        if stated.isdecimal() and int(stated) > 0:
            return min(max(int(stated), 40), 400)
        if self.stdout is sys.stdout and self.stdout.isatty():
            import shutil

            return min(max(shutil.get_terminal_size().columns, 40), 400)
        return 80

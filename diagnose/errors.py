"""The errors that a caller may meet, each with the advice that a person gets."""

from __future__ import annotations

from typing import Any, ClassVar


class DiagnoseError(Exception):
    """Base of every error that this package raises on purpose.

    ``str(error)`` says in one sentence what was expected and what came; ``diagnostics()`` says what to do about it.
    """

    exit_code: ClassVar[int] = 70

    def __init__(self, message: str, *, advice: str = "", **args: Any) -> None:
        super().__init__(message)
        self.advice = advice
        self.args_by_name: dict[str, Any] = args

    def diagnostics(self) -> str:
        """Return what a person can do about it; empty if there is nothing to add."""
        return self.advice


class UsageError(DiagnoseError):
    """The command, an option or the configuration is wrong; nothing was asked of anybody (exit 2)."""

    exit_code = 2


class InputError(UsageError):
    """A file or value that was handed to us is not what it should be (exit 2)."""


class ObservationError(DiagnoseError):
    """Something could not be observed (exit 3).

    ``rule`` is the name under which the report shows it (`unreachable`, `timed-out`, `limit-exceeded`, ...).
    """

    exit_code = 3

    def __init__(self, message: str, *, rule: str, advice: str = "", **args: Any) -> None:
        super().__init__(message, advice=advice, **args)
        self.rule = rule


class CredentialRefusedError(ObservationError):
    """A live request of ours was refused for its credential (exit 4)."""

    exit_code = 4

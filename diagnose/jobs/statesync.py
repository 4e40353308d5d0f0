"""`statesync`: may an agent believe what a server says of its state? From a recording, or from a session of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnose.errors import InputError
from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.observation import LayerName
from diagnose.jobs.operands import read_bytes
from diagnose.judge.trust.judge import judge_state, trust_in, witnessed_lines
from diagnose.record import record
from diagnose.statesync import Declaration, PolicyError, read_policies
from diagnose.statesync.toml_form import MAX_TEXT

if TYPE_CHECKING:
    from typing import TextIO

    from diagnose.judge.diagnosis import Diagnosis
    from diagnose.judge.timeline import Timeline

#: The longest line of a recording that is read, in bytes.
MAX_LINE = 64 * 1024 * 1024
_UNSEEN = "a recording was judged, and nobody was asked"


@record
class TrustLook:
    """A recording judged, and the trust in each answer that was read in it, as a report has both."""

    diagnosis: Diagnosis
    trust: tuple[Mapping[str, Any], ...]


def read_policy(path: str | None, *, stdin: TextIO) -> Declaration | None:
    """Return the policy that a TOML file declares; None without a file. Raises `InputError`."""
    if path is None:
        return None
    data = read_bytes(path, stdin=stdin, max_bytes=4 * MAX_TEXT)
    try:
        return read_policies(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: expected UTF-8: {error}") from error
    except PolicyError as error:
        raise InputError(f"{path}: {error}", advice=error.advice) from error


def check_recording(path: str, policy: Declaration | None, *, now: str) -> TrustLook:
    """Judge a recording. Raises `InputError` where it is none."""
    line = _read(path, policy)
    target = Target(id=Path(path).name, transport=line.header.transport, endpoint=path)
    unobserved: dict[LayerName, str] = {"deployed": _UNSEEN, "manifest": _UNSEEN, "origin": _UNSEEN}
    bundle = Bundle(created_at=line.header.started_at or now, target=target, unobserved=unobserved)
    return TrustLook(diagnosis=judge_state(bundle, [line]), trust=trust_in([line]))


def _read(path: str, policy: Declaration | None) -> Timeline:
    import secrets

    try:
        with Path(path).open("rb") as file:
            # The key is forgotten with this run: nobody can try out afterwards what was answered.
            return witnessed_lines(_lines(file), policy=policy, key=secrets.token_bytes(32), source=path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def _lines(file: Any) -> Iterator[bytes]:
    yield from iter(lambda: file.readline(MAX_LINE + 1), b"")

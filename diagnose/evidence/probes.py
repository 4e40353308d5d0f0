"""What a server answered to requests that were sent to see how it answers them: the evidence of `check`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from diagnose.evidence.observation import Era, Observation
from diagnose.record import record
from diagnose.surface import relation

#: What stands in a recording where a command was started that is to provoke a change.
_TRIGGER = ("the trigger ", " is started")


def trigger_started(name: str) -> str:
    """Return the words for the start of a trigger."""
    return name.join(_TRIGGER)


def is_trigger_start(text: str) -> bool:
    """Tell whether these are the words for the start of a trigger."""
    return text.startswith(_TRIGGER[0]) and text.endswith(_TRIGGER[1])


@record
class Answered:
    """One such request and its answer. ``what`` tells in a few words what was odd about it.

    At most one of ``result`` and ``code`` is there; with neither, ``why`` says in words why there was no answer.
    """

    method: str
    what: str = ""
    status: int | None = None
    """The HTTP status, where there was one."""
    result: Mapping[str, Any] | None = None
    """The members of the result, as received; lists in it are bounded by what one answer may have."""
    code: int | None = None
    """The JSON-RPC error code; None also where it was no integer."""
    message: str = ""
    data: Any = None
    refused: bool = False
    """Whether it was answered with an error."""
    why: str | None = None


@record
class VersionTried:
    """One protocol version and what came of using it; ``named`` tells whether `server/discover` lists it."""

    version: str
    era: Era
    named: bool
    accepted: bool | None
    """None where the answer does not tell."""
    answer: Answered


@record
class Hinted:
    """The caching hints of one list, or of `server/discover`.

    ``pages`` hold the members of each page's result that are about caching, as received, under their own names. ``why``
    says what ended the walk where it did not come to its end.
    """

    method: str
    pages: tuple[Mapping[str, Any], ...] = ()
    why: str | None = None


@record
class CursorAgain:
    """A cursor of the first walk, used once more after the last: the names that it led to then and now."""

    cursor: str
    then: tuple[Any, ...]
    now: tuple[Any, ...] | None
    """None where the cursor was refused; `answer` says how."""
    reissued: bool
    """Whether the later walk was given the same cursor."""
    answer: Answered


@record
class BesideRound:
    """Two walks over one session, and the methods that were asked for in between."""

    before: Observation
    asked: tuple[str, ...]
    after: Observation

    @property
    def changed(self) -> bool:
        """Whether both came to their end and brought different lists."""
        left, right = self.before.surface, self.after.surface
        return left is not None and right is not None and relation(left, right) == "different"


@record
class Beside:
    """Rounds of reading the list before and after other requests, each over a session of its own."""

    rounds: tuple[BesideRound, ...]


@record
class Probes:
    """Everything that was tried. What is None or empty was not, and ``unmet`` says why, by the name of the field."""

    bogus_cursor: Answered | None = None
    cursor_again: CursorAgain | None = None
    beside: Beside | None = None
    headers: tuple[Answered, ...] = ()
    """Modern requests over HTTP whose headers contradict their bodies."""
    removed: tuple[Answered, ...] = ()
    """Methods that the modern era no longer has, and one that there never was."""
    initialize: Answered | None = None
    """The legacy handshake with a server that does not take it; None where it does."""
    versions: tuple[VersionTried, ...] = ()
    hints: tuple[Hinted, ...] = ()
    anonymous: Answered | None = None
    """`tools/list` without any credential, where one is in use. A list that came is a sample of the origin, too."""
    second: Answered | None = None
    """The refusal of the second credential; None where it was taken, or there is none."""
    unmet: Mapping[str, str] = field(default_factory=dict)

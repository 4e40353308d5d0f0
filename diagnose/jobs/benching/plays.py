"""What is played to a client: for each trial the server that it meets, and what happens there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from diagnose.reference.options import ServeOptions
from diagnose.reference.scenes import PREFIX, SPOILS

if TYPE_CHECKING:
    from diagnose.jobs.benching.stage import Stage

#: The TTL of the trial with one, in milliseconds: longer than a slow machine needs to ask a client twice.
TTL_MS = 5_000
#: Seconds in a storm, and after a signal that came too early.
STORM = 4.0
EARLY = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """One trial."""

    does: str
    """What is played, in a few words."""
    act: Callable[[Stage], None]
    options: ServeOptions = field(default_factory=ServeOptions)


def _read(stage: Stage) -> None:
    stage.listed()
    stage.look()


def _told(stage: Stage) -> None:
    stage.listed()
    stage.change()
    stage.reaction()
    stage.look()


def _told_early(stage: Stage) -> None:
    stage.listed()
    stage.change()
    stage.reaction()
    stage.rest(EARLY)
    stage.look()


def _stormed(stage: Stage) -> None:
    stage.listed()
    stage.rest(STORM)


def _aged(stage: Stage) -> None:
    stage.listed()
    stage.ask()
    stage.change(notify=False)
    stage.rest(TTL_MS / 1000 + 0.5)
    stage.ask()
    stage.settle()


def _forgotten(stage: Stage) -> None:
    stage.listed()
    stage.forget()
    stage.settle()
    stage.ask()
    stage.reaction("initialize")
    stage.settle()


def _options(*, fault: str | None = None, page_size: int = 50, ttl_ms: int = 60_000) -> ServeOptions:
    return ServeOptions(control=True, fault=fault, page_size=page_size, ttl_ms=ttl_ms)


PLAYS: dict[str, Play] = {
    "pages": Play(does="three pages of one tool", act=_read, options=_options(page_size=1)),
    "empty-cursor": Play(does='"" behind the last page', act=_read, options=_options(fault="cursor-empty-string")),
    "repeated-cursor": Play(does="a cursor that leads to itself", act=_read, options=_options(fault="cursor-loop")),
    "declared": Play(does="a change that is told, as declared", act=_told, options=_options(page_size=2)),
    "undeclared": Play(
        does="a change that is told, not declared",
        act=_told,
        options=_options(fault="capability-undeclared", page_size=2),
    ),
    "early": Play(
        does="a change that is told too early", act=_told_early, options=_options(fault="server-signal-early")
    ),
    "storm": Play(
        does="signals without end", act=_stormed, options=_options(fault="server-signal-storm:without-change")
    ),
    "failed-refresh": Play(
        does="a change that is told, and no list after it", act=_told, options=_options(fault=f"{PREFIX}refresh-fails")
    ),
    "ttl": Play(does="a silent change within a TTL of 5 s", act=_aged, options=_options(ttl_ms=TTL_MS)),
    "lost-session": Play(
        does="a session that is forgotten", act=_forgotten, options=_options(fault=f"{PREFIX}sessions-forgotten")
    ),
    **{
        f"schema-{kind}": Play(
            does="a fourth tool that is odd", act=_read, options=_options(fault=f"{PREFIX}schema-{kind}")
        )
        for kind in SPOILS
    },
}

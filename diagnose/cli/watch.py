"""`diagnose watch`: holds a session and shows every change of its tool list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

from diagnose.cli import live
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Connect, Output, TargetArgument, option, seconds

if TYPE_CHECKING:
    from diagnose.cli.app import Group
    from diagnose.jobs.watching import WatchEvent

PANEL = "The watch"
CHANGED = 1
NOT_OBSERVED = 3


def watch(
    inv: Invocation,
    target: TargetArgument = None,
    *,
    connect: Connect,
    output: Output,
    until_change: Annotated[
        bool, option("--until-change", panel=PANEL, text="End with exit code 1 at the first change.")
    ] = False,
    for_: Annotated[
        str | None,
        option(
            "--for", panel=PANEL, metavar="SECONDS", text="End after so long (default: never); --deadline is not used."
        ),
    ] = None,
    poll: Annotated[
        str | None,
        option(
            "--poll",
            panel=PANEL,
            metavar="SECONDS",
            text="Read the list again so often, within its TTL too (default: seldom, and only after the TTL).",
        ),
    ] = None,
) -> int:
    """Hold a session, listen for signals, and show each change of the tool list as it comes, announced or not."""
    from diagnose.jobs.watch import WatchRequest
    from diagnose.jobs.watch import watch as watching

    form = output.form
    spec = live.target(inv, target, connect)
    request = WatchRequest(
        spec=spec,
        options=live.connect_options(connect, spec),
        seconds=None if for_ is None else seconds(for_, "--for"),
        poll=None if poll is None else seconds(poll, "--poll"),
        until_change=until_change,
    )
    verdict = _Verdict()
    events = verdict.following(watching(request, live.surroundings(inv)))
    terminal = inv.stdout.isatty() and inv.env.get("TERM") != "dumb"
    if form == "text" and output.output is None and terminal:
        _draw(inv, events, spec.id, colour=inv.colour(output))
    else:
        _write(inv, events, spec.id, output)
    return verdict.exit_code


class _Verdict:
    """What a whole watch comes to."""

    def __init__(self) -> None:
        self._last: WatchEvent | None = None

    def following(self, events: Iterable[WatchEvent]) -> Iterator[WatchEvent]:
        """Yield the events, and remember how it stood at the end."""
        for event in events:
            self._last = event
            yield event

    @property
    def exit_code(self) -> int:
        """1 where a change was seen, 0 where there was none, 3 where nobody can say that there was none."""
        assert self._last is not None
        stands = self._last.standing
        if stands.changes:
            return CHANGED
        known = stands.count is not None and stands.connected and not stands.outdated
        return 0 if known and stands.state != "failed" else NOT_OBSERVED


def _write(inv: Invocation, events: Iterable[WatchEvent], target: str, output: Output) -> None:
    """Write a line an event: as it happens, or into a file once the watch is over."""
    from diagnose.report.watch import event_json, event_text

    written: list[str] = []
    for event in events:
        if event.kind == "tick":
            continue
        if output.form == "json":
            text = event_json(event, target, inv.redactor)
        else:
            text = event_text(event, inv.redactor, width=inv.width(), colour=inv.colour(output))
        if output.output is None:
            inv.emit(text)
        else:
            written.append(text.removesuffix("\n"))
    if output.output is not None:
        inv.emit("\n".join(written), output=output.output)


def _draw(inv: Invocation, events: Iterable[WatchEvent], target: str, *, colour: bool) -> None:
    """Draw the standing at the foot of the terminal, and let the events scroll by above it."""
    from diagnose.cli.foot import foot
    from diagnose.report.watch import event_text, view

    last: WatchEvent | None = None
    with foot(inv, colour=colour) as (put, redraw):
        for event in events:
            last = event if event.kind == "changed" else last
            width = inv.width()
            if event.kind != "tick":
                put(event_text(event, inv.redactor, width=width, colour=colour))
            redraw(view(event.standing, target, last, inv.redactor, width=width, colour=colour))


def register(root: Group) -> None:
    """Hang the command into the program."""
    root.command("watch", panel="Look", tail=True)(watch)

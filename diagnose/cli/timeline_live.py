"""`timeline --follow`: news of a recording line by line, lanes at the foot of a terminal, and the report at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.cli import live
from diagnose.cli.invocation import Invocation
from diagnose.errors import UsageError
from diagnose.evidence.recording import Event, Header
from diagnose.jobs.follow import Follower
from diagnose.jobs.timeline import judge_timelines
from diagnose.judge.timeline.news import Teller

if TYPE_CHECKING:
    from diagnose.cli.timeline import TimelineOutput
    from diagnose.jobs.timeline import TimelineRequest
    from diagnose.judge.diagnosis import Diagnosis
    from diagnose.judge.timeline.news import News

INTERRUPTED = 130
#: Seconds between two looks at a file that did not grow.
PAUSE = 0.25
#: Once stdin has ended, the recorder may still write so many pauses long.
_LAST_PAUSES = 6


def follow(
    inv: Invocation, files: Sequence[str], request: TimelineRequest, output: TimelineOutput, *, until_stdin_ends: bool
) -> int:
    """Show a recording as it grows, then report; returns the report's exit code, 130 where Ctrl-C ended it."""
    if len(files) != 1 or files[0] == "-":
        raise UsageError("--follow takes one file, which is being written")
    follower = Follower(Path(files[0]), _pauses(inv, until_stdin_ends=until_stdin_ends), inv.note)
    shown = _Shown(inv, output, request, follower)
    interrupted = False
    try:
        with ExitStack() as opened:
            shown.begin(opened)
            for step in follower.steps():
                if isinstance(step, Header):
                    shown.header(step)
                elif step is None:
                    shown.idle()
                else:
                    shown.event(step)
    except KeyboardInterrupt:
        interrupted = True
    diagnosis = shown.diagnosis()
    if diagnosis is None:
        inv.warn(f"diagnose: {files[0]} holds nothing yet")
        return INTERRUPTED if interrupted else 3
    shown.report(diagnosis)
    return INTERRUPTED if interrupted else diagnosis.exit_code


def _pauses(inv: Invocation, *, until_stdin_ends: bool) -> Callable[[], bool]:
    """Return what waits a moment and tells whether to go on: to the end of stdin, where that belongs to the tap."""
    ended, left = threading.Event(), [_LAST_PAUSES]
    if until_stdin_ends:

        def watch() -> None:
            inv.stdin.read()
            ended.set()

        threading.Thread(target=watch, daemon=True).start()
    never = threading.Event()

    def pause() -> bool:
        never.wait(PAUSE)
        if ended.is_set():
            left[0] -= 1
        return left[0] > 0

    return pause


class _Shown:
    """What is on the screen: news above, lanes below them where it is a terminal."""

    def __init__(self, inv: Invocation, output: TimelineOutput, request: TimelineRequest, follower: Follower) -> None:
        self._inv = inv
        self._output = output
        self._request = request
        self._follower = follower
        self._teller: Teller | None = None
        self._colour = inv.colour(output)
        terminal = inv.stdout.isatty() and inv.env.get("TERM") != "dumb"
        self._drawn = terminal and output.form == "text" and output.output is None
        self._lines = output.output is None and output.form in {"text", "json"}
        self._put: Callable[[str], None] = self._plain
        self._redraw: Callable[[str], None] | None = None
        self._changed = False

    def begin(self, opened: ExitStack) -> None:
        """Get the terminal ready, where it is one."""
        if self._drawn:
            from diagnose.cli.foot import foot

            self._put, self._redraw = opened.enter_context(foot(self._inv, colour=self._colour))

    def header(self, header: Header) -> None:
        """Begin a recording."""
        self._teller = Teller(header, wait=self._request.wait)

    def event(self, event: Event) -> None:
        """Show what is known since an event came."""
        assert self._teller is not None
        for news in self._teller.feed(event):
            self._tell(news)
        self._changed = True

    def idle(self) -> None:
        """Draw the lanes anew, where something came."""
        if self._redraw is not None and self._changed:
            self._changed = False
            diagnosis = self.diagnosis(final=False)
            if diagnosis is not None:
                self._redraw(self._lanes(diagnosis))

    def diagnosis(self, *, final: bool = True) -> Diagnosis | None:
        """Judge what came so far; None where nothing did."""
        if self._teller is None:
            return None
        line = self._teller.timeline(notes=self._follower.notes, source=self._follower.source, final=final)
        return judge_timelines([line], self._request, now=live.now())

    def report(self, diagnosis: Diagnosis) -> None:
        """Write the report; in JSON as one more line."""
        from diagnose.cli.timeline import show
        from diagnose.report.json_ import diagnosis_line

        if self._lines and self._output.form == "json":
            self._inv.emit(diagnosis_line(diagnosis, self._inv.redactor))
            return
        if self._lines:
            self._inv.emit("")
        show(self._inv, diagnosis, self._output)

    def _tell(self, news: News) -> None:
        from diagnose.report.live import news_json, news_text

        if self._lines and self._output.form == "json":
            self._put(news_json(news, self._inv.redactor))
            return
        text = news_text(news, self._inv.redactor, width=self._inv.width(), colour=self._colour and self._lines)
        if self._lines:
            self._put(text)
        else:
            self._inv.note(text)

    def _plain(self, text: str) -> None:
        self._inv.emit(text)

    def _lanes(self, diagnosis: Diagnosis) -> str:
        from diagnose.report.live import lanes_text
        from diagnose.report.timeline_terminal import ASCII, UNICODE

        strokes = UNICODE if self._inv.unicode() else ASCII
        return lanes_text(diagnosis, self._inv.redactor, width=self._inv.width(), colour=self._colour, strokes=strokes)

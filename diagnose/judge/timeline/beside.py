"""What happens beside the messages: the server's process, what people did, and how sessions and the recording end."""

from __future__ import annotations

from diagnose.evidence.recording import Event
from diagnose.judge.timeline.deeds import Action, Ending, Moment, Process
from diagnose.judge.timeline.lanes import Lanes
from diagnose.judge.timeline.octets import Octets
from diagnose.judge.timeline.shelf import Shelf


class Beside:
    """Keeps it, and ends the sessions that end with it."""

    def __init__(self, lanes: Lanes, octets: Octets) -> None:
        self._lanes = lanes
        self._octets = octets
        self.actions: Shelf[Action] = Shelf()
        self.processes: Shelf[Process] = Shelf()
        self.ended: str | None = None
        """The reason of the recording's `end`; None where there was none yet."""

    def process(self, event: Event, at: Moment) -> None:
        """Take in a start or an end of the server's process."""
        self.processes.put(Process(at=at, event=event.event or "", code=event.code))
        if event.event == "exit":
            self.over(Ending(at=at, why="exited", by="server"))
        elif event.event == "start":
            self._lanes.restart()

    def over(self, ending: Ending) -> None:
        """Take note that the newest session, and every stream of it, came to its end."""
        session = self._lanes.sessions[-1] if self._lanes.sessions else None
        if session is not None and (session.ending is None or ending.why == "exited"):
            session.ending = ending
        for stream in session.streams if session is not None else ():
            if stream.closed is None:
                stream.closed, stream.by = ending.at, ending.by
        self._octets.over(ending.by)

    def action(self, event: Event, at: Moment) -> None:
        """Take in what a person or the client's log did."""
        if event.text:
            self.actions.put(Action(at=at, text=event.text[:500]))

    def end(self, event: Event, _: Moment) -> None:
        """Take in the end of the recording."""
        self.ended = event.reason or "stopped"
        if self.ended == "closed":
            self._octets.over("client")

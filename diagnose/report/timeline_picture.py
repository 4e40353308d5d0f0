"""A picture of recorded sessions as values: lanes for the server, the path and the client, with spans and marks in seconds.

No drawing here: `timeline_svg` makes a picture for a page of it and `timeline_terminal` one for a terminal, so that both
show the same. A time is in seconds since the start of the first recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from diagnose.judge.words import counted
from diagnose.record import record
from diagnose.report.timeline_scale import Scale

if TYPE_CHECKING:
    from diagnose.judge.diagnosis import Diagnosis

Role: TypeAlias = Literal["server", "path", "client"]
SpanKind: TypeAlias = Literal["catalogue", "stream", "stale"]
MarkKind: TypeAlias = Literal["handshake", "list", "signal", "call", "odd-call", "refused", "action", "process", "end"]

#: What a mark of each kind is called in a legend; those of one place are told in this order, the gravest first.
MARKS: Mapping[MarkKind, str] = {
    "signal": "signal: the server says that its list changed",
    "refused": "refused request",
    "odd-call": "call that the newest list does not explain, or that failed",
    "list": "list asked for",
    "handshake": "handshake or discovery",
    "action": "what a person did or the tap noted",
    "process": "start or end of the server's process",
    "end": "end of the session",
    "call": "call",
}
#: So many sessions are drawn; those with a verdict of their own go before others.
MOST_SESSIONS = 12
_SIDES = {"client-server": ("server", "client"), "client-gateway": ("gateway", "client"), "gateway-server": ("server", "gateway")}  # fmt: skip


@record
class Span:
    """A stretch of time; ``name`` is that of a catalogue, and ``says`` tells all of it in words."""

    kind: SpanKind
    start: float
    end: float
    name: str
    says: str


@record
class Mark:
    """Something that happened at a moment; ``frame`` is as evidence names it: `wire:17`."""

    kind: MarkKind
    t: float
    frame: str | None
    says: str


@record
class Lane:
    """One line of the picture. ``session`` is the id of the session that it belongs to, if it belongs to one."""

    role: Role
    title: str
    note: str
    spans: tuple[Span, ...] = ()
    marks: tuple[Mark, ...] = ()
    session: str | None = None


@record
class Picture:
    """All lanes on one axis. ``catalogues`` are names with what they are; ``left_out`` says what is not drawn."""

    lanes: tuple[Lane, ...]
    scale: Scale
    catalogues: tuple[tuple[str, str], ...]
    left_out: str = ""

    @property
    def seconds(self) -> float:
        """How long it is from the first moment to the last."""
        return self.scale.end - self.scale.start


def picture_of(diagnosis: Diagnosis) -> Picture:
    """Return the picture of the recordings of a diagnosis, the hop that is nearest to the server first."""
    recordings = sorted(diagnosis.recordings, key=lambda each: each["hop"] != "gateway-server")
    drawn = _chosen(diagnosis.sessions)
    lanes = [lane for each in recordings for lane in _lanes(each, diagnosis.sessions, drawn)]
    times = [t for lane in lanes for span in lane.spans for t in (span.start, span.end)]
    times += [mark.t for lane in lanes for mark in lane.marks]
    times += [_offset(each) + each["last"]["t"] for each in recordings]
    missing = len(diagnosis.sessions) - len(drawn)
    return Picture(
        lanes=tuple(lanes),
        scale=Scale(times),
        catalogues=tuple(_named(diagnosis.sessions).items()),
        left_out=f"{counted(missing, 'more session')} not drawn" if missing else "",
    )


def _chosen(sessions: Sequence[Mapping[str, Any]]) -> set[str]:
    weighed = sorted(sessions, key=lambda each: each["verdict"]["state"] not in {"stale", "broken"})
    return {each["id"] for each in weighed[:MOST_SESSIONS]}


def _named(sessions: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return every catalogue with what it is, in the order of their names."""
    found: dict[str, str] = {}
    for session in sessions:
        for each in session["catalogues"]["shown"]:
            known = each["revision"] or each["digest"]
            revision = f", revision {known[:12]}" if known else ""
            found.setdefault(each["name"], f"{counted(each['count'], 'tool')}{revision}")
    return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))


def _offset(recording: Mapping[str, Any]) -> float:
    offset = recording["offset"]
    return float(offset) if isinstance(offset, (int, float)) and abs(offset) < 1e9 else 0.0


def _lanes(recording: Mapping[str, Any], sessions: Sequence[Mapping[str, Any]], drawn: set[str]) -> Iterator[Lane]:
    own = [each for each in sessions if each["recording"] == recording["name"]]
    hop = _Hop(recording, newest={each["client"]["name"]: each["id"] for each in own})
    yield hop.server(own)
    for session in own:
        if session["id"] in drawn:
            yield from hop.of_session(session)


class _Hop:
    """Makes the lanes of one recording. ``newest`` is the newest session of each client, by its name."""

    def __init__(self, recording: Mapping[str, Any], newest: Mapping[str, str]) -> None:
        self._recording = recording
        self._newest = newest
        self._offset = _offset(recording)
        self._end = self._t(recording["last"])
        self._sides = _SIDES.get(recording["hop"], _SIDES["client-server"])

    def server(self, sessions: Sequence[Mapping[str, Any]]) -> Lane:
        """Return what the server's side is seen to have: each catalogue from its first answer to the next one's."""
        seen = sorted(
            (
                (self._t(each["first"]), self._t(each["last"]), each)
                for session in sessions
                for each in session["catalogues"]["shown"]
            ),
            key=lambda item: item[:2],
        )
        spans: list[Span] = []
        for start, _, each in seen:
            if spans and spans[-1].name == each["name"]:
                continue
            if spans:
                spans[-1] = _ending(spans[-1], start)
            says = f"catalogue {each['name']}, first sent at {start:.3f} s (frame {each['first']['frame']})"
            spans.append(Span(kind="catalogue", start=start, end=self._end, name=each["name"], says=says))
        signals = [
            self._mark("signal", each, "a signal") for session in sessions for each in session["signals"]["shown"]
        ]
        processes = [
            self._mark("process", each, f"the server's process: {each['event']}")
            for each in self._recording["processes"]
        ]
        role: Role = "path" if self._sides[0] == "gateway" else "server"
        return Lane(
            role=role,
            title=self._sides[0],
            note=_server_name(sessions),
            spans=tuple(spans),
            marks=(*signals, *processes),
        )

    def of_session(self, session: Mapping[str, Any]) -> Iterator[Lane]:
        """Yield what crossed, then what the client holds by it."""
        transport = "stdio" if session["transport"] == "stdio" else "HTTP"
        about = " ".join(filter(None, (session["era"], session["protocolVersion"], transport)))
        yield Lane(
            role="path",
            title=session["id"],
            note=about,
            spans=tuple(self._streams(session)),
            marks=tuple(self._crossed(session)),
            session=session["id"],
        )
        client = session["client"]
        actions = [self._mark("action", each, each["text"]) for each in self._recording["actions"]]
        end = [self._mark("end", session["end"], f"the session ended: {session['ended']}")] if session["end"] else []
        yield Lane(
            role="path" if self._sides[1] == "gateway" else "client",
            title=client["name"] if self._sides[1] in {"client", client["name"]} else f"gateway {client['name']}",
            note=client["version"] or "",
            spans=tuple(self._held(session)),
            marks=(*actions, *end),
            session=session["id"],
        )

    def _streams(self, session: Mapping[str, Any]) -> Iterator[Span]:
        for each in session["streams"]["shown"]:
            begun = each["acknowledged"] or each["opened"]
            if begun is None:
                continue
            end = self._t(each["closed"]) if each["closed"] else self._over(session)
            how = f"closed by the {each['by']}" if each["closed"] and each["by"] else "closed" if each["closed"] else "open to the end"  # fmt: skip
            says = f"{_STREAMS[each['purpose']]} open from {self._t(begun):.3f} s to {end:.3f} s, {how}"
            yield Span(kind="stream", start=self._t(begun), end=end, name=each["purpose"], says=says)

    def _held(self, session: Mapping[str, Any]) -> Iterator[Span]:
        shown = session["catalogues"]["shown"]
        for place, each in enumerate(shown):
            start = self._t(each["first"])
            end = self._t(shown[place + 1]["first"]) if place + 1 < len(shown) else self._over(session)
            says = f"holds catalogue {each['name']} from {start:.3f} s to {end:.3f} s"
            yield Span(kind="catalogue", start=start, end=max(end, start), name=each["name"], says=says)
        for each in session["stale"]:
            start, end = self._t(each["from"]), self._t(each["to"])
            what = "only a part" if each["why"] == "page-truncated" else "old list"
            says = f"{what} from {start:.3f} s to {end:.3f} s ({each['why']})"
            yield Span(kind="stale", start=start, end=max(end, start), name=what, says=says)

    def _crossed(self, session: Mapping[str, Any]) -> Iterator[Mark]:
        for each in session["steps"]:
            yield self._mark("handshake", each["asked"], f"{each['kind']} {each['version'] or ''}".strip())
        for each in session["lists"]["shown"]:
            kind: MarkKind = "refused" if each["state"] == "refused" else "list"
            yield self._mark(kind, each["asked"], f"tools/list, {each['state']}")
        for each in session["signals"]["shown"]:
            yield self._mark("signal", each, "a signal" if each["heeded"] else "a signal, and no list after it")
        for each in session["calls"]:
            yield from self._call(each)
        for each in session["losses"]["shown"]:
            yield self._mark("refused", each, f"{each['method']} refused")

    def _call(self, call: Mapping[str, Any]) -> Iterator[Mark]:
        odd = call["standing"] in {"removed", "unlisted"} or call["outcome"] in {"refused", "error"}
        says = f"call of {call['tool']}: {call['outcome']}, {call['standing']}"
        if call["asked"]:
            yield self._mark("odd-call" if odd or call.get("surplus") else "call", call["asked"], says)
        if call["count"] > 1 and call["last"]:
            yield self._mark("call", call["last"], f"the last of {call['count']} calls of {call['tool']}")

    def _mark(self, kind: MarkKind, at: Mapping[str, Any], says: str) -> Mark:
        frame = f"{self._recording['name']}:{at['frame']}"
        return Mark(kind=kind, t=self._t(at), frame=frame, says=f"{says}, at {self._t(at):.3f} s (frame {at['frame']})")

    def _over(self, session: Mapping[str, Any]) -> float:
        """Return when a session is over: with its end, with its last word where another followed it, or not at all."""
        if session["end"]:
            return self._t(session["end"])
        followed = self._newest[session["client"]["name"]] != session["id"]
        return self._t(session["last"]) if followed else self._end

    def _t(self, at: Mapping[str, Any]) -> float:
        return float(at["t"]) + self._offset


_STREAMS = {"get": "the GET stream", "listen": "a subscription"}


def _ending(span: Span, end: float) -> Span:
    return Span(kind=span.kind, start=span.start, end=max(end, span.start), name=span.name, says=span.says)


def _server_name(sessions: Sequence[Mapping[str, Any]]) -> str:
    told: Mapping[str, Any] = next((each["server"] for each in sessions if each["server"]), {})
    named = (told.get("name"), told.get("version"))
    return " ".join(str(each)[:60] for each in named if isinstance(each, (str, int, float)))

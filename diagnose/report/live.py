"""News of a recording that grows: a line each for people, a document each for programs, and lanes that are drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from diagnose.evidence.harmless import harmless
from diagnose.judge.words import counted, short
from diagnose.report.document import json_line
from diagnose.report.layout import Ink, Page
from diagnose.report.timeline_picture import Lane, Picture, picture_of
from diagnose.report.timeline_terminal import UNICODE, Strokes, picture_lines

if TYPE_CHECKING:
    from diagnose.evidence.redact import Redactor
    from diagnose.judge.diagnosis import Diagnosis
    from diagnose.judge.timeline.deeds import Call, Ending, Loss, Signal, Step, Stream, Walk
    from diagnose.judge.timeline.model import Session
    from diagnose.judge.timeline.news import News

SCHEMA = "diagnose.live/1"
_STREAMS = {"get": "the GET stream", "listen": "a subscription"}
_SHORT: Mapping[str, str] = {
    "list-asked": "asks",
    "stream-open": "opened",
    "stream-close": "closed",
    "overdue": "OVERDUE",
}
#: So many sessions have a lane at the foot of the terminal, the newest ones.
MOST_LANES = 6


def news_json(news: News, redactor: Redactor) -> str:
    """Return a piece of news as one line of JSON."""
    session = news.session
    document = {
        "schema": SCHEMA,
        "t": round(news.at.t, 6),
        "frame": news.at.frame,
        "event": news.kind,
        "session": session.key if session is not None else None,
        "client": _client(session),
        "says": said(news)[0],
    }
    return json_line(document, redactor)


def news_text(news: News, redactor: Redactor, *, width: int = 80, colour: bool = False) -> str:
    """Return a piece of news as lines of at most ``width`` columns: frame, time, session, what happened."""
    page = Page(width=width, colour=colour)
    words, ink = said(news)
    who = news.session.key.removeprefix("session ") if news.session is not None else ""
    word = _SHORT.get(news.kind, news.kind)
    head = f"{news.at.frame:>6}  {news.at.t:>9.2f} s  {who:>3}  {word:<9}  "
    lines = page.wrap(harmless(redactor.text(words)), first=head)
    lines[0] = lines[0][: len(head)].replace(word, page.ink(word, ink), 1) + lines[0][len(head) :]
    return "\n".join(lines)


def lanes_text(
    diagnosis: Diagnosis, redactor: Redactor, *, width: int = 80, colour: bool = False, strokes: Strokes = UNICODE
) -> str:
    """Return how the sessions stand, one lane each, as it is drawn over and over at the foot of a terminal."""
    page = Page(width=width, colour=colour)
    picture = picture_of(diagnosis)
    joined = tuple(_joined(picture))[-MOST_LANES:]
    small = Picture(lanes=joined, scale=picture.scale, catalogues=picture.catalogues[-MOST_LANES:])
    return "\n".join(picture_lines(small, page, lambda text: harmless(redactor.text(text)), strokes, legend=False))


def _joined(picture: Picture) -> Iterator[Lane]:
    """Yield one lane a session: what the client holds, with the marks of what crossed."""
    crossed = {lane.session: lane for lane in picture.lanes if lane.session is not None and lane.title == lane.session}
    for lane in picture.lanes:
        if lane.session is None or lane.session not in crossed or lane is crossed[lane.session]:
            continue
        other = crossed[lane.session]
        number = lane.session.rpartition(" ")[2]
        yield Lane(
            role="client",
            title=f"{number} {lane.title}",
            note=lane.note,
            spans=(*other.spans, *lane.spans),
            marks=(*other.marks, *lane.marks),
            session=lane.session,
        )


def said(news: News) -> tuple[str, Ink]:
    """Return a piece of news in words, and how much it matters."""
    return _SAID[news.kind](news)


def _client(session: Session | None) -> str | None:
    return None if session is None else session.client or session.agent


def _session(news: News) -> tuple[str, Ink]:
    session = news.session
    name = _client(session) or "a client"
    version = f" {session.client_version}" if session is not None and session.client_version else ""
    return f"{name}{version} begins", "strong"


def _handshake(news: News) -> tuple[str, Ink]:
    step: Step = news.subject
    asked = f"{step.kind} {step.version or ''}".strip()
    if step.refusal is not None:
        return f"{asked} is refused{_why(step.refusal.status, step.refusal.code)}", "bad"
    declared = {True: "listChanged declared", False: "listChanged not declared", None: ""}
    told = declared[news.session.declares_changes if news.session is not None else None]
    return f"{asked}: {', '.join(filter(None, [*step.versions[:3], told]))}", "plain"


def _list(news: News) -> tuple[str, Ink]:
    walk: Walk = news.subject
    if walk.refusal is not None:
        return f"the list is refused{_why(walk.refusal.status, walk.refusal.code)}", "bad"
    if walk.surface is None:
        return f"no whole list came: {walk.fault or walk.state}", "doubt"
    ttl = f", TTL {walk.ttl_ms} ms" if walk.ttl_ms is not None else ""
    what = f"{counted(walk.surface.count, 'tool')}, revision {short(walk.surface.revision)}{ttl}"
    return (f"the same list: {what}", "plain") if news.known else (f"a new list: {what}", "good")


def _signal(news: News) -> tuple[str, Ink]:
    signal: Signal = news.subject
    undeclared = ", which was not declared" if signal.declared is False else ""
    return f"the server says that its list has changed{undeclared}", "doubt"


def _overdue(news: News) -> tuple[str, Ink]:
    signal: Signal = news.subject
    return f"{news.since:.1f} s after the signal of frame {signal.at.frame}, no list was asked for", "bad"


def _opened(news: News) -> tuple[str, Ink]:
    stream: Stream = news.subject
    return f"{_STREAMS[stream.purpose]} is open for signals", "plain"


def _closed(news: News) -> tuple[str, Ink]:
    stream: Stream = news.subject
    by = f" by the {stream.by}" if stream.by else ""
    return f"{_STREAMS[stream.purpose]} was closed{by}", "plain" if stream.by == "client" or stream.clean else "doubt"


def _call(news: News) -> tuple[str, Ink]:
    call: Call = news.subject
    how = _why(call.refusal.status, call.refusal.code) if call.refusal is not None else ""
    standing = {"removed": ", which the newest list has no more", "unlisted": ", which is in no list that was sent"}
    odd = standing.get(call.standing, "") + (f", with {', '.join(call.surplus)} of an older definition" if call.surplus else "")  # fmt: skip
    return f"{call.tool}: {call.outcome}{how}{odd}", "doubt" if odd or call.outcome != "ok" else "plain"


def _refused(news: News) -> tuple[str, Ink]:
    lost: Loss | Stream = news.subject
    what = getattr(lost, "method", None) or _STREAMS[getattr(lost, "purpose", "get")]
    refusal = lost.refusal
    return f"{what} is refused{_why(refusal.status, refusal.code) if refusal is not None else ''}", "bad"


def _end(news: News) -> tuple[str, Ink]:
    ending: Ending = news.subject
    how = {
        "deleted": "the client ended it",
        "exited": "the server's process ended",
        "closed": "the connection was closed",
    }
    return how[ending.why], "faint"


def _process(news: News) -> tuple[str, Ink]:
    code = f" with code {news.subject.code}" if news.subject.code is not None else ""
    return f"the server's process: {news.subject.event or 'unknown'}{code}", "faint"


def _why(status: int | None, code: int | None) -> str:
    facts = [f"HTTP {status}" if status is not None else "", f"error {code}" if code is not None else ""]
    return f" ({', '.join(filter(None, facts))})" if any(facts) else ""


_SAID: Mapping[str, Callable[[News], tuple[str, Ink]]] = {
    "session": _session,
    "handshake": _handshake,
    "list-asked": lambda _: ("asks for the list", "plain"),
    "list": _list,
    "signal": _signal,
    "overdue": _overdue,
    "stream-open": _opened,
    "stream-close": _closed,
    "call": _call,
    "refused": _refused,
    "end": _end,
    "action": lambda news: (str(news.subject), "unsure"),
    "process": _process,
    "stopped": lambda news: (f"the recording ended: {news.subject}", "faint"),
}

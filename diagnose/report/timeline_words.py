"""What a session of a recording did, as rows: when, in which frames, in words. The text and the page show the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from diagnose.judge.words import counted, short
from diagnose.record import record
from diagnose.report.layout import Ink

if TYPE_CHECKING:
    from diagnose.judge.diagnosis import Diagnosis

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "renamed": ">"}
_STREAMS = {"get": "GET stream", "listen": "subscription"}
_STANDINGS = {
    "listed": "in the newest list",
    "removed": "in an older list, and not in the newest",
    "unlisted": "in no list that was sent",
    "unknown": "no whole list was seen before",
}
_MOST_CHANGES = 6
#: So many signals that were heeded make one row.
_RUN = 6
_ENDS = {"stopped": "stopped", "closed": "closed by a side", "limit": "ended at its limit", None: "cut off"}


@record
class Row:
    """Something that a session did or was sent: in which frames, when (seconds), in words."""

    frames: tuple[int, ...]
    t: float
    words: str
    ink: Ink = "plain"


def recorded(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield a line for each recording: from when, how long, between whom, and how it ended."""
    for each in diagnosis.recordings:
        ended = _ENDS.get(each["ended"], each["ended"])
        began = f" from {each['startedAt']}" if each["startedAt"] else ""
        hop = "" if each["hop"] == "client-server" else f", between {each['hop'].replace('-', ' and ')}"
        how = "stdio" if each["transport"] == "stdio" else "HTTP"
        many = f"{counted(each['events'], 'event')} in {each['last']['t']:.1f} s over {how}{hop}, {ended}"
        named = f"; its frames are {each['name']}:N" if len(diagnosis.recordings) > 1 else ""
        yield f"{each['source'] or each['name']}{began}: {many}{named}"


def identity(session: Mapping[str, Any]) -> str:
    """Return who spoke with whom, and how, in one line."""
    client, server = session["client"], session["server"] or {}
    protocol = " ".join(filter(None, (session["era"], session["protocolVersion"]))) or "no version agreed"
    told = [
        _with_version(client["name"], client["version"]),
        f"over {'stdio' if session['transport'] == 'stdio' else 'HTTP'}, {protocol}",
        f"server {_with_version(server.get('name'), server.get('version'))}" if server.get("name") else "",
        f"user agent {session['agent']}" if session["agent"] and session["agent"] != client["name"] else "",
        f"session {session['sessionId']}" if session["sessionId"] else "",
        f"authorization {session['principal']}" if session["principal"] else "",
    ]
    return ", ".join(filter(None, told))


def _with_version(name: Any, version: Any) -> str:
    return f"{name} {version}" if isinstance(version, (str, int, float)) and version else str(name)


def rows_of(session: Mapping[str, Any]) -> list[Row]:
    """Return what a session did, in the order of its frames."""
    found = [*_steps(session), *_catalogues(session), *_lists(session), *_signals(session), *_streams(session)]
    found += _calls(session)
    known = {frame for row in found for frame in row.frames[:1]}
    found += [row for row in _losses(session) if row.frames[0] not in known]
    found += _end(session)
    return sorted(found, key=lambda row: (row.frames[0], row.frames))


def held_old(span: Mapping[str, Any]) -> str:
    """Return when a client is shown to have held an old list, or only a part of one."""
    what = "only a part of the list" if span["why"] == "page-truncated" else "an old list"
    return f"held {what} from {span['from']['t']:.2f} s to {span['to']['t']:.2f} s: {span['why']}"


def left_out(session: Mapping[str, Any]) -> str:
    """Return how much is not among the rows of a session; nothing where all of it is."""
    parts = []
    for name in ("lists", "signals", "streams", "losses", "catalogues"):
        missing = session[name]["total"] - len(session[name]["shown"])
        if missing > 0:
            parts.append(f"{missing} {name}")
    return f"not told one by one: {', '.join(parts)}" if parts else ""


def _steps(session: Mapping[str, Any]) -> Iterator[Row]:
    for step in session["steps"]:
        asked = f"{step['kind']} {step['version'] or 'without a version'}"
        if step["refused"]:
            yield _row(step, f"{asked}: {_refused(step['refused'])}", ink="bad")
        elif step["answered"] is None:
            yield _row(step, f"{asked}: never answered", ink="doubt")
        else:
            declared = {True: "listChanged declared", False: "listChanged not declared", None: "no capabilities told"}
            spoken = ", ".join(step["versions"]) or "no version"
            yield _row(step, f"{asked}: the server answers {spoken}; {declared[session['listChanged']]}")


def _catalogues(session: Mapping[str, Any]) -> Iterator[Row]:
    for each in session["catalogues"]["shown"]:
        facts = [
            f"catalogue {each['name']}: {counted(each['count'], 'tool')}",
            f"revision {short(each['revision'])}" if each["revision"] else "",
            counted(each["pages"], "page"),
            f"TTL {each['ttlMs']} ms" if each["ttlMs"] is not None else "",
            f"{each['cacheScope']} to caches" if each["cacheScope"] is not None else "",
            f"sent {each['lists']} times, last in frame {each['last']['frame']}" if each["lists"] > 1 else "",
        ]
        changed = _changes(each["changes"])
        frames = _frames_of_list(session, each["first"]["frame"]) or (each["first"]["frame"],)
        said = ", ".join(filter(None, facts)) + (f"; against the one before: {changed}" if changed else "")
        yield Row(frames=frames, t=each["first"]["t"], words=said, ink="good")


def _frames_of_list(session: Mapping[str, Any], answered: int) -> tuple[int, ...]:
    for each in session["lists"]["shown"]:
        if each["answered"] and each["answered"]["frame"] == answered:
            return tuple(each["frames"])
    return ()


def _changes(changes: list[Mapping[str, Any]]) -> str:
    named = [f"{_SIGNS[each['kind']]} {each['tool'] or 'instructions'} ({each['impact']})" for each in changes]
    more = f" and {len(named) - _MOST_CHANGES} more" if len(named) > _MOST_CHANGES else ""
    return ", ".join(named[:_MOST_CHANGES]) + more


def _lists(session: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the lists that brought no catalogue; the others are told with what they brought."""
    for each in session["lists"]["shown"]:
        if each["catalogue"] is not None:
            continue
        frames = tuple(each["frames"])
        if each["refused"]:
            yield Row(frames=_and(frames, each["answered"]), t=each["asked"]["t"], words=f"tools/list: {_refused(each['refused'])}", ink="bad")  # fmt: skip
            continue
        pages = counted(each["pages"], "page")
        if each["givenUp"]:
            yield Row(frames=_and(frames, each["givenUp"]), t=each["asked"]["t"], words="tools/list: cancelled by the client before it was answered", ink="doubt")  # fmt: skip
            continue
        said = {
            "asking": "tools/list: never answered" if not each["pages"] else f"tools/list: no answer after {pages}",
            "open": f"tools/list: {pages} read, and the last one names another",
            "faulty": f"tools/list: {pages} read, and no end ({each['fault']})",
            "complete": f"tools/list: {pages} from a cursor on, no whole list",
        }[each["state"]]
        yield Row(frames=frames, t=each["asked"]["t"], words=said, ink="doubt")


def _signals(session: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the signals; of many that were heeded one after the other, one row tells."""
    run: list[Mapping[str, Any]] = []
    for each in session["signals"]["shown"]:
        if each["list"] and each["declared"] is not False:
            run.append(each)
            continue
        yield from _heeded(run)
        run = []
        yield _signal(each)
    yield from _heeded(run)


def _heeded(run: list[Mapping[str, Any]]) -> Iterator[Row]:
    if len(run) < _RUN:
        yield from map(_signal, run)
        return
    slowest = max(each["list"]["t"] - each["t"] for each in run)
    said = (
        f"{len(run)} signals until {run[-1]['t']:.2f} s: after each a list was asked for, at most {slowest:.2f} s later"
    )
    yield Row(frames=tuple(each["frame"] for each in run), t=run[0]["t"], words=said)


def _signal(each: Mapping[str, Any]) -> Row:
    declared = {True: "", False: ", which was not declared", None: ""}[each["declared"]]
    if each["list"]:
        after = f"a list was asked for {each['list']['t'] - each['t']:.2f} s later (frame {each['list']['frame']})"
    else:
        after = "a list was asked for later" if each["heeded"] else "no list was asked for afterwards"
    ink: Ink = "plain" if each["heeded"] else "doubt"
    where = f" on the {_STREAMS[each['stream']]}" if each["stream"] else ""
    return Row(frames=(each["frame"],), t=each["t"], words=f"signal{where}{declared}: {after}", ink=ink)


def _streams(session: Mapping[str, Any]) -> Iterator[Row]:
    for each in session["streams"]["shown"]:
        name = _STREAMS[each["purpose"]]
        frames = tuple(
            sorted({at["frame"] for key in ("asked", "acknowledged", "opened", "closed") if (at := each[key])})
        )
        if each["refused"]:
            yield Row(frames=frames, t=each["asked"]["t"], words=f"{name}: {_refused(each['refused'])}", ink="doubt")
            continue
        begun = each["acknowledged"] or each["opened"]
        facts = [f"open from {begun['t']:.2f} s" if begun else "never opened"]
        if each["closed"]:
            how = "" if each["by"] is None else f" by the {each['by']}"
            facts.append(
                f"closed{how} at {each['closed']['t']:.2f} s{'' if each['clean'] else ', without a proper end'}"
            )
        elif begun:
            facts.append("never seen closed")
        facts.append(counted(each["signals"], "signal"))
        yield Row(frames=frames, t=each["asked"]["t"], words=f"{name}: {', '.join(facts)}")


def _calls(session: Mapping[str, Any]) -> Iterator[Row]:
    for each in session["calls"]:
        if each["asked"] is None:
            continue
        frames = _and((each["asked"]["frame"],), each["last"])
        by = f", by definition {short(each['definitions'][-1])}" if each["definitions"] else ""
        if "catalogue" not in each:
            many = "called" if each["count"] == 1 else f"called {each['count']} times"
            yield Row(frames=frames, t=each["asked"]["t"], words=f"{each['tool']} {many}: ok, {_STANDINGS['listed']}{by}", ink="faint")  # fmt: skip
            continue
        newest = f" (newest: {each['catalogue']})" if each["catalogue"] else ""
        outcome = _refused(each["refused"]) if each["refused"] else {"pending": "never answered"}.get(each["outcome"], each["outcome"])  # fmt: skip
        old = f"; only an older definition names {', '.join(each['surplus'])}" if each["surplus"] else ""
        ink: Ink = "doubt" if each["standing"] in {"removed", "unlisted"} or old else "plain"
        said = f"call of {each['tool']}: {outcome}; {_STANDINGS[each['standing']]}{newest}{by}{old}"
        yield Row(frames=frames, t=each["asked"]["t"], words=said, ink=ink)


def _losses(session: Mapping[str, Any]) -> Iterator[Row]:
    for each in session["losses"]["shown"]:
        frames = _and((each["frame"],), each["refused"])
        yield Row(frames=frames, t=each["t"], words=f"{each['method']}: {_refused(each['refused'])}", ink="bad")


def _end(session: Mapping[str, Any]) -> Iterator[Row]:
    if session["end"]:
        said = {"deleted": "the client ended the session (DELETE)", "exited": "the server's process ended", "closed": "the connection was closed"}  # fmt: skip
        at = session["end"]
        yield Row(frames=(at["frame"],), t=at["t"], words=said[session["ended"]])


def _refused(refusal: Mapping[str, Any] | None) -> str:
    if refusal is None:
        return "refused"
    facts = [
        f"HTTP {refusal['status']}" if refusal["status"] is not None else "",
        f"error {refusal['code']}" if refusal["code"] is not None else "",
    ]
    words = f" ({refusal['message']})" if refusal["message"] else ""
    return "refused with " + (", ".join(filter(None, facts)) or "an error") + words


def _row(step: Mapping[str, Any], words: str, *, ink: Ink = "plain") -> Row:
    return Row(frames=_and((step["asked"]["frame"],), step["answered"]), t=step["asked"]["t"], words=words, ink=ink)


def _and(frames: tuple[int, ...], at: Mapping[str, Any] | None) -> tuple[int, ...]:
    return (*frames, at["frame"]) if at and at["frame"] not in frames else frames

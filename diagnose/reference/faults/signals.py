"""Faults of the signal that the list has changed, and of the stream that brings it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.capability import mute, unannounced
from diagnose.reference.faults.declare import Passing, Telling, as_answered, fault, opening, telling
from diagnose.reference.faults.retell import retold
from diagnose.reference.outlet import Message, Outlet
from diagnose.wire.subscription import LIST_CHANGED

#: Seconds between an answer and the signal that it causes, and between the signals of a storm.
SOON = 0.05
STORM = 0.1
#: Seconds that a stream lives: longer than one that is over at once, shorter than anybody waits.
SHORT_LIFE = 1.2
#: Seconds by which a buffer delays what it holds.
DELAY = 3.0


@telling("server-no-signal", breaks="Nobody is told of a change though listChanged was declared; seen with --trigger.")
def server_no_signal(telling: Telling) -> Iterable[Message]:
    """Lose every signal."""
    return () if telling.method == LIST_CHANGED else (telling.message,)


def _expect_old_list(telling: Telling) -> Iterable[Message]:
    telling.memory.keep("told", telling.method == LIST_CHANGED or telling.memory.kept("told"))
    return (telling.message,)


@fault(
    "server-signal-early",
    breaks="A change is told before it is made: the first list after the signal is the old one; seen with --trigger.",
    tells=_expect_old_list,
)
def server_signal_early(passing: Passing) -> Answer:
    """Give the list from before the signal once more; several streams bring one signal."""
    memory = passing.memory
    told, listed = memory.kept("told"), memory.kept("listed")
    if not told and not passing.ask.is_list:
        return passing.honest()
    now = passing.tools()
    answer = retold(passing, lambda _: listed) if told and listed not in (None, now) else passing.honest()
    if passing.ask.is_list:
        memory.keep("told", False)
        memory.keep("listed", now)
    return answer


@fault(
    "server-signal-storm:self-triggered",
    breaks="Every list causes a signal, so that whoever heeds it never stops.",
)
def server_signal_storm_self_triggered(passing: Passing) -> Answer:
    """Signal after each answer to `tools/list`."""
    answer = passing.honest()
    if passing.ask.is_list:
        for outlet in passing.outlets:
            outlet.later(SOON, partial(_signal, outlet))
    return answer


@opening(
    "server-signal-storm:without-change",
    breaks="Signals come all the time, though nothing changes.",
)
def server_signal_storm_without_change(outlet: Outlet) -> None:
    """Signal for as long as somebody hears it."""

    def again() -> None:
        _signal(outlet)
        outlet.later(STORM, again)

    again()


def _signal(outlet: Outlet) -> None:
    """Send a signal to whoever asked for it."""
    if outlet.asked is None or outlet.asked.get("toolsListChanged"):
        outlet.send(outlet.notification(LIST_CHANGED))


@telling(
    "notification-invalid",
    breaks="The signal is not one by the schema: its parameters are a list; seen with --trigger.",
    eras=("legacy",),
)
def notification_invalid(telling: Telling) -> Iterable[Message]:
    """Say in the parameters which list has changed, as no revision does."""
    return ({**telling.message, "params": ["tools"]} if telling.method == LIST_CHANGED else telling.message,)


@fault(
    "stream-missing",
    breaks="GET is answered neither with a stream nor with 405, but with an empty page; no changes are promised.",
    eras=("legacy",),
    transports=("http",),
    tells=mute,
)
def stream_missing(passing: Passing) -> Answer:
    """Answer GET as a server that does not know what to do with it."""
    return Answer.of({}) if passing.outlet is not None else unannounced(passing.honest())


@opening("stream-dropped", breaks="Every stream breaks off after a moment, without a word.", transports=("http",))
def stream_dropped(outlet: Outlet) -> None:
    """Break the connection off."""
    outlet.later(SHORT_LIFE, lambda: outlet.close(clean=False))


@telling(
    "proxy-buffers",
    breaks="A hop holds every event back for a while; seen with --trigger.",
    transports=("http",),
)
def proxy_buffers(telling: Telling) -> Iterable[Message]:
    """Pass a signal on too late."""
    if telling.method != LIST_CHANGED:
        return (telling.message,)
    telling.outlet.later(DELAY, lambda: telling.outlet.send(telling.message))
    return ()


@telling(
    "proxy-buffers:next-event",
    breaks="A hop passes an event on only when the next one comes; seen with --trigger.",
    transports=("http",),
)
def proxy_buffers_next_event(telling: Telling) -> Iterable[Message]:
    """Hold the newest signal of every stream, and let the one before it go."""
    if telling.method != LIST_CHANGED:
        return (telling.message,)
    place = f"held back {id(telling.outlet)}"
    held = telling.memory.kept(place)
    telling.memory.keep(place, telling.message)
    return () if held is None else (held,)


fault(
    "keep-alive-missing",
    breaks="Nothing at all comes on a quiet stream, so that a hop takes it for dead; seen with --wait 25.",
    transports=("http",),
    keeps_alive=False,
)(as_answered)

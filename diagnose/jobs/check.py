"""`check`: the main job's look at a server, thoroughly, and then everything that it promises, tried out."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace

from diagnose.errors import UsageError
from diagnose.evidence.bundle import WAIT, Bundle
from diagnose.evidence.observation import Build, Era, Observation
from diagnose.jobs.access import ConnectOptions, Surroundings
from diagnose.jobs.connection import Connection, connect
from diagnose.jobs.surface import SurfaceRequest, look_at
from diagnose.jobs.target import TargetSpec
from diagnose.jobs.trials import Trials
from diagnose.judge.contract import WHOLE, Selection, hold_to_contract
from diagnose.judge.diagnosis import Diagnosis
from diagnose.surface import Surface

_OURS = "The wire was that of our own sessions: it shows what the server does, and nothing of any client."
_NO_CALL = "No tool was called: whether a call changes the list for the connection that made it was not looked at."
#: The checks without which nobody learns whether an expected build runs.
_OF_EXPECTATIONS = frozenset({"server-old-build", "expected-build-unknown"})
#: Headers that may carry a credential; `--second-auth` and the request without one go without them.
_CREDENTIALS = frozenset({"authorization", "cookie", "x-api-key", "proxy-authorization"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """What to check, and with what help: a command that provokes a change, a second credential, seconds for a reaction."""

    spec: TargetSpec
    options: ConnectOptions
    selection: Selection = WHOLE
    expected: Build | None = None
    trigger: str | None = None
    second_auth: str | None = None
    wait: float = WAIT


def check(request: CheckRequest, around: Surroundings) -> Diagnosis:
    """Try a server out and hold it to its promises. What cannot be observed is evidence too.

    Raises `UsageError` for what is wrong on our side, the trigger that cannot be started among it.
    """
    chosen = {each.name for each in request.selection.checks}
    if request.expected is not None and not chosen >= _OF_EXPECTATIONS:
        missing = ", ".join(sorted(_OF_EXPECTATIONS - chosen))
        raise UsageError(
            f"a build is expected, and --select or --ignore leaves out what holds the server to it: {missing}"
        )
    return hold_to_contract(observe_promises(request, around), request.selection)


def observe_promises(request: CheckRequest, around: Surroundings) -> Bundle:
    """Gather the evidence. Raises as `check`."""
    from diagnose.observe.experiments.trigger import CommandTrigger

    provoke = None
    if request.trigger is not None:
        provoke = CommandTrigger.of(request.trigger, env=around.env, limit=request.options.timeout)
    surface = SurfaceRequest(
        spec=request.spec, options=request.options, expected=request.expected, baseline=_no_past, thorough=True
    )
    with ExitStack() as opened:
        connection = opened.enter_context(connect(request.spec, request.options, around))
        second = second_way(request.second_auth, request.options, around, connection, opened)
        seen = look_at(surface, around, connection)
        origin = seen.bundle.origin
        assert origin is not None
        trials = Trials(
            connection=connection,
            origin=origin,
            needs=request.selection.needs,
            now=around.now,
            wait=request.wait,
            url=seen.url,
            provoke=provoke,
            second=second,
            anonymous=_anonymous(request, around, connection, opened),
        )
        probes = trials.run()
        return replace(
            seen.bundle,
            origin=_among(origin, trials.others),
            probes=probes,
            wire=tuple(trials.recordings),
            wait=request.wait,
            notes=(
                *seen.bundle.notes,
                *((_OURS,) if trials.recordings else ()),
                *((_NO_CALL,) if probes.beside is not None else ()),
            ),
        )


def _no_past(_target: str, _principal: str, _era: Era | None, _beside: Surface | None) -> str:
    return "check holds a server to what it promises, not to its past"


def second_way(
    way: str | None, options: ConnectOptions, around: Surroundings, connection: Connection, opened: ExitStack
) -> Connection | None:
    """Open the way in as another principal, before anything is asked, so that a wrong option costs nobody any time.

    Raises `UsageError` where ``way`` (`--second-auth`) leads to no second principal; without one there is none.
    """
    if way is None:
        return None
    if connection.spec.kind == "stdio":
        raise UsageError("--second-auth is for HTTP; a stdio server takes its credential from the environment")
    other = opened.enter_context(connect(connection.spec, _as(options, way), around))
    if other.principal == connection.principal:
        what = "no credential" if other.principal == "none" else "the credential of --auth"
        raise UsageError(f"--second-auth comes to {what}, so that there is no second principal")
    return other


def _anonymous(
    request: CheckRequest, around: Surroundings, connection: Connection, opened: ExitStack
) -> Connection | None:
    """Open the way in without any credential, where one is in use."""
    if not connection.has_credential:
        return None
    other = opened.enter_context(connect(connection.spec, _as(request.options, "none"), around))
    return None if other.has_credential else other


def _as(options: ConnectOptions, auth: str) -> ConnectOptions:
    """Return the options with another credential in the place of whatever they carry."""
    headers = tuple(text for text in options.headers if text.partition("=")[0].lower() not in _CREDENTIALS)
    return replace(options, auth=auth, headers=headers)


def _among(origin: Observation, others: list[Observation]) -> Observation:
    """Return the origin with the lists of other eras and callers among its samples, before those of its own."""
    if not others:
        return origin
    own = origin.samples or (replace(origin, samples=()),)
    return replace(origin, samples=(*others, *own))

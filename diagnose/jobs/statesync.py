"""`statesync`: may an agent believe what a server says of its state? From a recording, or from a session of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnose.errors import CredentialRefusedError, InputError, ObservationError, UsageError
from diagnose.evidence.bundle import Bundle, Target
from diagnose.evidence.observation import LayerName
from diagnose.jobs.operands import read_bytes
from diagnose.jobs.recordings import lines_of
from diagnose.judge.trust.judge import judge_manifest, judge_state, trust_in, witnessed, witnessed_lines
from diagnose.record import record
from diagnose.statesync import Declaration, FusionLock, PolicyError, read_fusion_lock, read_policies
from diagnose.statesync.toml_form import MAX_TEXT
from diagnose.surface import JsonError, parse_json

if TYPE_CHECKING:
    from typing import TextIO

    from diagnose.jobs.access import ConnectOptions, Surroundings
    from diagnose.jobs.connection import Connection
    from diagnose.jobs.target import TargetSpec
    from diagnose.judge.diagnosis import Diagnosis
    from diagnose.judge.timeline import Timeline
    from diagnose.observe.experiments.state import Lists, StateCall
    from diagnose.observe.recorder import Recorder
    from diagnose.surface import Surface

_UNSEEN = "a recording was judged, and nobody was asked"


_NOT_ASKED: Mapping[LayerName, str] = {
    "deployed": "only the state was asked about",
    "manifest": "only the state was asked about",
    "origin": "its session was recorded and judged as the wire",
}
_OURS = "The wire was that of our own session: it shows what the server does, and nothing of any client."
#: Seconds that updates have to come in, after each call that changed something, and in the end those that are missing.
SETTLE = 1.0
PATIENCE = 5.0


@record
class StateRequest:
    """What to try on a server: calls by tool and arguments, and whether those that may change something are allowed."""

    spec: TargetSpec
    options: ConnectOptions
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    allow_mutations: bool = False


@record
class ManifestRequest:
    """Whose manifest to read, as whom, and the lock file to hold against it."""

    spec: TargetSpec
    options: ConnectOptions
    second_auth: str | None = None
    lock: FusionLock | Surface | None = None


@record
class TrustLook:
    """A recording judged, and the trust in each answer that was read in it, as a report has both."""

    diagnosis: Diagnosis
    trust: tuple[Mapping[str, Any], ...]


def read_policy(path: str | None, *, stdin: TextIO) -> Declaration | None:
    """Return the policy that a TOML file declares; None without a file. Raises `InputError`."""
    if path is None:
        return None
    data = read_bytes(path, stdin=stdin, max_bytes=4 * MAX_TEXT)
    try:
        return read_policies(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: expected UTF-8: {error}") from error
    except PolicyError as error:
        raise InputError(f"{path}: {error}", advice=error.advice) from error


def read_any_lock(path: str | None, *, stdin: TextIO) -> FusionLock | Surface | None:
    """Return a lock file, MCP Fusion's or the list of one of our own; None without one. Raises `InputError`."""
    from diagnose.store.lock import SCHEMA, read_lock

    if path is None:
        return None
    data = read_bytes(path, stdin=stdin)
    # Ours says in its first lines what it is.
    return read_lock(data, path).surface if SCHEMA.encode() in data[:200] else read_fusion_lock(data)


def check_recording(path: str, policy: Declaration | None, *, now: str) -> TrustLook:
    """Judge a recording. Raises `InputError` where it is none."""
    line = _read(path, policy)
    target = Target(id=Path(path).name, transport=line.header.transport, endpoint=path)
    unobserved: dict[LayerName, str] = {"deployed": _UNSEEN, "manifest": _UNSEEN, "origin": _UNSEEN}
    bundle = Bundle(created_at=line.header.started_at or now, target=target, unobserved=unobserved)
    return TrustLook(diagnosis=judge_state(bundle, [line]), trust=trust_in([line]))


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    """Return the tool and the arguments of `--call NAME=JSON`; without JSON there are none. Raises `UsageError`."""
    name, equals, body = text.partition("=")
    try:
        arguments = parse_json(body).value if equals else {}
    except JsonError as error:
        raise UsageError(f"--call {name}: expected a JSON object: {error}") from error
    if not name or not isinstance(arguments, dict):
        raise UsageError("--call takes NAME=JSON, with JSON an object of arguments")
    return name, arguments


def check_server(request: StateRequest, policy: Declaration | None, around: Surroundings) -> TrustLook:
    """Try a server out in a session of our own, and judge that as any recording.

    Raises `UsageError` for a call of a tool that is not listed, or that may change something and was not allowed.
    """
    import secrets

    from diagnose.jobs.connection import connect

    with connect(request.spec, request.options, around) as connection:
        recorder = connection.recorder()
        problem: ObservationError | None = None
        try:
            _try_out(connection, recorder, request, _domains(policy))
        except CredentialRefusedError:
            raise
        except ObservationError as error:
            problem = error
        recorder.end("closed")
        line = witnessed(recorder.recording(), policy=policy, key=secrets.token_bytes(32))
        target = Target(
            id=request.spec.id,
            transport=request.spec.transport,
            endpoint=around.redactor.text(request.spec.endpoint),
        )
        notes = [_OURS, *connection.notes]
        if problem is not None:
            notes.append(f"The session ended early: {problem}")
        bundle = Bundle(
            created_at=around.now(), target=target, live=True, notes=tuple(notes), unobserved=dict(_NOT_ASKED)
        )
        diagnosis = judge_state(bundle, [line], unfinished=problem is not None)
        return TrustLook(diagnosis=diagnosis, trust=trust_in([line]))


def check_manifest(request: ManifestRequest, around: Surroundings) -> Diagnosis:
    """Read the manifest as one caller or as two, and hold it to what each is listed.

    Raises `UsageError` for a second way in that is none, `CredentialRefusedError` where a credential is refused.
    """
    import secrets
    from contextlib import ExitStack

    from diagnose.evidence.recording import Recording
    from diagnose.jobs.check import second_way
    from diagnose.jobs.connection import connect

    spec = request.spec
    with ExitStack() as opened:
        connection = opened.enter_context(connect(spec, request.options, around))
        second = second_way(request.second_auth, request.options, around, connection, opened)
        sessions = [_manifest_lines(each) for each in (connection, second) if each is not None]
    recording = Recording.of_objects(_one_after_the_other(sessions), source="own session")
    line = witnessed(recording, lock=request.lock, key=secrets.token_bytes(32))
    target = Target(id=spec.id, transport=spec.transport, endpoint=around.redactor.text(spec.endpoint))
    notes = (_OURS, *connection.notes)
    bundle = Bundle(created_at=around.now(), target=target, live=True, notes=notes, unobserved=dict(_NOT_ASKED))
    return judge_manifest(bundle, [line])


def _manifest_lines(connection: Connection) -> list[dict[str, Any]]:
    from diagnose.observe.experiments.state import read_lists, read_manifest

    recorder = connection.recorder()
    with connection.open_recorded(recorder) as session:
        read_manifest(session, read_lists(session, now=connection.now))
    recorder.end("closed")
    return recorder.lines()


def _one_after_the_other(sessions: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return recordings of several callers as one: their exchanges keep their own names, and time goes on."""
    lines: list[dict[str, Any]] = [sessions[0][0]]
    for place, (_, *events) in enumerate(sessions):
        start = lines[-1].get("t", 0.0)
        for event in events:
            if event["kind"] == "end" and place + 1 < len(sessions):
                continue
            channel = event.get("channel")
            own = {"channel": f"caller {place + 1} {channel}"} if channel is not None else {}
            lines.append({**event, "t": start + event["t"], **own})
    return lines


def _domains(policy: Declaration | None) -> list[str]:
    return [domain for each in (policy.policies if policy is not None else ()) for domain in each.invalidates]


def _try_out(connection: Connection, recorder: Recorder, request: StateRequest, domains: Sequence[str]) -> None:
    from diagnose.observe.experiments.state import Waits, listened_to, read_lists, state_trial

    waits = Waits(settle=SETTLE, patience=PATIENCE)
    with connection.open_recorded(recorder) as first:
        lists = read_lists(first, now=connection.now)
        calls = _calls(lists, request)
        wanted = listened_to(first, lists.watched(domains))
        era = first.era
    if era == "modern" and not wanted:
        with connection.open_recorded(recorder) as session:
            state_trial(session, lists, calls, waits=waits, now=connection.now, domains=domains)
        return
    with connection.hold(era=era, notifications=wanted or None, recorder=recorder) as held:
        held.wait_until_listening(SETTLE)
        state_trial(held, lists, calls, waits=waits, now=connection.now, domains=domains)


def _calls(lists: Lists, request: StateRequest) -> list[StateCall]:
    from diagnose.judge.trust.nature import action_nature, chooser
    from diagnose.observe.experiments.state import MOST_READS, StateCall, only_reads, readable

    named: list[StateCall] = []
    for name, arguments in request.calls:
        tool = lists.tools.get(name)
        if tool is None:
            raise UsageError(f"--call names {name}, which the server does not list")
        if not only_reads(tool) and not request.allow_mutations:
            raise UsageError(
                f"{name} is not marked as read-only, and was not called",
                advice="Add --allow-mutations where what it changes may be changed.",
            )
        argument, _ = chooser(tool)
        action = arguments.get(argument)
        reads = only_reads(tool) or (isinstance(action, str) and action_nature(tool, action) == "read")
        named.append(StateCall(tool=name, arguments=arguments, reads=reads))
    known = {call.tool for call in named}
    return [*(call for call in list(readable(lists.tools))[:MOST_READS] if call.tool not in known), *named]


def _read(path: str, policy: Declaration | None) -> Timeline:
    import secrets

    try:
        with Path(path).open("rb") as file:
            # The key is forgotten with this run: nobody can try out afterwards what was answered.
            return witnessed_lines(lines_of(file), policy=policy, key=secrets.token_bytes(32), source=path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error

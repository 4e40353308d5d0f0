"""Evidence that a person names beside a target: recordings, what a client holds, what a model is offered, another path."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.errors import CredentialRefusedError, InputError, ObservationError, UsageError
from diagnose.evidence.bundle import Bundle, ClientEntry
from diagnose.evidence.observation import LayerName, Observation
from diagnose.evidence.recording import Recording
from diagnose.store.files import MAX_DOCUMENT, read_bounded

if TYPE_CHECKING:
    from diagnose.jobs.access import ConnectOptions, Surroundings

#: What `--registry` takes in the place of a file: the client itself is asked.
LIVE = "live"
#: The largest recording that is read whole.
MAX_RECORDING = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What was named on the command line, as it was typed."""

    path: str | None = None
    path_prefix: str | None = None
    path_auth: str = "none"
    recordings: Sequence[str] = ()
    registry: str | None = None
    model: str | None = None
    client: str | None = None
    client_version: str | None = None
    server_key: str | None = None
    expected_tools: Sequence[str] = ()

    @property
    def has_files(self) -> bool:
        """Whether there is evidence in files: with that, nobody has to be asked."""
        return bool(self.recordings or self.model or (self.registry and self.registry != LIVE))


def with_files(bundle: Bundle, beside: Beside) -> Bundle:
    """Return the bundle with everything that lies in files, and with the client that was named.

    What is named goes before what the bundle holds already. Raises `InputError` for a file that is not what it should be.
    """
    client = _client(bundle.client, beside)
    key = client.server_key if client is not None else None
    registry = _view(beside.registry, "registry", key) or bundle.registry
    model = _view(beside.model, "model", key) or bundle.model
    unobserved = {
        layer: why
        for layer, why in bundle.unobserved.items()
        if not (layer in {"registry", "model"} and {"registry": registry, "model": model}[layer])
        and not (layer == "wire" and beside.recordings)
    }
    if client is not None and registry is None:
        unobserved["registry"] = "no file of what the client holds was given; --registry names one"
    recordings = tuple(read_recording(path, key) for path in beside.recordings)
    return replace(
        bundle,
        client=client,
        registry=registry,
        model=model,
        wire=(*bundle.wire, *recordings),
        path_prefix=beside.path_prefix if beside.path_prefix is not None else bundle.path_prefix,
        unobserved=unobserved,
        expected_tools=(*bundle.expected_tools, *beside.expected_tools),
    )


def _client(known: ClientEntry | None, beside: Beside) -> ClientEntry | None:
    if beside.client is None:
        return replace(known, server_key=beside.server_key) if known and beside.server_key else known
    before = known if known is not None and known.id == beside.client else ClientEntry(id=beside.client)
    return replace(
        before,
        version=beside.client_version or before.version,
        server_key=beside.server_key or before.server_key,
    )


def _view(path: str | None, layer: LayerName, key: str | None) -> Observation | None:
    if path is None or path == LIVE:
        return None
    from diagnose.observe.registry import read_view

    return read_view(
        read_bounded(path, MAX_DOCUMENT),
        "model" if layer == "model" else "registry",
        source=Path(path).name,
        server_key=key,
    )


def read_recording(path: str, server_key: str | None = None) -> Recording:
    """Read a recording, ours or what another program keeps of a session. Raises `InputError` where it is none.

    One of ours that goes over several files is read with its later parts, where these lie beside it. ``server_key`` says
    which server is meant, where a client's log is of several.
    """
    from diagnose.jobs.recordings import later_parts, peek
    from diagnose.tap.captures import read_capture

    header = peek(Path(path))
    parts = later_parts(Path(path), header) if header else []
    if parts:
        return _read_parts(Path(path), [Path(path), *(part.path for part in parts)])
    # A key for this reading alone: nothing else is laid beside the sessions of a file that others made.
    data, name = _of_a_recording(path), Path(path).name
    return read_capture(data, lambda: secrets.token_bytes(32), source=name, server_key=server_key)


def _read_parts(first: Path, files: Sequence[Path]) -> Recording:
    from diagnose.jobs.recordings import Chain

    size = sum(file.stat().st_size for file in files)
    if size > MAX_RECORDING:
        raise InputError(
            f"{first} and its later parts have {size} bytes, and {MAX_RECORDING} are the most that are read whole",
            advice="`diagnose timeline` reads a recording of any length.",
        )
    told = Chain(first)
    events = tuple(told.events())
    return Recording(header=told.header, events=events, notes=tuple(told.notes), source=first.name)


def _of_a_recording(path: str) -> bytes:
    if not Path(path).exists():
        raise InputError(f"{path} cannot be read: it does not exist", advice="`diagnose tap` makes a recording.")
    return read_bounded(path, MAX_RECORDING)


def with_client(bundle: Bundle, beside: Beside, options: ConnectOptions, around: Surroundings) -> Bundle:
    """Return the bundle with what the client itself answers, where `--registry live` asks for that.

    A failure is a value. Raises `UsageError` for a client that has no such way, or that is not known to have one here.
    """
    if beside.registry != LIVE:
        return bundle
    from diagnose.clients import client
    from diagnose.observe.failures import failure_of
    from diagnose.observe.registry.live import ASKED
    from diagnose.transport.deadline import Deadline

    named = client(beside.client)
    ask = ASKED.get(named.id) if named is not None else None
    if ask is None or named is None:
        raise UsageError(
            f"--registry live asks the client itself, and there is no such way to {beside.client or 'no client'}",
            advice=f"Name one of {', '.join(ASKED)} with --client. Of others, save what they show and name the file.",
        )
    _learn_secrets(named.id, around)
    deadline = Deadline(options.deadline)
    try:
        seen = ask(deadline, server_key=beside.server_key, env=around.env, now=around.now())
    except ObservationError as error:
        failure = failure_of(error)
        seen = Observation(layer="registry", complete=False, at=around.now(), source=named.name, failure=failure)
    kept = dict(bundle.unobserved)
    kept.pop("registry", None)
    return replace(bundle, registry=seen, unobserved=kept)


def _learn_secrets(client_id: str, around: Surroundings) -> None:
    """Have the values of env and headers in the client's configuration hidden: it may repeat them."""
    from diagnose.jobs.clients import list_configured, place_of

    list_configured([client_id], place_of(around.env), around.redactor)


def with_path(bundle: Bundle, beside: Beside, options: ConnectOptions, around: Surroundings) -> Bundle:
    """Return the bundle with the list as a new session gets it through the path that was named.

    A failure is a value. Raises `UsageError` where the path is no address or its credential may not go there.
    """
    if beside.path is None:
        return bundle
    from diagnose.jobs.config import Config
    from diagnose.jobs.connection import connect
    from diagnose.jobs.target import resolve_target
    from diagnose.observe.failures import failure_of
    from diagnose.observe.origin import observe_origin

    spec = resolve_target(beside.path, None, config=Config(), env={})
    if spec.kind != "http":
        raise UsageError("--path takes an http or https URL")
    own = replace(options, headers=(), auth=beside.path_auth, base_url=None, base_auth="none")
    env = {name: value for name, value in around.env.items() if name != "DIAGNOSE_TOKEN"}
    with connect(spec, own, replace(around, env=env)) as connection:
        try:
            seen = observe_origin(connection.open_session, now=around.now, layer="path", principal=connection.principal)
        except CredentialRefusedError as refused:
            failure = failure_of(refused)
            seen = Observation(layer="path", complete=False, at=around.now(), source="tools/list", failure=failure)
    # Two credentials of ours are two fingerprints; without one at either side nothing says that the lists may differ.
    seen = replace(seen, source=spec.endpoint, principal=None, samples=())
    kept = dict(bundle.unobserved)
    kept.pop("path", None)
    return replace(bundle, path=seen, unobserved=kept)

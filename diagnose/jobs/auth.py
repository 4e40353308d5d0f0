"""Store, look at and remove the credential that belongs to one origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from diagnose.credentials.datafolder import data_folder
from diagnose.credentials.fingerprint import machine_key
from diagnose.credentials.keyring_store import PATIENCE_WITH_A_PERSON, KeyringError, KeyringStore
from diagnose.credentials.resolve import VARIABLE, authorization
from diagnose.credentials.sources import Auth, checked, from_environment
from diagnose.errors import UsageError
from diagnose.evidence.secret import Secret
from diagnose.jobs.target import TargetSpec
from diagnose.transport.binding import may_carry_credentials
from diagnose.transport.origin import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """What one source holds for an origin; ``present`` is None where it was not looked at, and ``why`` says why."""

    source: str
    present: bool | None
    fingerprint: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginState:
    """The credentials that there are for one origin, and which of them a plain run ``uses`` (`none`: it sends none)."""

    origin: str
    uses: str
    sources: tuple[SourceState, ...]
    why: str | None = None
    """Why a credential that is there is not used."""


def origin_of(spec: TargetSpec) -> Origin:
    """Return the origin that a target's credential is bound to. Raises `UsageError` for a target that takes none."""
    if spec.kind != "http" or spec.url is None:
        raise UsageError(f"{spec.id} takes no credential: only a server with a URL does", advice="Name a URL or @NAME.")
    return Origin.of(spec.url)


def store(origin: Origin, value: str, env: Mapping[str, str]) -> OriginState:
    """Put a credential for ``origin`` into the keyring. Raises `UsageError` where that cannot be done."""
    secret = checked(value, "what was entered")
    _keyring(env, attended=True).put(origin, secret)
    return _state(origin, (_found("keyring", secret, env), _environment(env)))


def remove(origin: Origin, env: Mapping[str, str]) -> OriginState:
    """Take the credential for ``origin`` out of the keyring. Raises `UsageError` where that cannot be done."""
    there_was = _keyring(env, attended=True).remove(origin)
    gone = SourceState(source="keyring", present=False, why=None if there_was else "there was none")
    return _state(origin, (gone, _environment(env)))


def status(spec: TargetSpec, env: Mapping[str, str]) -> OriginState:
    """Return which credentials there are for a target. A way that the configuration names is told, but not gone."""
    origin = origin_of(spec)
    found = (_in_keyring(origin, env), _environment(env))
    way = Auth.parse(spec.named.auth).kind if spec.named is not None and spec.named.auth is not None else "auto"
    state = _state(origin, found)
    if way in {"auto", "keyring"}:
        return state
    named = SourceState(source=way, present=None, why="the configuration names it; it is read when it is used")
    return replace(state, uses=way, sources=found if way == "none" else (named, *found))


def status_of_all(env: Mapping[str, str]) -> tuple[OriginState, ...]:
    """Return the state of each origin that `store` was used for."""
    origins = map(Origin.of, _keyring(env).origins())
    return tuple(_state(origin, (_in_keyring(origin, env), _environment(env))) for origin in origins)


def _keyring(env: Mapping[str, str], *, attended: bool = False) -> KeyringStore:
    folder = data_folder(env)
    return KeyringStore(folder=folder, patience=PATIENCE_WITH_A_PERSON) if attended else KeyringStore(folder=folder)


def _in_keyring(origin: Origin, env: Mapping[str, str]) -> SourceState:
    try:
        secret = _keyring(env).get(origin)
    except KeyringError as error:
        return SourceState(source="keyring", present=None, why=str(error))
    return SourceState(source="keyring", present=False) if secret is None else _found("keyring", secret, env)


def _environment(env: Mapping[str, str]) -> SourceState:
    if not env.get(VARIABLE):
        return SourceState(source="environment", present=False)
    try:
        return _found("environment", from_environment(VARIABLE, env), env)
    except UsageError as error:
        return SourceState(source="environment", present=True, why=str(error))


def _found(source: str, secret: Secret, env: Mapping[str, str]) -> SourceState:
    # Of the header, as everywhere: snapshots are kept apart by the same fingerprint.
    fingerprint = authorization(secret).fingerprint(machine_key(data_folder(env)))
    return SourceState(source=source, present=True, fingerprint=fingerprint)


def _state(origin: Origin, sources: tuple[SourceState, ...]) -> OriginState:
    first = next((each.source for each in sources if each.present), "none")
    if first != "none" and not may_carry_credentials(origin):
        why = f"without TLS none is sent unless --allow-plain-http {origin} is given"
        return OriginState(origin=str(origin), uses="none", sources=sources, why=why)
    return OriginState(origin=str(origin), uses=first, sources=sources)

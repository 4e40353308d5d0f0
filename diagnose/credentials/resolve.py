"""From ``--auth`` and an origin to the header that goes there, or to the reason why none does."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from diagnose.credentials.command import PATIENCE
from diagnose.credentials.datafolder import data_folder
from diagnose.credentials.fingerprint import machine_key
from diagnose.credentials.keyring_store import KeyringError, KeyringStore
from diagnose.credentials.sources import Auth, Found, checked, from_environment, read
from diagnose.errors import UsageError
from diagnose.evidence.secret import Secret
from diagnose.record import record
from diagnose.transport.binding import Binding, may_carry_credentials
from diagnose.transport.origin import Origin

Source = Literal["keyring", "environment", "file", "command", "none"]

#: The variable that `auto` takes a credential from, for TARGET's origin only.
VARIABLE = "DIAGNOSE_TOKEN"

_SOURCES: Mapping[str, Source] = {"keyring": "keyring", "env": "environment", "file": "file", "command": "command"}


@record
class Resolved:
    """The credential for one origin, if any. ``fingerprint`` tells principals of this machine apart."""

    binding: Binding | None = None
    source: Source = "none"
    fingerprint: str | None = None
    notes: tuple[str, ...] = ()
    """What a person should know: a credential that was withheld, a file that others can read."""


def resolve(
    auth: str,
    origin: Origin,
    *,
    env: Mapping[str, str],
    plain_http: Collection[Origin] = (),
    allow_env: bool = False,
    patience: float = PATIENCE,
) -> Resolved:
    """Return what ``auth`` (``auto|none|keyring|env:VAR|file:PATH|command:CMD``) gives for ``origin``.

    `auto` takes the keyring's entry for that origin, then DIAGNOSE_TOKEN if ``allow_env`` (TARGET's own origin), then
    nothing; it withholds a credential that would be sent without TLS, where any other way raises `UsageError`, as it
    does for a credential that is missing or that no header can carry. ``patience`` is how long a command may take, in
    seconds.
    """
    wanted = Auth.parse(auth)
    if wanted.kind == "none":
        return Resolved()
    store = KeyringStore(folder=data_folder(env))
    token_is_set = allow_env and bool(env.get(VARIABLE))
    if wanted.kind == "auto":
        if not (store.may_hold(origin) or token_is_set):
            return Resolved()
        if not may_carry_credentials(origin, plain_http):
            return Resolved(notes=(f"the credential for {origin} was withheld: it would be sent without TLS",))
        return _automatic(origin, store, env, token_is_set=token_is_set)
    if not may_carry_credentials(origin, plain_http):
        raise UsageError(
            f"the credential of --auth would be sent to {origin} without TLS",
            advice=f"Use https, or accept that others can read it with --allow-plain-http {origin}.",
        )
    found = _from_keyring(origin, store) if wanted.kind == "keyring" else read(wanted, env, patience=patience)
    return _bound(found, origin, _SOURCES[wanted.kind], env)


def authorization(secret: Secret) -> Secret:
    """Return the header value for a credential: ``Bearer`` and the token (RFC 6750), or as it is where it has a scheme."""
    value = secret.reveal()
    return Secret(value if " " in value else f"Bearer {value}")


def _automatic(origin: Origin, store: KeyringStore, env: Mapping[str, str], *, token_is_set: bool) -> Resolved:
    notes: tuple[str, ...] = ()
    if store.may_hold(origin):
        try:
            secret = store.get(origin)
        except KeyringError as error:
            # Somebody did store one: to go on without it silently would make a refusal look like the server's doing.
            secret, notes = None, (f"the credential stored for {origin} could not be read: {error}",)
        if secret is not None:
            return _bound(Found(secret=_stored(secret, origin)), origin, "keyring", env)
    if token_is_set:
        return _bound(Found(secret=from_environment(VARIABLE, env), notes=notes), origin, "environment", env)
    return Resolved(notes=notes)


def _from_keyring(origin: Origin, store: KeyringStore) -> Found:
    secret = store.get(origin)
    if secret is None:
        raise UsageError(
            f"the keyring has no credential for {origin}", advice=f"Store one with `diagnose auth set {origin}`."
        )
    return Found(secret=_stored(secret, origin))


def _stored(secret: Secret, origin: Origin) -> Secret:
    # Other programs can write there, too.
    return checked(secret.reveal(), f"the keyring's entry for {origin}")


def _bound(found: Found, origin: Origin, source: Source, env: Mapping[str, str]) -> Resolved:
    header = authorization(found.secret)
    return Resolved(
        binding=Binding(origin=origin, headers={"Authorization": header}, source=source),
        source=source,
        fingerprint=header.fingerprint(machine_key(data_folder(env))),
        notes=found.notes,
    )

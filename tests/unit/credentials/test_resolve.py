import subprocess
import sys

import keyring.errors
import pytest

from diagnose.credentials.fingerprint import machine_key
from diagnose.credentials.keyring_store import KeyringStore
from diagnose.credentials.resolve import Resolved, resolve
from diagnose.errors import UsageError
from diagnose.evidence.secret import Secret
from diagnose.transport.origin import Origin

ORIGIN = Origin.of("https://example.test/mcp")
PLAIN = Origin.of("http://example.test/mcp")
LOOPBACK = Origin.of("http://127.0.0.1:7878/mcp")


def sent(resolved: Resolved) -> str | None:
    return resolved.binding.headers["Authorization"].reveal() if resolved.binding else None


def test_a_token_is_bound_to_its_origin_as_a_bearer(env, folder):
    resolved = resolve("env:V", ORIGIN, env={**env, "V": "s3cret"})
    assert sent(resolved) == "Bearer s3cret"
    assert resolved.binding.origin == ORIGIN
    assert resolved.source == resolved.binding.source == "environment"
    assert resolved.fingerprint == Secret("Bearer s3cret").fingerprint(machine_key(folder))
    assert "s3cret" not in repr(resolved)


def test_a_value_with_a_scheme_is_sent_as_it_is(env):
    assert sent(resolve("env:V", ORIGIN, env={**env, "V": "Basic dTpw"})) == "Basic dTpw"


def test_auto_takes_the_keyring_then_the_variable_then_nothing(env, folder, memory):
    env["DIAGNOSE_TOKEN"] = "from-variable"
    KeyringStore(folder=folder).put(ORIGIN, Secret("from-keyring"))
    first = resolve("auto", ORIGIN, env=env, allow_env=True)
    assert (first.source, sent(first)) == ("keyring", "Bearer from-keyring")
    KeyringStore(folder=folder).remove(ORIGIN)
    second = resolve("auto", ORIGIN, env=env, allow_env=True)
    assert (second.source, sent(second)) == ("environment", "Bearer from-variable")
    del env["DIAGNOSE_TOKEN"]
    assert resolve("auto", ORIGIN, env=env, allow_env=True) == Resolved()


def test_the_variable_is_for_the_target_only(env):
    assert resolve("auto", ORIGIN, env={**env, "DIAGNOSE_TOKEN": "x"}) == Resolved()


def test_none_is_none(env, memory, folder):
    KeyringStore(folder=folder).put(ORIGIN, Secret("x"))
    assert resolve("none", ORIGIN, env={**env, "DIAGNOSE_TOKEN": "x"}, allow_env=True) == Resolved()


def test_a_stored_credential_that_cannot_be_read_is_noted_and_the_next_is_taken(env, folder, memory):
    KeyringStore(folder=folder).put(ORIGIN, Secret("x"))
    memory.failure = keyring.errors.KeyringLocked("x")
    alone = resolve("auto", ORIGIN, env=env)
    assert alone.binding is None
    assert "the keyring is locked" in alone.notes[0]
    other = resolve("auto", ORIGIN, env={**env, "DIAGNOSE_TOKEN": "y"}, allow_env=True)
    assert sent(other) == "Bearer y"
    assert other.notes == alone.notes


def test_keyring_when_asked_for_must_hold_one(env, memory):
    with pytest.raises(UsageError, match=r"the keyring has no credential for https://example\.test") as caught:
        resolve("keyring", ORIGIN, env=env)
    assert "auth set https://example.test" in caught.value.diagnostics()
    memory.entries[("diagnose", "https://example.test")] = "put there by other means"
    assert resolve("keyring", ORIGIN, env=env).source == "keyring"


def test_an_entry_that_no_header_can_carry_is_refused(env, memory):
    memory.entries[("diagnose", "https://example.test")] = "a\r\nX-Injected: 1"
    with pytest.raises(UsageError, match="no header may carry"):
        resolve("keyring", ORIGIN, env=env)


def test_without_tls_what_was_asked_for_is_refused_before_it_is_read(env):
    with pytest.raises(UsageError, match="without TLS") as caught:
        resolve("command:/no/such/program", PLAIN, env=env)
    assert "--allow-plain-http http://example.test" in caught.value.diagnostics()


def test_without_tls_auto_withholds_and_says_so(env):
    env["DIAGNOSE_TOKEN"] = "x"
    withheld = resolve("auto", PLAIN, env=env, allow_env=True)
    assert withheld.binding is None
    assert "withheld" in withheld.notes[0]
    assert resolve("auto", PLAIN, env=env) == Resolved()


@pytest.mark.parametrize(("origin", "allowed"), [(LOOPBACK, ()), (PLAIN, (PLAIN,))])
def test_loopback_and_allowed_origins_get_it_without_tls(env, origin, allowed):
    resolved = resolve("auto", origin, env={**env, "DIAGNOSE_TOKEN": "x"}, plain_http=allowed, allow_env=True)
    assert sent(resolved) == "Bearer x"


def test_a_plain_run_loads_no_keyring(env):
    program = (
        "import sys; from diagnose.credentials.resolve import resolve; from diagnose.transport.origin import Origin\n"
        f"env = { ({**env, 'DIAGNOSE_TOKEN': 'x'})!r}\n"
        "assert resolve('auto', Origin.of('https://example.test'), env=env, allow_env=True).source == 'environment'\n"
        "assert not {'keyring', 'subprocess', 'httpx'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

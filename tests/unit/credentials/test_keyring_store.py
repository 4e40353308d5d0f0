import threading

import keyring.backends.chainer
import keyring.backends.fail
import keyring.backends.null
import keyring.errors
import pytest

from diagnose.credentials.keyring_store import KeyringError, KeyringStore
from diagnose.evidence.secret import Secret
from diagnose.transport.origin import Origin

ORIGIN = Origin.of("https://example.test/mcp")
V6 = Origin.of("http://[::1]:7878/")
SECRET = Secret("s3cret")


@pytest.fixture
def store(folder):
    return KeyringStore(folder=folder)


def test_what_was_put_is_held_for_that_origin_alone(store, memory):
    assert not store.may_hold(ORIGIN)
    assert store.get(ORIGIN) is None
    store.put(ORIGIN, SECRET)
    store.put(V6, Secret("other"))
    assert memory.entries[("diagnose", "https://example.test")] == "s3cret"
    assert store.get(ORIGIN) == SECRET
    assert store.origins() == ("http://[::1]:7878", "https://example.test")
    assert store.may_hold(ORIGIN)
    assert not store.may_hold(Origin.of("https://example.test:8443/"))


def test_the_index_holds_no_secret(store, memory, folder):
    store.put(ORIGIN, SECRET)
    (file,) = [path for path in folder.rglob("*") if path.is_file()]
    assert file.read_bytes() == b""
    assert "s3cret" not in str(file)


def test_what_was_removed_is_gone(store, memory):
    store.put(ORIGIN, SECRET)
    assert store.remove(ORIGIN) is True
    assert store.get(ORIGIN) is None
    assert not store.may_hold(ORIGIN)
    assert store.remove(ORIGIN) is False


def test_a_keyring_that_forgets_is_found_out(store, memory):
    memory.forgets = True
    with pytest.raises(KeyringError, match="did not give it back"):
        store.put(ORIGIN, SECRET)
    assert not store.may_hold(ORIGIN)


class PlaintextKeyring(keyring.backends.null.Keyring):
    __module__ = "keyrings.alt.file"


class ChildOfPlaintext(PlaintextKeyring):
    __module__ = "elsewhere"


def chain(*backends):
    # What a real one chains is computed from what is installed.
    return type("Chainer", (keyring.backends.chainer.ChainerBackend,), {"backends": list(backends)})()


@pytest.mark.parametrize(
    ("backend", "why"),
    [
        (keyring.backends.fail.Keyring(), "this machine has no keyring"),
        (keyring.backends.null.Keyring(), "switched off"),
        (PlaintextKeyring(), "is refused"),
        (ChildOfPlaintext(), "is refused"),
        (chain(PlaintextKeyring(), keyring.backends.null.Keyring()), "is refused"),
    ],
    ids=["fail", "null", "plaintext", "child of plaintext", "chained"],
)
def test_a_keyring_that_keeps_nothing_safe_is_refused_with_the_other_ways(store, select_keyring, backend, why):
    select_keyring(backend)
    with pytest.raises(KeyringError, match=why) as caught:
        store.put(ORIGIN, SECRET)
    for way in ("env:", "file:", "command:"):
        assert way in caught.value.diagnostics()
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (keyring.errors.NoKeyringError("x"), "this machine has no keyring"),
        (keyring.errors.KeyringLocked("x"), "the keyring is locked"),
        (keyring.errors.PasswordSetError("s3cret"), r"the keyring failed \(PasswordSetError\)"),
        (keyring.errors.InitError("x"), r"the keyring failed \(InitError\)"),
        (OSError("D-Bus: s3cret"), r"the keyring failed \(OSError\)"),
        (ZeroDivisionError("s3cret"), r"the keyring failed \(ZeroDivisionError\)"),
    ],
)
def test_every_failure_of_a_keyring_is_one_sentence_without_what_it_said(store, memory, failure, why):
    memory.failure = failure
    with pytest.raises(KeyringError, match=why) as caught:
        store.put(ORIGIN, SECRET)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_keyring_that_waits_for_a_person_is_given_up(folder, memory):
    answer = threading.Event()
    memory.get_password = lambda *_: answer.wait()
    with pytest.raises(KeyringError, match=r"did not answer within 0\.05 seconds"):
        KeyringStore(folder=folder, patience=0.05).get(ORIGIN)
    answer.set()

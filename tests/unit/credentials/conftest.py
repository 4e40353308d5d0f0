from pathlib import Path

import keyring
import keyring.backend
import keyring.errors
import pytest


class MemoryKeyring(keyring.backend.KeyringBackend):
    """A keyring in memory that can be told to misbehave."""

    priority = -1  # never chosen by keyring itself, also not by a later test of this process

    def __init__(self):
        super().__init__()
        self.entries = {}
        self.failure = None
        self.forgets = False

    def get_password(self, service, username):
        if self.failure:
            raise self.failure
        return self.entries.get((service, username))

    def set_password(self, service, username, password):
        if self.failure:
            raise self.failure
        if not self.forgets:
            self.entries[service, username] = password

    def delete_password(self, service, username):
        if (service, username) not in self.entries:
            raise keyring.errors.PasswordDeleteError("not found")
        del self.entries[service, username]


@pytest.fixture
def select_keyring():
    """Select a keyring backend for the length of a test."""
    before = keyring.core._keyring_backend
    yield keyring.set_keyring
    keyring.core._keyring_backend = before


@pytest.fixture
def memory(select_keyring):
    backend = MemoryKeyring()
    select_keyring(backend)
    return backend


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def env(folder) -> dict[str, str]:
    return {"DIAGNOSE_DATA": str(folder)}

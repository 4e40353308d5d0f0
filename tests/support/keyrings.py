"""Keyrings for tests: one in memory, and a way to select one for the length of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import keyring
import keyring.backend
import keyring.errors


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


@contextmanager
def selecting() -> Iterator[Callable[[keyring.backend.KeyringBackend], None]]:
    """Give the function that selects a keyring; the one that was selected before is back afterwards."""
    before = keyring.core._keyring_backend
    try:
        yield keyring.set_keyring
    finally:
        keyring.core._keyring_backend = before

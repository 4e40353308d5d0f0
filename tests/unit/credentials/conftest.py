from pathlib import Path

import pytest
from support.keyrings import MemoryKeyring, selecting


@pytest.fixture
def select_keyring():
    """Select a keyring backend for the length of a test."""
    with selecting() as select:
        yield select


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

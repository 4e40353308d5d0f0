import stat
import sys
from pathlib import Path

import pytest

from diagnose.credentials.datafolder import config_folder, data_folder, make_private
from diagnose.errors import UsageError


def test_what_is_named_nearest_counts():
    env = {"DIAGNOSE_DATA": "/one", "XDG_DATA_HOME": "/two"}
    assert data_folder(env, "/zero") == Path("/zero")
    assert data_folder(env) == Path("/one")
    assert data_folder({"DIAGNOSE_DATA": "~/x"}) == Path.home() / "x"


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="the XDG variables are of Linux and BSD")
def test_the_environment_that_was_handed_in_counts():
    assert data_folder({"XDG_DATA_HOME": "/two"}) == Path("/two/diagnose")
    assert config_folder({"XDG_CONFIG_HOME": "/three"}) == Path("/three/diagnose")
    assert data_folder({"XDG_DATA_HOME": "relative"}) == data_folder({})


def test_the_platform_has_a_folder_and_nothing_is_made():
    assert data_folder({}).name == "diagnose"
    assert data_folder({}).is_absolute()


def test_a_folder_is_made_for_its_owner_alone(tmp_path):
    folder = tmp_path / "a" / "b"
    make_private(folder)
    make_private(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be made") as caught:
        make_private(tmp_path / "file" / "data")
    assert "DIAGNOSE_DATA" in caught.value.diagnostics()
    with pytest.raises(UsageError) as caught:
        make_private(tmp_path / "file" / "data", named_by="--store")
    assert caught.value.diagnostics() == "Name another one with --store."


def test_every_folder_that_is_made_is_private(tmp_path):
    make_private(tmp_path / "a" / "b")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700

import stat
import subprocess
import sys

import pytest

from diagnose.credentials.fingerprint import KEY_BYTES, KEY_FILE, machine_key
from diagnose.errors import UsageError


def test_the_key_is_made_once_for_its_owner_alone(folder):
    key = machine_key(folder)
    assert len(key) == KEY_BYTES
    assert machine_key(folder) == key == (folder / KEY_FILE).read_bytes()
    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == [KEY_FILE]


def test_processes_that_start_at_once_agree(folder):
    program = (
        "import sys; from pathlib import Path; from diagnose.credentials.fingerprint import machine_key\n"
        "sys.stdin.read(); print(machine_key(Path(sys.argv[1])).hex())"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    for child in children:  # all have started and wait for this
        child.stdin.close()
        child.stdin = None
    keys = {child.communicate()[0].strip() for child in children}
    assert keys == {machine_key(folder).hex()}


@pytest.mark.parametrize("content", [b"", b"short", b"x" * (KEY_BYTES + 1)])
def test_a_damaged_key_is_told_and_kept(folder, content):
    folder.mkdir()
    (folder / KEY_FILE).write_bytes(content)
    with pytest.raises(UsageError, match="is damaged") as caught:
        machine_key(folder)
    assert "Move it away" in caught.value.diagnostics()
    assert (folder / KEY_FILE).read_bytes() == content


def test_a_key_that_cannot_be_read_is_told(folder):
    (folder / KEY_FILE).mkdir(parents=True)
    with pytest.raises(UsageError, match="cannot be read"):
        machine_key(folder)

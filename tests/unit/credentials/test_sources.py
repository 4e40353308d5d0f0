import os
import shlex
import sys

import pytest

from diagnose.credentials.sources import MAX_CHARACTERS, Auth, checked, read
from diagnose.errors import UsageError
from diagnose.evidence.secret import Secret


@pytest.mark.parametrize(
    ("text", "auth"),
    [
        ("auto", Auth(kind="auto")),
        ("none", Auth(kind="none")),
        ("keyring", Auth(kind="keyring")),
        ("env:VAR", Auth(kind="env", argument="VAR")),
        ("file:C:\\x", Auth(kind="file", argument="C:\\x")),
        ("command:op read a:b", Auth(kind="command", argument="op read a:b")),
    ],
)
def test_every_way_is_read(text, auth):
    assert Auth.parse(text) == auth


@pytest.mark.parametrize(
    "text", ["", "s3cret", "Bearer s3cret", "env", "env:", "file:", "command:", "auto:", "keyring:x", "Env:X"]
)
def test_anything_else_is_refused_and_not_repeated(text):
    with pytest.raises(UsageError, match="--auth takes auto, none, keyring") as caught:
        Auth.parse(text)
    assert "s3cret" not in str(caught.value) + caught.value.diagnostics()


def test_environment():
    assert read(Auth.parse("env:V"), {"V": "s3cret"}).secret == Secret("s3cret")
    for env in ({}, {"V": ""}):
        with pytest.raises(UsageError, match=r"variable V.* is not set or empty"):
            read(Auth.parse("env:V"), env)


def test_file_gives_its_first_line(tmp_path):
    path = tmp_path / "token"
    path.write_bytes(b"\xef\xbb\xbfs3cret \r\nsecond line\n")
    path.chmod(0o600)
    found = read(Auth(kind="file", argument=str(path)), {})
    assert found.secret == Secret("s3cret")
    assert found.notes == ()


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604])
def test_a_file_that_others_can_read_is_noted(tmp_path, mode):
    path = tmp_path / "token"
    path.write_text("s3cret")
    path.chmod(mode)
    (note,) = read(Auth(kind="file", argument=str(path)), {}).notes
    assert f"{mode:04o}" in note
    assert "s3cret" not in note


def test_a_missing_or_binary_file_is_told(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read(Auth(kind="file", argument=str(tmp_path / "none")), {})
    with pytest.raises(UsageError, match="cannot be read"):
        read(Auth(kind="file", argument=str(tmp_path)), {})
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="holds no text in UTF-8"):
        read(Auth(kind="file", argument=str(tmp_path / "binary")), {})


def test_command_words_are_split_without_a_shell():
    command = shlex.join([sys.executable, "-c", "import sys; print(sys.argv[1])", "a b; echo $HOME"])
    assert read(Auth(kind="command", argument=command), {}).secret == Secret("a b; echo $HOME")


@pytest.mark.parametrize("command", ["'s3cret", " "])
def test_a_command_that_is_none_is_told(command):
    with pytest.raises(UsageError, match="the command of --auth command:") as caught:
        read(Auth(kind="command", argument=command), {})
    assert "s3cret" not in str(caught.value)


def test_a_failing_command_is_named_without_its_arguments():
    command = shlex.join([sys.executable, "-c", "raise SystemExit(1)", "s3cret"])
    with pytest.raises(UsageError, match="failed with exit code 1") as caught:
        read(Auth(kind="command", argument=command), {})
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "value", ["a\nX-Injected: 1", "a\r\nb", "a\x00b", "a\x7f", "grün", "a\u2028b", "\ud800", "a\tb"]
)
def test_what_no_header_may_carry_is_refused_and_not_repeated(value):
    with pytest.raises(UsageError, match="the source holds characters that no header may carry") as caught:
        checked(value, "the source")
    assert value not in str(caught.value)


def test_blank_and_endless_values_are_refused():
    for value in ("", " \n"):
        with pytest.raises(UsageError, match="the source holds no credential"):
            checked(value, "the source")
    with pytest.raises(UsageError, match="more than 8192 characters"):
        checked("x" * (MAX_CHARACTERS + 1), "the source")
    assert checked(" padded \n", "the source") == Secret("padded")

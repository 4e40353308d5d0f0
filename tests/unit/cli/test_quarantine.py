"""`quarantine` as a person types it: shown first, done when said, undone by what it tells."""

from __future__ import annotations

import json
import re

import pytest
from support.program import diagnose
from support.schemas import validated

SECRET = "sk_live_0123456789abcdefghij"


@pytest.fixture
def call(tmp_path):
    (tmp_path / "home" / ".codex" / "cache").mkdir(parents=True)
    (tmp_path / "home" / ".codex" / "cache" / "apps.json").write_text("[]", encoding="utf-8")
    env = {"DIAGNOSE_DATA": str(tmp_path / "data"), "HOME": str(tmp_path / "home")}

    def call(*args, code=0, **more):
        ran = diagnose("quarantine", *args, env=env, **more)
        assert ran.code == code, ran.err
        return ran.out if code == 0 else ran.err

    call.file = tmp_path / "home" / ".codex" / "cache" / "apps.json"
    call.data = tmp_path / "data"
    return call


def test_it_is_shown_done_listed_and_undone(call):
    shown = call("move", str(call.file), "--reason", "old tools")
    assert "would move" in shown
    assert "say --yes" in shown
    assert "Codex has a way of its own, to be tried first" in shown
    assert "a move shows in a new process only" in " ".join(shown.split())
    assert call("list").strip() == "nothing was moved to quarantine"
    moved = call("move", str(call.file), "--reason", "old tools", "--yes")
    assert not call.file.exists()
    assert "reason: old tools" in call("list")
    undo = re.search(r"diagnose quarantine (restore \w+ --yes)", " ".join(moved.split()))[1].split()
    assert "would move" in call(*undo[:2])
    call(*undo)
    assert call.file.read_text(encoding="utf-8") == "[]"
    assert "restored" in call("list")


def test_every_document_is_of_its_schema(call):
    planned = validated(call("move", str(call.file), "--reason", "x", "--format", "json"))
    assert (planned["done"], planned["moves"][0]["id"], planned["moves"][0]["movedAt"]) == (False, None, None)
    moved = validated(call("move", str(call.file), "--reason", "x", "--yes", "--format", "json"))
    assert (moved["done"], moved["moves"][0]["state"]) == (True, "quarantined")
    name = moved["moves"][0]["id"]
    assert validated(call("list", "--format", "json"))["moves"][0]["id"] == name
    assert validated(call("restore", name, "--format", "json"))["done"] is False
    assert validated(call("restore", name, "--yes", "--format", "json"))["moves"][0]["restoredAt"]


def test_a_secret_in_the_reason_is_written_nowhere(call):
    told = call("move", str(call.file), "--reason", f"it says Bearer {SECRET}", "--yes")
    shown = told + call("list") + call("list", "--format", "json")
    assert "it says Bearer" in shown
    assert SECRET not in shown + (call.data / "quarantine.jsonl").read_text(encoding="utf-8")


def test_a_name_cannot_act_on_the_terminal(call):
    file = call.file.with_name("a\x1b[2J\nb")
    try:
        file.write_text("x", encoding="utf-8")
    except OSError:
        pytest.skip("this system takes no such name")
    call("move", str(file), "--reason", "x\x1b[31m", "--yes")
    text = call("list")
    assert "\x1b" not in text
    assert "a\\x1b[2J\\x0ab" in "".join(line.strip() for line in text.splitlines())
    assert json.loads(call("list", "--format", "json"))["moves"][0]["path"] == str(file)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("move", "FILE"), "--reason"),
        (("move", "FILE", "--reason", " "), "--reason takes"),
        (("move", "FILE", "--reason", "x" * 501), "--reason takes"),
        (("move", "HOME", "--reason", "x", "--yes", "--force"), "is a home"),
        (("restore", "nothing", "--yes"), "no move is known"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_moves(call, args, said):
    places = {"FILE": str(call.file), "HOME": str(call.file.parents[2])}
    assert said in call(*(places.get(arg, arg) for arg in args), code=2)
    assert call.file.exists()
    assert not call.data.exists()


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_page(call, columns):
    call("move", str(call.file), "--reason", "the panel shows tools of last week " * 5, "--yes", columns=columns)
    for args in (("list",), ("move", str(call.data / "quarantine.jsonl"), "--reason", "x")):
        ran = diagnose("quarantine", *args, env={"DIAGNOSE_DATA": str(call.data)}, columns=columns)
        assert max(map(len, ran.out.splitlines()), default=0) <= columns

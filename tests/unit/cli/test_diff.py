"""`diagnose diff` from the command line: operands, formats, exit codes, and what it does not load."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support.mcp_http import answering, modern

from diagnose.cli import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Call = "Callable[..., tuple[int, str, str]]"

PICK = {"name": "pick", "inputSchema": {"type": "object"}}
STRICTER = {"name": "pick", "inputSchema": {"type": "object", "required": ["row"]}}


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(tmp_path)
    for name, tools in {"a": [PICK], "same": [PICK], "b": [STRICTER], "words": [{**PICK, "icons": []}]}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"tools": tools}))
    (tmp_path / "names.json").write_text(json.dumps({"tools": ["pick"], "namesOnly": True}))

    def call(*args: str, stdin: str = "", **env: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        env = {"DIAGNOSE_DATA": str(tmp_path / "data"), "DIAGNOSE_CONFIG": str(tmp_path / "config"), **env}
        code = run(["diff", *args], out, err, stdin=io.StringIO(stdin), env=env)
        return code, out.getvalue(), err.getvalue()

    return call


@pytest.mark.parametrize(
    ("newer", "code", "answer"),
    [
        ("same.json", 0, "equal"),
        ("words.json", 0, "equivalent"),
        ("b.json", 1, "different (breaking): 1 tool changed"),
        ("names.json", 3, "unknown"),
    ],
)
def test_the_exit_code_follows_the_relation(call: Call, newer: str, code: int, answer: str) -> None:
    got, out, err = call("a.json", newer)
    assert (got, err) == (code, "")
    assert out.startswith(answer)


def test_json_to_a_file_is_written_whole(call: Call, tmp_path: Path) -> None:
    code, out, err = call("a.json", "b.json", "--format", "json", "-o", "out.json")
    assert (code, out, err) == (1, "", "wrote out.json\n")
    document = json.loads((tmp_path / "out.json").read_text())
    assert (document["schema"], document["impact"]) == ("diagnose.diff/1", "breaking")


def test_a_file_has_no_colour_and_a_terminal_may(call: Call) -> None:
    assert "\x1b[" not in call("a.json", "b.json")[1]
    assert "\x1b[" in call("a.json", "b.json", "--color", "always")[1]


@pytest.mark.parametrize("form", ["sarif", "junit", "github", "markdown"])
@pytest.mark.parametrize("newer", ["same.json", "words.json", "b.json", "names.json"])
def test_the_forms_of_a_diagnosis_have_the_exit_code_of_the_text(call: Call, newer: str, form: str) -> None:
    code, _, _ = call("a.json", newer)
    got, out, err = call("a.json", newer, "--format", form)
    assert (got, err) == (code, "")
    red = {
        "sarif": lambda: f'"exitCode": {code},' not in out,
        "junit": lambda: 'failures="0" errors="0"' not in out,
        "github": lambda: "::error" in out,
        "markdown": lambda: f"Exit code {code}." not in out,
    }[form]()
    assert red is (form in {"junit", "github"} and code != 0)


def test_two_lists_of_two_eras_are_compared_all_the_same(call: Call, tmp_path: Path) -> None:
    for name, principal, tools in (("one", "fp:aaaaaaaa", [PICK]), ("two", "none", [STRICTER])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"tools": tools, "principal": principal}))
    code, out, _ = call("one.json", "two.json", "--format", "github")
    assert code == 1
    assert out.startswith("::error title=surface-changed at baseline::The tool pick changed (breaking)")


def test_standard_input_is_an_operand(call: Call) -> None:
    code, out, _ = call("a.json", "-", stdin=json.dumps([PICK]))
    assert (code, out.splitlines()[2].split()[:3]) == (0, ["to", "standard", "input"])


def test_a_live_server_is_an_operand(call: Call) -> None:
    with answering(modern(tools=[STRICTER])) as url:
        code, out, err = call("a.json", url)
    assert code == 1, err
    assert url in out


def test_a_server_that_cannot_be_asked_is_not_a_difference(call: Call) -> None:
    with answering(modern()) as url:
        pass
    code, out, err = call("a.json", url)
    assert (code, out) == (3, "")
    assert err.startswith("diagnose: ")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("a.json",), "Missing argument 'B'"),
        (("a.json", "none.json"), "none.json cannot be read: it does not exist"),
        (("a.json", "lock:x"), "x cannot be read: it does not exist"),
        (("a.json", "snapshot:latest"), "there is no snapshot in"),
        (("a.json", "snapshot:xyz"), "no snapshot id"),
        (("-", "-"), "not both"),
        (("a.json", "b.json", "--format", "xml"), "--format takes text, json, sarif, junit, github, markdown or html"),
        (("a.json", "b.json", "-o", "none/x"), "its folder does not exist"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(call: Call, args: tuple[str, ...], words: str) -> None:
    code, out, err = call(*args)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


HEAVY = ("httpx", "keyring", "rich", "sqlite3", "pydantic", "asyncio", "mcp")


@pytest.mark.parametrize(("newer", "deepdiff"), [("same.json", False), ("b.json", True), ("gone.json", False)])
def test_two_files_are_compared_without_loading_what_is_not_needed(
    call: Call, tmp_path: Path, newer: str, deepdiff: bool
) -> None:
    """Deepdiff says what changed inside a definition, and is loaded only if one did (it brings pydantic and asyncio)."""
    del call
    (tmp_path / "gone.json").write_text("[]")
    program = (
        "import sys; from diagnose.cli import run; args = ['diff', 'a.json', sys.argv[1], '--format', 'json']\n"
        "run(args, sys.stdout, sys.stderr); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, newer], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert json.loads(done.stdout)["schema"] == "diagnose.diff/1"
    assert ("deepdiff" in loaded) is deepdiff
    heavy = HEAVY if not deepdiff else ("httpx", "keyring", "rich", "sqlite3", "mcp")
    assert loaded.isdisjoint(heavy)

"""`diagnose plan` from the command line: pinned with one server, checked with what became of it."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from support.mcp_http import answering, modern
from support.schemas import validated

from diagnose.cli import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Call = "Callable[..., tuple[int, str, str]]"

SECRET = "opaque-s3cret-value"
PICK: dict[str, Any] = {
    "name": "pick",
    "description": "Pick apples.",
    "inputSchema": {"type": "object", "properties": {"row": {"type": "integer", "maximum": 9}, "kind": {}}},
}
STRICTER = {**PICK, "inputSchema": {**PICK["inputSchema"], "required": ["kind"]}}
NO_KIND = {**PICK, "inputSchema": {"type": "object", "properties": {"row": {"type": "integer", "maximum": 9}}}}
RIPEN = {"name": "ripen", "inputSchema": {"type": "object"}}


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(tmp_path)

    def call(*args: str, stdin: str = "", **env: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        env = {"DIAGNOSE_DATA": str(tmp_path / "data"), "DIAGNOSE_CONFIG": str(tmp_path / "config"), **env}
        code = run(["plan", *args], out, err, stdin=io.StringIO(stdin), env=env)
        assert SECRET not in out.getvalue() + err.getvalue()
        return code, out.getvalue(), err.getvalue()

    return call


def pinned(call: Call, *args: str, tools: list[dict[str, Any]] | None = None) -> str:
    with answering(modern(tools=tools or [PICK, RIPEN])) as url:
        code, out, err = call("pin", url, *args)
    assert (code, err) == (0, "")
    validated(out)
    return out


def checked(call: Call, plan: str, *tools: dict[str, Any], form: str = "text") -> tuple[int, str]:
    with answering(modern(tools=list(tools))) as url:
        code, out, _ = call("check", "-", url, "--format", form, stdin=plan)
    return code, out


@pytest.mark.parametrize(
    ("now", "code", "words"),
    [
        ([PICK, RIPEN], 0, ["unchanged", "unchanged"]),
        ([{**PICK, "icons": []}, RIPEN], 0, ["compatible", "unchanged"]),
        ([STRICTER, RIPEN], 1, ["re-plan", "unchanged"]),
        ([{**PICK, "name": "pick_apples"}, RIPEN], 1, ["gone", "unchanged"]),
    ],
)
def test_a_plan_is_held_against_the_live_list(
    call: Call, now: list[dict[str, Any]], code: int, words: list[str]
) -> None:
    plan = pinned(call, "--tool", "pick", "--tool", "ripen")
    got, out = checked(call, plan, *now)
    assert (got, [line.split()[0] for line in out.splitlines()[2:] if line[0] != " "]) == (code, words)
    got, out = checked(call, plan, *now, form="json")
    document = validated(out)
    assert (got, document["exitCode"], [step["outcome"] for step in document["steps"]]) == (code, code, words)


def test_what_a_step_relies_on_decides(call: Call) -> None:
    plan = pinned(
        call, "--tool", "pick", "--tool", "ripen", "--relies-on", "pick:argument=row", "--relies-on", "2:step=1"
    )
    assert checked(call, plan, NO_KIND, RIPEN)[0] == 0
    code, out = checked(call, plan, STRICTER, RIPEN)
    assert code == 1
    assert "It is composed of the result of step 1" in out


def test_a_running_step_goes_on_with_what_it_started_with(call: Call) -> None:
    plan = json.loads(pinned(call, "--tool", "pick"))
    plan["steps"][0]["state"] = "running"
    code, out = checked(call, json.dumps(plan), RIPEN)
    assert code == 0
    assert "running: it goes on with what it started with" in out


def test_a_checked_plan_is_a_plan_still(call: Call) -> None:
    plan = pinned(call, "--tool", "pick")
    _, out = checked(call, plan, STRICTER, form="json")
    assert checked(call, out, PICK)[0] == 0


def test_a_file_holds_the_plan_and_another_server_is_told(call: Call, tmp_path: Path) -> None:
    with answering(modern(tools=[PICK])) as url:
        assert call("pin", url, "--tool", "pick", "-o", "plan.json")[:2] == (0, "")
    assert (tmp_path / "plan.json").stat().st_mode & 0o777 == 0o600
    with answering(modern(tools=[PICK])) as url:
        code, _, err = call("check", "plan.json", url)
    assert code == 0
    assert "the plan was pinned with" in err


def test_a_credential_that_a_definition_repeats_is_not_written(call: Call) -> None:
    leaky = {**PICK, "description": f"Uses {SECRET}"}
    with answering(modern(tools=[leaky])) as url:
        code, plan, _ = call("pin", url, "--tool", "pick", "--header", f"X-Api-Key={SECRET}")
        assert code == 0
        assert call("check", "-", url, "--header", f"X-Api-Key={SECRET}", stdin=plan)[0] == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("pin", "URL"), "at least one step"),
        (("pin", "URL", "--tool", "prune"), "0 tools named 'prune'"),
        (("pin", "URL", "--tool", "pick", "--relies-on", "argument=rwo"), "no argument 'rwo'"),
        (("pin", "URL", "--tool", "pick", "--relies-on", "rwo"), "--relies-on takes"),
        (("check", "none.json", "URL"), "does not exist"),
        (("check", "-", "URL"), "is no plan"),
        (("check", "-", "URL", "--format", "sarif"), "--format takes text or json"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(call: Call, args: tuple[str, ...], words: str) -> None:
    with answering(modern(tools=[PICK])) as url:
        code, out, err = call(*(url if arg == "URL" else arg for arg in args), stdin="{}")
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_a_server_that_cannot_be_asked_decides_nothing(call: Call) -> None:
    plan = pinned(call, "--tool", "pick")
    with answering(modern()) as url:
        pass
    assert call("check", "-", url, stdin=plan)[:2] == (3, "")

"""The program as a whole: help, usage, exit codes, and what it costs to start."""

import errno
import io
import json
import subprocess
import sys

import pytest
from support.mcp_http import answering, modern
from support.program import diagnose

from diagnose.cli import run
from diagnose.cli.app import COMMANDS
from diagnose.version import __version__

#: A credential command that never ends.
ENDLESS = f"command:{sys.executable} -c 'import threading; threading.Event().wait()'"


@pytest.fixture
def env(tmp_path):
    return {"DIAGNOSE_DATA": str(tmp_path / "data"), "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def test_version():
    ran = diagnose("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"diagnose {__version__}\n", "")


def test_help_shows_every_command_under_a_heading():
    ran = diagnose("--help")
    assert ran.code == 0
    for command in COMMANDS:
        assert f"\n  {command} " in ran.out
    assert "\nLook:\n" in ran.out
    assert "\nCompare:\n" in ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_with_headings(command):
    ran = diagnose(command, "--help")
    assert ran.code == 0
    assert f"Usage: diagnose {command}" in ran.out
    assert ("\nOutput:\n" in ran.out) != ("\nCommands:\n" in ran.out)


def test_no_command_shows_the_help_and_is_wrong_usage():
    ran = diagnose()
    assert ran.code == 2
    assert "surface" in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["surface", "--nonsense"], "No such option: --nonsense"),
        (["surface", "a", "b"], "unexpected extra argument"),
        (["surface", "not-a-url"], "is no target"),
        (["surface", "demo", "--format", "yaml"], "--format takes text"),
        (["surface", "demo", "--era", "future"], "--era takes auto, modern or legacy"),
        (["surface", "demo", "--timeout", "0"], "--timeout takes seconds above 0"),
        (["surface", "demo", "--deadline", "soon"], "--deadline takes seconds"),
        (["surface", "demo", "--header", "no-equals"], "--header takes NAME=VALUE"),
        (["surface", "http://a.test", "--header", "Content-Length=5"], "the header Content-Length cannot be given"),
        (["surface", "http://a.test", "--header", "transfer-encoding=x"], "it belongs to the connection"),
        (["surface", "http://127.0.0.1:1", "--deadline", "1", "--auth", ENDLESS], "did not end within 1 seconds"),
        (["surface", "http://a.test", "--header", "Authorization=Bearer x"], "--allow-plain-http http://a.test"),
        (["surface", "http://a.test", "--header", "X-Api-Key=s3cr3t"], "the credential in the header X-Api-Key"),
        (["surface", "http://a.test", "--header", "X-Auth-Token=s3cr3t"], "--allow-plain-http http://a.test"),
        (
            ["surface", "http://a.test/mcp?token=s3cr3t"],
            "the credential in the URL would go to http://a.test without TLS",
        ),
        (["surface", "http://me:s3cr3t@a.test/mcp"], "the credential in the URL would go to http://a.test without TLS"),
        (["surface", "--auth", "none", "demo", "--", "python"], "two targets"),
        (["health", "demo", "--", "python"], "health takes no command line behind --"),
        (["surface", "https://a.test", "--config", "/nonexistent/config.toml"], "cannot be read"),
        (["surface", "https://a.test/mcp", "--auth", "env:NOBODY_SET_THIS"], "NOBODY_SET_THIS"),
    ],
)
def test_wrong_usage_is_exit_2_and_says_what_is_wrong(env, args, says):
    ran = diagnose(*args, env=env)
    assert ran.code == 2, ran.err
    assert says.lower() in ran.err.lower()
    assert ran.out == ""
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(("command", "name"), [("manifest", "127.0.0.1:1"), ("revision", "nobody.invalid")])
def test_a_step_that_cannot_reach_the_server_says_what_to_check(env, command, name):
    ran = diagnose(command, f"http://{name}/mcp", env=env)
    assert (ran.code, ran.out) == (3, "")
    assert {"manifest": "Check address, port", "revision": "Spell the host"}[command] in ran.err
    assert "--manifest" not in ran.err


def test_a_target_can_be_required(env):
    ran = diagnose("surface", "--require-target", env=env)
    assert ran.code == 2
    assert "no target was named" in ran.err


def test_output_goes_to_a_file_whole_and_not_to_stdout(env, tmp_path):
    (tmp_path / "tools.json").write_text('[{"name": "a"}]', encoding="utf-8")
    target = tmp_path / "out.json"
    ran = diagnose("revision", str(tmp_path / "tools.json"), "--format", "json", "-o", str(target), env=env)
    assert (ran.code, ran.out) == (0, "")
    assert json.loads(target.read_text(encoding="utf-8"))["count"] == 1
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_result_that_cannot_be_written_is_an_error(env, tmp_path):
    (tmp_path / "tools.json").write_text("[]", encoding="utf-8")
    ran = diagnose(
        "revision", str(tmp_path / "tools.json"), "-o", str(tmp_path / "no" / "such" / "folder.json"), env=env
    )
    assert ran.code not in {0, 70}
    assert "folder" in ran.err


class Full(io.StringIO):
    """A stream whose disk is full, as /dev/full is."""

    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_behind_stdout_is_said_and_no_fault_of_ours(env, tmp_path):
    (tmp_path / "tools.json").write_text("[]", encoding="utf-8")
    err = io.StringIO()
    assert run(["revision", str(tmp_path / "tools.json")], Full(), err, env=env) == 2
    assert "cannot be written: No space left" in err.getvalue()


def test_a_baseline_that_is_not_there_is_wrong_usage(env, tmp_path):
    ran = diagnose("surface", "demo", "--baseline", "snapshot:latest", "--store", str(tmp_path / "none.db"), env=env)
    assert ran.code == 2
    assert "no snapshot was stored yet" in ran.err


def test_revision_of_standard_input(env):
    ran = diagnose("revision", "-", "--format", "json", env=env, stdin='{"tools": [{"name": "alpha"}]}')
    document = json.loads(ran.out)
    assert document["revision"] == "59fdb8525d217ca17685e7ff891db1d8c73524065f08fb3112c43ecbd0cf0832"
    assert next(iter(document)) == "schema"


def loaded_by(*args):
    """Return the exit code of a fresh process and the modules that it had loaded when it ended."""
    script = (
        "import io, json, sys\nfrom diagnose.cli import run\n"
        f"code = run({list(args)!r}, io.StringIO(), sys.stderr)\n"
        "print(json.dumps([code, sorted(sys.modules)]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    code, modules = json.loads(done.stdout)
    return code, {name.partition(".")[0] for name in modules}


def test_version_loads_no_typer():
    code, modules = loaded_by("--version")
    assert code == 0
    assert not modules & {"typer", "httpx", "rich", "pydantic", "asyncio"}


def test_help_loads_nothing_heavy():
    code, modules = loaded_by("--help")
    assert code == 0
    assert not modules & {"httpx", "rich", "pydantic", "asyncio", "keyring", "deepdiff", "sqlite3", "mcp"}


def test_surface_of_a_live_server_loads_no_more_than_it_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("DIAGNOSE_DATA", str(tmp_path))
    with answering(modern()) as url:
        code, modules = loaded_by("surface", url, "--format", "json")
    assert code == 0
    assert {"httpx", "typer"} <= modules
    unused = {"rich", "pydantic", "asyncio", "keyring", "deepdiff", "sqlite3", "mcp", "platformdirs", "queue"}
    assert not modules & unused


def test_importing_the_package_is_light():
    bare, ours = (
        int(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
        for script in ("import sys; print(len(sys.modules))", "import sys, diagnose; print(len(sys.modules))")
    )
    assert ours - bare < 30


def test_diff_of_equal_files_loads_no_network_no_terminal_no_deepdiff(tmp_path):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text('[{"name": "a", "description": "x"}]', encoding="utf-8")
    code, modules = loaded_by("diff", str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--format", "json")
    assert code == 0
    assert not modules & {"httpx", "keyring", "rich", "sqlite3", "pydantic", "deepdiff", "asyncio"}


def test_diff_of_changed_files_loads_deepdiff_and_still_no_network(tmp_path):
    (tmp_path / "a.json").write_text('[{"name": "a", "description": "x"}]', encoding="utf-8")
    (tmp_path / "b.json").write_text('[{"name": "a", "description": "y"}]', encoding="utf-8")
    code, modules = loaded_by("diff", str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--format", "json")
    assert code == 1
    assert "deepdiff" in modules
    assert not modules & {"httpx", "keyring", "rich", "sqlite3"}

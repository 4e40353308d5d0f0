"""`diagnose lock` from the command line: what is agreed on is written, held, and accepted anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.mcp_http import Said, answering, error, legacy, modern
from support.program import diagnose

LOCK = "tool-surface.lock.json"
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("pick_apples", "prune_tree", "ripen")]
PRESS = {"name": "press_cider", "inputSchema": {"type": "object"}}
NEEDY = {"name": "ripen", "inputSchema": {"type": "object", "required": ["row"]}}
ORDER = ["breaking", "unclear", "behaviour", "routing", "compatible", "cosmetic"]


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*args, **env):
        places = {"DIAGNOSE_DATA": str(tmp_path / "data"), "DIAGNOSE_CONFIG": str(tmp_path / "config")}
        return diagnose("lock", *args, env={**places, **env})

    return call


@pytest.fixture
def server():
    return modern(tools=TOOLS)


@pytest.fixture
def url(server):
    with answering(server) as url:
        yield url


def now_lists(server, tools):
    server.answers.update(modern(tools=tools).answers)


def document(ran):
    return json.loads(ran.out)


def test_what_was_written_holds(call, url):
    written = call("write", url)
    assert (written.code, written.out, written.err) == (0, "", f"wrote {LOCK}\n")
    held = call("check", url)
    assert (held.code, held.err) == (0, "")
    assert held.out.splitlines()[:2] == ["IN SYNC", f"{LOCK} and the live list agree on 3 tools."]


def test_nothing_of_the_time_or_the_machine_is_in_it(call, server):
    texts = []
    for _ in range(2):
        with answering(server) as url:  # each time at another port
            texts.append(call("write", url, "-o", "-").out)
        now_lists(server, TOOLS[::-1])
    assert texts[0] == texts[1]
    assert "127.0.0.1" not in texts[0]


@pytest.mark.parametrize(
    ("tools", "impact"),
    [
        ([*TOOLS[:2], NEEDY], "breaking"),
        ([*TOOLS[:2], {**TOOLS[2], "annotations": {"readOnlyHint": True}}], "behaviour"),
        ([*TOOLS[:2], {**TOOLS[2], "description": "Ripe?"}], "routing"),
        ([*TOOLS, PRESS], "compatible"),
        ([*TOOLS[:2], {**TOOLS[2], "icons": []}], "cosmetic"),
    ],
)
def test_fail_on_alone_decides(call, server, url, tools, impact):
    call("write", url)
    now_lists(server, tools)
    for fail_on in ORDER:
        ran = call("check", url, "--fail-on", fail_on, "--format", "json")
        fails = ORDER.index(impact) <= ORDER.index(fail_on)
        assert (ran.code, document(ran)["exitCode"]) == (int(fails), int(fails)), (fail_on, ran.err)
    assert call("check", url).code == int(impact == "breaking")  # the default


def test_accepting_a_change_is_writing_it(call, server, url):
    call("write", url)
    now_lists(server, [*TOOLS[:2], NEEDY, PRESS])
    failed = call("check", url, "--format", "json")
    assert failed.code == 1
    verdict = document(failed)["verdict"]
    assert (verdict["state"], verdict["layer"], verdict["cause"]) == ("stale", "baseline", "surface-changed")
    assert verdict["next"][0].endswith(f": diagnose lock write {url}")
    accepted = call("write", url)
    assert accepted.err.splitlines() == [f"wrote {LOCK}", "accepted: 1 tool changed, 1 added (worst impact breaking)"]
    assert call("check", url).code == 0
    assert call("write", url).err.splitlines()[1] == "nothing changed since the lock file that was there"


@pytest.mark.parametrize("form", ["sarif", "junit", "github", "markdown", "text", "json"])
def test_every_format_has_the_same_exit_code(call, server, url, form):
    call("write", url)
    assert call("check", url, "--format", form).code == 0
    now_lists(server, TOOLS[:1])
    ran = call("check", url, "--format", form, "--output", "report")
    assert (ran.code, ran.out, ran.err) == (1, "", "wrote report\n")
    assert Path("report").stat().st_mode & 0o777 == 0o600


def test_one_result_in_several_formats(call, server, url):
    call("write", url)
    now_lists(server, TOOLS[:1])
    asked = len(server.asked)
    once = call("check", url, "--format", "github")
    each = len(server.asked) - asked
    ran = call("check", url, "--format", "github", "--also", "sarif=a.sarif", "--also", "markdown=a.md", "-q")
    assert (ran.code, ran.err) == (1, "")
    assert len(server.asked) - asked == 2 * each
    assert ran.out == once.out
    told = json.loads(Path("a.sarif").read_text())["runs"][0]["invocations"][0]["exitCode"]
    assert told == 1
    assert "Exit code 1." in Path("a.md").read_text()


def test_a_finding_stands_on_its_line(call, server, url):
    call("write", url)
    now_lists(server, [*TOOLS[:2], NEEDY])
    first = call("check", url, "--format", "github").out.splitlines()[0]
    line = int(first.split("line=")[1].split(",")[0])
    assert first.startswith(f"::error file={LOCK},")
    assert '"name": "ripen"' in Path(LOCK).read_text().splitlines()[line]


def test_an_altered_file_is_an_error_and_nobody_is_asked(call, server, url):
    call("write", url)
    asked = len(server.asked)
    place = Path(LOCK)
    place.write_text(place.read_text().replace('"type": "object"', '"type": "string"', 1))
    ran = call("check", url)
    assert (ran.code, ran.out) == (2, "")
    assert f"the lock file {LOCK} was altered" in ran.err
    assert len(server.asked) == asked
    assert call("write", url).err.splitlines()[1].startswith("the lock file that was there could not be read")
    assert call("check", url).code == 0


def test_without_a_file_there_is_nothing_to_hold(call, url):
    ran = call("check", url)
    assert (ran.code, ran.out) == (2, "")
    assert f"{LOCK} cannot be read: it does not exist" in ran.err


def test_what_cannot_be_observed_does_not_pass(call, server, url):
    call("write", url)
    server.answers["tools/list"] = lambda asked: error(asked, -32603)
    assert call("check", url).code == 1  # the server talks, and gives no list: broken
    server.answers["tools/list"] = Said(status=401)
    assert call("check", url).code == 4
    assert call("write", url).code == 4
    with answering(server) as gone:
        pass
    ran = call("check", gone, "--format", "json")
    assert (ran.code, document(ran)["verdict"]["state"]) == (3, "inconclusive")


def test_a_list_that_differs_once_is_read_again_before_it_is_believed(call, server, url):
    call("write", url)
    now_lists(server, [*TOOLS, PRESS])
    turns = iter([TOOLS[:1], TOOLS, TOOLS[:1], TOOLS])

    def skewed(asked):
        now_lists(server, next(turns))
        answer = server.answers["tools/list"](asked)
        server.answers["tools/list"] = skewed
        return answer

    server.answers["tools/list"] = skewed
    ran = call("check", url, "--format", "json")
    assert (ran.code, document(ran)["verdict"]["cause"]) == (1, "replica-skew")


def test_the_configuration_names_the_file(call, url, tmp_path):
    (tmp_path / "config.toml").write_text(f'[targets.orchard]\nurl = "{url}"\nlock = "{tmp_path}/agreed.json"\n')
    assert call("write", "@orchard", "--config", "config.toml").err == f"wrote {tmp_path}/agreed.json\n"
    assert call("check", "@orchard", "--config", "config.toml").code == 0
    steps = document(call("check", "@orchard", "--config", "config.toml", "--format", "json"))["verdict"]["next"]
    assert steps
    assert call("check", url, "--lock", "agreed.json").code == 0
    assert not (tmp_path / LOCK).exists()


def test_the_other_era_is_held_to_the_same_file(call, url, server):
    call("write", url)
    with answering(legacy(tools=TOOLS)) as old:
        ran = call("check", old)
    assert ran.code == 0, ran.out


def test_it_is_an_operand_of_diff_and_a_baseline(call, url, server, tmp_path):
    call("write", url)
    now_lists(server, [*TOOLS, PRESS])
    env = {"DIAGNOSE_DATA": str(tmp_path / "data"), "DIAGNOSE_CONFIG": str(tmp_path / "config")}
    ran = diagnose("diff", f"lock:{LOCK}", url, env=env)
    assert (ran.code, ran.out.splitlines()[0]) == (1, "different (compatible): 1 tool added")
    ran = diagnose("surface", url, "--baseline", f"lock:{LOCK}", "--format", "json", env=env)
    assert document(ran)["verdict"]["cause"] == "surface-changed"
    assert diagnose("revision", LOCK, env=env).code == 0


def test_no_credential_comes_into_the_file(call, server, url):
    secret = "opaque-s3cret-value"
    now_lists(server, [{**TOOLS[0], "description": f"Use {secret}."}])
    assert call("write", url, "--auth", "env:TOKEN", TOKEN=secret).code == 0
    assert secret not in Path(LOCK).read_text()
    assert call("check", url, "--auth", "env:TOKEN", TOKEN=secret).code == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("check", "demo", "--fail-on", "error"), "--fail-on takes breaking, unclear"),
        (("check", "demo", "--format", "xml"), "--format takes text, json, sarif"),
        (("check", "demo", "--also", "sarif"), "--also takes FORMAT=FILE"),
        (("check", "demo", "--also", "xml=a"), "--also takes text, json, sarif"),
        (("check", "demo", "--also", "sarif=-"), "--also needs a file of its own"),
        (("check", "demo", "-o", "a", "--also", "sarif=./a"), "--also needs a file of its own"),
        (("check", "demo", "--also", "sarif=a", "--also", "json=a"), "--also needs a file of its own"),
        (("write", "demo", "-o", "none/x.json"), "its folder does not exist"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(call, args, words):
    ran = call(*args)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err

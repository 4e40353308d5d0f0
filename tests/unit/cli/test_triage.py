"""`triage` as a person types it: a bundle in each form, a live server with a path, and what a client shows beside it."""

import json
import os
import shutil
from pathlib import Path

import pytest
from support.mcp_http import answering, error, modern
from support.program import diagnose

from diagnose.jobs.embedded import embedded
from diagnose.reference.options import ServeOptions

CASES = Path(__file__).parents[2] / "cases"
HOSTED = CASES / "036-new-parameter-not-shown.json"
TOOL = {"name": "pick_apples", "description": "Old.", "inputSchema": {"type": "object"}}


@pytest.fixture(scope="module")
def servers():
    with embedded(ServeOptions(control=True)) as first, embedded(ServeOptions(control=True)) as second:
        yield first, second


@pytest.fixture
def triage(tmp_path):
    def run(*args):
        ran = diagnose(
            "triage", "--format", "json", *map(str, args), env={**os.environ, "DIAGNOSE_DATA": str(tmp_path)}
        )
        assert ran.out, ran.err
        document = json.loads(ran.out)
        assert document["exitCode"] == ran.code
        return document

    return run


def verdict(document):
    return tuple(document["verdict"][key] for key in ("state", "layer", "cause"))


def test_a_bundle_is_the_same_as_file_folder_and_zip(triage, tmp_path):
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "bundle.json").write_bytes(HOSTED.read_bytes())
    packed = shutil.make_archive(str(tmp_path / "packed"), "zip", folder)
    documents = [triage(form) for form in (HOSTED, folder, packed)]
    assert verdict(documents[0]) == ("stale", "registry", "hosted-snapshot")
    assert all(document == documents[0] for document in documents)


def test_a_bundle_connects_to_nobody_and_takes_no_path(triage):
    ran = diagnose("triage", str(HOSTED), "--path", "http://127.0.0.1:9/mcp")
    assert ran.code == 2
    assert "--path" in ran.err
    assert diagnose("triage", str(HOSTED), "--bundle", str(HOSTED)).code == 2


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"schema": "diagnose.bundle/1"}', '{"schema": "diagnose.bundle/1", "layers": 3}']
)
def test_what_is_no_bundle_is_exit_2(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    ran = diagnose("triage", str(path))
    assert (ran.code, ran.out) == (2, "")
    assert "Traceback" not in ran.err


def test_a_path_that_agrees_and_one_that_froze(triage, servers):
    direct, gateway = servers
    assert verdict(triage(direct.url, "--path", direct.url)) == ("in-sync", None, None)
    direct.change({"add": "press_cider"})
    document = triage(direct.url, "--path", gateway.url)
    assert verdict(document) == ("stale", "path", "proxy-frozen")
    rows = {row["layer"]: row for row in document["layers"]}
    assert rows["path"]["observed"]


def test_a_path_that_nobody_answers_at_leaves_it_open(triage, servers):
    document = triage(servers[0].url, "--path", "http://127.0.0.1:9/mcp")
    assert verdict(document) == ("inconclusive", None, None)
    assert document["exitCode"] == 3
    assert any("path was asked for" in limit for limit in document["verdict"]["limits"])


def test_a_client_s_own_words_are_laid_beside_the_server(triage, servers, tmp_path):
    status = tmp_path / "status.json"
    status.write_text(json.dumps({"data": [{"name": "orchard", "tools": {"pick_apples": TOOL}}]}))
    args = ("--client", "codex", "--server-key", "orchard", "--registry", status, "--expect-tool", "ripen")
    document = triage(servers[1].url, *args)
    assert verdict(document) == ("stale", "registry", "client-registry-stale")
    assert any("Codex" in step for step in document["verdict"]["next"])
    asked = next(each for each in document["findings"] if each["rule"] == "expected-tool")
    assert (asked["args"]["origin"], asked["args"]["registry"], asked["layer"]) == ("has it", "missing", "registry")


def test_what_a_model_is_offered_may_be_names(triage, tmp_path):
    request = tmp_path / "init.jsonl"
    request.write_text(json.dumps({"type": "system", "subtype": "init", "tools": ["mcp__orchard__get_row"]}) + "\n")
    document = triage(HOSTED, "--model", request, "--server-key", "orchard")
    model = next(row for row in document["layers"] if row["layer"] == "model")
    assert model["observed"]
    assert model["revision"] is None


def test_an_unknown_shape_is_named(tmp_path):
    odd = tmp_path / "odd.json"
    odd.write_text('{"colour": "green"}')
    ran = diagnose("triage", str(HOSTED), "--registry", str(odd))
    assert ran.code == 2
    assert "an object with colour" in ran.err


def test_the_lists_of_a_client_of_this_machine_are_read(servers, tmp_path):
    entry = f'[mcp_servers.orchard]\nurl = "{servers[1].url}"\nenabled_tools = ["pick_apples", "gather_pears"]\n'
    (tmp_path / "config.toml").write_text(entry)
    env = {**os.environ, "DIAGNOSE_DATA": str(tmp_path / "data"), "CODEX_HOME": str(tmp_path)}
    ran = diagnose("triage", "--from-client", "codex:orchard", "--format", "json", env=env)
    document = json.loads(ran.out)
    assert verdict(document) == ("stale", "registry", "policy-stale")
    (found,) = (finding for finding in document["findings"] if finding["rule"] == "policy-stale")
    assert found["args"]["dead"] == ["gather_pears"]
    elsewhere = diagnose(
        "triage", servers[1].url, "--client", "codex", "--server-key", "orchard", "--format", "json", env=env
    )
    assert verdict(json.loads(elsewhere.out))[2] is None


@pytest.mark.parametrize("form", ["text", "sarif", "junit", "github", "markdown", "html"])
def test_every_format_names_the_cause(form):
    ran = diagnose("triage", str(HOSTED), "--format", form)
    assert ran.code == 1
    assert "hosted-snapshot" in ran.out


def test_surface_takes_the_same_options(servers, tmp_path):
    status = tmp_path / "names.txt"
    status.write_text("pick_apples\n")
    ran = diagnose("surface", servers[1].url, "--client", "codex", "--registry", str(status), "--format", "json")
    assert verdict(json.loads(ran.out)) == ("stale", "registry", "client-registry-stale")


def test_files_alone_are_judged_without_a_server(triage, tmp_path):
    wire = json.loads(HOSTED.read_text())["layers"]["wire"]["inline"]
    recording, held = tmp_path / "session.jsonl", tmp_path / "held.json"
    recording.write_text("".join(json.dumps(line) + "\n" for line in wire))
    held.write_text(json.dumps({"tools": [{"name": "old", "inputSchema": {"type": "object"}}]}))
    document = triage("--recording", recording, "--client", "claude-ai", "--registry", held)
    assert verdict(document) == ("stale", "registry", "hosted-snapshot")
    assert [row["layer"] for row in document["layers"] if row["observed"]] == ["wire", "registry"]


def test_a_credential_for_the_server_never_goes_to_the_path(tmp_path):
    server, gateway = modern(), modern()
    env = {**os.environ, "DIAGNOSE_DATA": str(tmp_path), "ORCHARD": "tok-1234567890", "GATE": "gate-1234567890"}
    with answering(server) as url, answering(gateway) as path:
        diagnose("triage", url, "--auth", "env:ORCHARD", "--header", "X-Row=7", "--path", path, env=env)
        assert not any({"authorization", "x-row"} & set(asked.headers) for asked in gateway.asked)
        assert any("tok-1234567890" in asked.headers.get("authorization", "") for asked in server.asked)
        diagnose("triage", url, "--path", path, "--path-auth", "env:GATE", env=env)
        assert any("gate-1234567890" in asked.headers.get("authorization", "") for asked in gateway.asked)
        assert not any("gate-" in asked.headers.get("authorization", "") for asked in server.asked)


def test_a_path_that_refuses_is_a_refused_credential(triage):
    refusing = modern(
        server__discover=lambda asked: error(asked, -32000, "sign in", 401),
        initialize=lambda asked: error(asked, -32000, "sign in", 401),
    )
    with answering(modern()) as url, answering(refusing) as path:
        document = triage(url, "--path", path)
    assert verdict(document) == ("broken", "path", "auth-blocked")
    assert document["exitCode"] == 4

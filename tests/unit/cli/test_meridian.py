"""The first server that this serves: a Meridian, in its generations, with its traps."""

import json
import sys

import pytest
from support.mcp_http import TOOLS, Said, answering, legacy, modern
from support.meridian import GITHUB, NATIVE, TUNNEL, meridian
from support.program import diagnose

TOKEN = "sk_meridian_abc"


@pytest.fixture
def ask(tmp_path):
    def ask(url, *args, token=TOKEN):
        env = {"DIAGNOSE_DATA": str(tmp_path), **({"DIAGNOSE_TOKEN": token} if token else {})}
        ran = diagnose("surface", url, "--format", "json", *args, env=env)
        assert TOKEN not in ran.out + ran.err
        return ran, json.loads(ran.out)

    return ask


def row(document, layer):
    return next(row for row in document["layers"] if row["layer"] == layer)


def pair(document, older, newer):
    return next(item for item in document["comparisons"] if (item["from"], item["to"]) == (older, newer))


def rules(document, *severities):
    return sorted({item["rule"] for item in document["findings"] if item["severity"] in severities})


def test_with_a_token_its_whole_story_holds_together(ask):
    with meridian() as (url, _):
        ran, document = ask(url)
    assert (ran.code, document["verdict"]["state"]) == (0, "in-sync")
    assert row(document, "deployed")["build"] == "0a1b2c3d4e5f"
    origin = row(document, "origin")
    assert origin["advertised"]["initialize"] == origin["advertised"]["list"] == origin["revision"]
    assert (origin["era"], origin["protocolVersion"]) == ("legacy", "2025-03-26")
    assert pair(document, "manifest", "origin")["relation"] == "equal"
    assert rules(document, "error", "warning") == []


def test_without_a_token_the_open_endpoint_is_asked_and_said(ask):
    with meridian() as (url, endpoint):
        ran, document = ask(url, token=None)
    assert ran.code == 0
    assert any(asked.path == "/mcp/sse" for asked in endpoint.asked)
    assert any("/mcp/sse" in limit for limit in document["verdict"]["limits"])


def test_a_wrong_token_is_told_and_the_open_endpoint_is_left_alone(ask):
    with meridian() as (url, endpoint):
        ran, document = ask(url, token="sk_meridian_wrong")
    assert (ran.code, document["verdict"]["cause"]) == (4, "auth-blocked")
    assert not any(asked.path == "/mcp/sse" for asked in endpoint.asked)


def test_an_older_generation_without_revisions_is_no_error(ask):
    with meridian(generation="A") as (url, _):
        ran, document = ask(url)
    assert (ran.code, document["verdict"]["state"]) == (0, "in-sync")
    assert row(document, "origin")["advertised"] == {"initialize": None, "list": None, "count": None}


@pytest.mark.parametrize("extra", [GITHUB, TUNNEL, GITHUB + TUNNEL])
def test_what_a_tenant_has_on_top_is_no_difference(ask, extra):
    with meridian(extra=extra) as (url, _):
        ran, document = ask(url)
    assert (ran.code, document["verdict"]["state"]) == (0, "in-sync"), document["findings"]
    assert rules(document, "error") == []


def test_a_shared_definition_that_differs_is_found(ask):
    changed = [dict(tool) for tool in NATIVE]
    changed[0]["inputSchema"] = {**changed[0]["inputSchema"], "required": ["id"]}
    with meridian(listed=changed + GITHUB) as (url, _):
        ran, document = ask(url)
    assert ran.code == 1
    assert (document["verdict"]["layer"], document["verdict"]["cause"]) == ("origin", "manifest-disagrees")
    assert [change["tool"] for change in pair(document, "manifest", "origin")["changes"]] == ["get_widget"]


def test_a_gate_before_the_manifest_is_no_stale_list(ask):
    with meridian(gated=True) as (url, _):
        ran, document = ask(url)
    assert (ran.code, document["verdict"]["cause"], document["verdict"]["layer"]) == (1, "manifest-gated", "manifest")


def test_a_build_that_is_a_version_is_unknown(ask):
    with meridian(sha="0.1.9") as (url, _):
        ran, document = ask(url, "--expect-build", "0a1b2c3d4e5f")
    assert row(document, "deployed")["build"] is None
    assert document["verdict"]["cause"] != "server-old-build"
    assert ran.code != 4


def test_trouble_in_the_tunnel_is_degraded_and_not_stale(ask):
    health = {"meridian/tunnelHealth": {"status": "degraded", "message": "0 tools"}}
    with meridian(meta=health) as (url, _):
        ran, document = ask(url)
    assert (ran.code, document["verdict"]["state"]) == (0, "in-sync")
    assert "tunnel-degraded" in rules(document, "warning", "note")


def test_a_hop_that_rewrites_numbers_is_named(ask):
    rewritten = json.loads(json.dumps(NATIVE).replace("600.0", "600"))

    with meridian(listed=rewritten) as (url, endpoint):
        native = endpoint.rpc

        def advertise_the_original(asked, tools):
            said = native(asked, tools)
            if asked.method == "tools/list":
                from support.meridian import revision

                body = json.loads(said.body)
                body["result"]["_meta"]["meridian/toolManifest"]["revision"] = revision(NATIVE)
                said.body = json.dumps(body).encode()
            return said

        endpoint.rpc = advertise_the_original
        ran, document = ask(url)
    finding = next(item for item in document["findings"] if item["rule"] == "revision-mismatch")
    assert ran.code == 1
    assert "number" in finding["message"]


def replaced(endpoint, path, said):
    """Have one path answered with something else."""
    native = endpoint.answer
    endpoint.answer = lambda asked: said if asked.path == path else native(asked)


@pytest.mark.parametrize("path", ["/health", "/tools"])
@pytest.mark.parametrize("status", [401, 403])
def test_a_request_beside_mcp_that_is_refused_gives_the_code_and_leaves_the_verdict(ask, path, status):
    with meridian() as (url, endpoint):
        replaced(endpoint, path, Said(status=status, body=b"{}"))
        ran, document = ask(url)
    assert (ran.code, document["exitCode"], document["verdict"]["state"]) == (4, 4, "in-sync")
    assert any(f"GET {path} answered HTTP {status}" in limit for limit in document["verdict"]["limits"])
    assert not any("asks for a credential" in limit for limit in document["verdict"]["limits"])
    assert rules(document, "warning") == ["auth-blocked"]
    assert path != "/health" or row(document, "deployed")["health"] is None


@pytest.mark.parametrize(
    "said",
    [
        Said(status=500, body=b"{}"),
        Said(body=b'[{"name": "get_wid'),
        Said(body=b'{"detail": "no list"}'),
        Said(body=b""),
    ],
)
def test_a_manifest_that_cannot_be_read_is_not_taken_for_absent(ask, said):
    with meridian() as (url, endpoint):
        replaced(endpoint, "/tools", said)
        ran, document = ask(url)
    assert (ran.code, document["verdict"]["state"]) == (0, "in-sync")
    assert rules(document, "warning") == ["manifest-unreadable"]
    assert row(document, "manifest")["observed"] is False


def test_a_named_manifest_is_due_on_any_server(tmp_path):
    endpoint = legacy(GET=Said(status=500, body=b"{}"))
    with answering(endpoint) as url:
        args = ("surface", url, "--format", "json", "--manifest", "/list.json")
        document = json.loads(diagnose(*args, env={"DIAGNOSE_DATA": str(tmp_path)}).out)
    assert rules(document, "warning") == ["manifest-unreadable"]


@pytest.mark.parametrize("build", ["0.1.9", "0a1b2c", "main", "g" * 12, "a" * 65, ""])
def test_an_expected_build_that_is_no_commit_id_is_wrong_usage(build):
    ran = diagnose("surface", "http://127.0.0.1:9/mcp", "--expect-build", build)
    assert (ran.code, ran.out) == (2, "")
    assert "commit id" in ran.err


def test_an_expectation_that_cannot_be_held_is_no_pass(ask):
    with meridian(sha="0.1.9") as (url, _):
        ran, document = ask(url, "--expect-build", "0a1b2c3d4e5f")
        met, _ = ask(url, "--expect-version", "0.1.9")
    assert (ran.code, document["verdict"]["state"]) == (3, "inconclusive")
    assert "does not say which build" in document["verdict"]["summary"]
    assert met.code == 0


STDIO = """
import json, sys
RESULTS = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": True}, "prompts": {}, "experimental": {}},
        "serverInfo": {"name": "meridian", "version": "1.30.0"},
    },
    "tools/list": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]},
}
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        known = RESULTS.get(message["method"])
        said = {"result": known} if known else {"error": {"code": -32601, "message": "no"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}), flush=True)
"""


@pytest.mark.parametrize("version", ["0.1.9", "1.30.0", "2.0.0"])
def test_over_stdio_its_version_is_that_of_the_sdk(tmp_path, version):
    options = ("--format", "json", "--expect-version", version, "--", sys.executable, "-c", STDIO)
    ran = diagnose("surface", *options, env={"DIAGNOSE_DATA": str(tmp_path)})
    document = json.loads(ran.out)
    assert (ran.code, document["verdict"]["state"]) == (3, "inconclusive")
    assert rules(document, "error", "warning") == ["expected-build-unknown"]
    assert "is that of the MCP SDK" in document["verdict"]["summary"]
    assert row(document, "deployed")["observed"] is False


def test_a_past_of_the_other_era_that_differs_is_stale(tmp_path):
    store = {"DIAGNOSE_DATA": str(tmp_path)}
    grown = [*TOOLS, {"name": "press_cider", "inputSchema": {"type": "object"}}]
    with answering(modern(tools=grown)) as new, answering(legacy()) as url:
        ran = diagnose("surface", url, "--format", "json", "--baseline", new, env=store)
    document = json.loads(ran.out)
    verdict = document["verdict"]
    assert (ran.code, verdict["state"], verdict["cause"], verdict["confidence"]) == (
        1,
        "stale",
        "surface-changed",
        "likely",
    )
    assert "modern era" in verdict["summary"]
    assert {"rule": "surface-changed", "outcome": "failed"} in document["checks"]


def test_a_baseline_that_is_no_snapshot_is_not_called_one(tmp_path):
    with answering(legacy()) as old, answering(legacy()) as url:
        ran = diagnose("surface", url, "--format", "json", "--baseline", old, env={"DIAGNOSE_DATA": str(tmp_path)})
    assert json.loads(ran.out)["verdict"]["summary"].startswith("The baseline and the live list agree")

"""`check` as a person types it: against the honest server, with two callers, with a trigger, and against nobody."""

import json
import os
import sys
from urllib.parse import urlsplit

import pytest
from support.mcp_http import TOOLS, answering, error, modern, result
from support.program import diagnose

from diagnose.jobs.embedded import embedded
from diagnose.reference.options import ServeOptions

FAST = ("--wait", "2")
STDIO = ("--", sys.executable, "-m", "diagnose", "serve", "--stdio")
HINTS = {"resultType": "complete", "ttlMs": 0}


@pytest.fixture(scope="module")
def server():
    with embedded(ServeOptions(control=True)) as running:
        yield running


def check(*args, env=None, tmp_path=None):
    ran = diagnose(
        "check", "--format", "json", *args, env={**os.environ, **(env or {}), "DIAGNOSE_DATA": str(tmp_path)}
    )
    document = json.loads(ran.out)
    assert document["exitCode"] == ran.code
    return document


def found(document, *severities):
    return {each["rule"] for each in document["findings"] if each["severity"] in (severities or ("error", "warning"))}


def outcomes(document):
    return {each["rule"]: each["outcome"] for each in document["checks"]}


@pytest.mark.parametrize("args", [("--era", "modern"), ("--era", "legacy"), ()], ids=" ".join)
def test_an_honest_server_passes(server, tmp_path, args):
    document = check(server.url, *args, *FAST, tmp_path=tmp_path)
    assert (document["exitCode"], document["verdict"]["state"]) == (0, "in-sync")
    assert found(document) == set()
    told = outcomes(document)
    assert told["cursor-unchecked"] == "passed"
    assert told["ttl-misuse"] == ("not-verified" if "legacy" in args else "passed")
    assert told["eras-differ"] == ("not-verified" if args else "passed")
    assert told["scope-leak"] == told["private-identical"] == "not-verified"
    why = {each["rule"]: each["why"] for each in document["checks"] if "why" in each}
    assert "--second-auth" in why["auth-view-diff"]
    assert "--trigger" in why["server-no-signal"]


def test_an_honest_child_passes(tmp_path):
    document = check("--era", "modern", *FAST, *STDIO, tmp_path=tmp_path)
    assert (document["exitCode"], found(document)) == (0, set())
    told = outcomes(document)
    assert told["header-mismatch-accepted"] == told["private-without-credential"] == "not-verified"
    assert told["removed-method-wrong"] == told["discover-overclaims"] == "passed"


def test_a_trigger_verifies_the_signals(server, tmp_path):
    server.change({"restore": True}, notify=False)
    code = "import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1], data=sys.argv[2].encode())).close()"
    control = server.url.removesuffix("/mcp") + "/control"
    change = json.dumps({"describe": {"name": "ripen", "description": "Tells how ripe they are."}})
    trigger = " ".join(map(_quoted, (sys.executable, "-c", code, control, change)))
    for era in ("modern", "legacy"):
        document = check(
            server.url, "--era", era, "--select", "signals,capability", "--trigger", trigger, *FAST, tmp_path=tmp_path
        )
        assert (document["exitCode"], found(document)) == (0, set())
        assert outcomes(document)["server-no-signal"] == "passed"
        server.change({"restore": True}, notify=False)


def _quoted(word):
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _by_caller(scope, *, anonymous=True):
    """A server that shows a caller with the second token a tool less."""

    def listing(asked):
        given = asked.headers.get("authorization", "")
        if not given and not anonymous:
            return error(asked, -32000, "who are you", 401)
        tools = TOOLS[:-1] if given.endswith("second") else TOOLS
        return result(asked, {**HINTS, "cacheScope": scope, "tools": tools})

    return modern(tools__list=listing)


TOKENS = {"ONE": "first", "TWO": "second"}
CALLERS = ("--era", "modern", "--auth", "env:ONE", "--second-auth", "env:TWO", "--select", "cache,hints,access")


@pytest.mark.parametrize(
    ("scope", "anonymous", "code", "rules"),
    [
        ("public", True, 1, {"scope-leak"}),
        ("public", False, 1, {"scope-leak"}),
        ("private", True, 0, {"auth-view-diff", "private-without-credential"}),
        ("private", False, 0, {"auth-view-diff"}),
    ],
)
def test_two_callers(tmp_path, scope, anonymous, code, rules):
    with answering(_by_caller(scope, anonymous=anonymous)) as url:
        document = check(url, *CALLERS, env=TOKENS, tmp_path=tmp_path)
    assert document["exitCode"] == code
    assert found(document, "error", "warning", "note") == rules
    assert outcomes(document)["private-without-credential"] != "not-verified"
    assert not {"first", "second"} & set(json.dumps(document).split('"'))


def test_a_second_credential_that_is_refused_is_a_refused_credential(tmp_path):
    def listing(asked):
        if not asked.headers.get("authorization", "").endswith("first"):
            return error(asked, -32000, "no", 401)
        return result(asked, {**HINTS, "cacheScope": "private", "tools": TOOLS})

    with answering(modern(tools__list=listing)) as url:
        document = check(url, *CALLERS, env=TOKENS, tmp_path=tmp_path)
    assert document["exitCode"] == 4
    assert "auth-blocked" in found(document, "error")
    assert outcomes(document)["scope-leak"] == "not-verified"


def test_what_is_ignored_is_counted(tmp_path):
    endpoint = modern(tools__list=lambda asked: result(asked, {"tools": TOOLS, "ttlMs": 300, "cacheScope": "public"}))
    with answering(endpoint) as url:
        plain = check(url, "--select", "cache", "--fail-on", "warning", tmp_path=tmp_path)
        quiet = check(url, "--select", "cache", "--ignore", "ttl-unit", "--fail-on", "warning", tmp_path=tmp_path)
    assert (plain["exitCode"], found(plain)) == (1, {"ttl-unit"})
    assert (quiet["exitCode"], found(quiet)) == (0, set())
    assert outcomes(quiet)["ttl-unit"] == "suppressed"
    assert any("1 finding of 1 check not shown" in limit for limit in quiet["verdict"]["limits"])


def test_what_no_chosen_check_asks_for_is_not_done(tmp_path):
    endpoint = modern()
    with answering(endpoint) as url:
        check(url, "--select", "name-unusual", tmp_path=tmp_path)
    assert set(endpoint.methods) <= {"server/discover", "tools/list", "GET"}
    assert not any("cursor" in asked.params for asked in endpoint.asked)


def test_each_walk_has_a_connection_of_its_own(tmp_path):
    endpoint = modern()
    with answering(endpoint) as url:
        check(url, "--select", "order-unstable", tmp_path=tmp_path)
    listed = [asked.connection for asked in endpoint.asked if asked.method == "tools/list"]
    assert (len(listed), len(set(listed)), listed[1]) == (3, 2, listed[2])


@pytest.mark.parametrize("fail_on", ["error", "warning", "never"])
def test_nobody_there_is_no_success(tmp_path, fail_on):
    document = check("http://127.0.0.1:1/mcp", "--fail-on", fail_on, tmp_path=tmp_path)
    assert document["exitCode"] == 3
    assert {each["outcome"] for each in document["checks"] if each["rule"] == "name-unusual"} == {"not-verified"}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--select", "cursor-uncheckd"), "is neither"),
        (("--ignore", "x,y"), "is neither"),
        (("--fail-on", "note"), "--fail-on takes"),
        (("--wait", "0"), "--wait takes"),
        (("--trigger", "'"), "--trigger takes"),
        (("--second-auth", "env:NOT_SET"), "NOT_SET"),
        (("--second-auth", "none"), "no second principal"),
    ],
)
def test_what_is_typed_wrong_is_told_before_anybody_is_asked(args, words):
    endpoint = modern()
    with answering(endpoint) as url:
        ran = diagnose("check", url, *args)
    assert (ran.code, ran.out, endpoint.asked) == (2, "", [])
    assert words in ran.err


def test_a_second_caller_is_for_http():
    ran = diagnose("check", "--second-auth", "env:TWO", *STDIO, env=TOKENS)
    assert (ran.code, ran.out) == (2, "")
    assert "--second-auth is for HTTP" in ran.err


def test_the_text_says_how_much_was_verified(server, tmp_path):
    ran = diagnose("check", server.url, "--select", "eras,auth-view-diff", env={"DIAGNOSE_DATA": str(tmp_path)})
    assert ran.code == 0
    assert urlsplit(server.url).netloc in ran.out
    assert " not verified. Exit code 0." in ran.out
    unmet = ran.out[ran.out.index("Not verified\n") :]
    assert "auth-view-diff: the list was read as one principal; name another one with\n    --second-auth\n" in unmet


@pytest.mark.parametrize("fail_on", ["error", "never"])
def test_an_expectation_that_cannot_be_held_is_no_pass(tmp_path, fail_on):
    with answering(modern()) as url:
        options = ("--select", "deployed", "--fail-on", fail_on, "--expect-build", "0a1b2c3d4e5f")
        document = check(url, *options, tmp_path=tmp_path)
    assert (document["exitCode"], found(document)) == (3, {"expected-build-unknown"})


@pytest.mark.parametrize("leaving", [("--select", "cache"), ("--ignore", "server-old-build")])
def test_an_expectation_that_no_check_holds_is_wrong_usage(leaving):
    ran = diagnose("check", "http://127.0.0.1:9/mcp", "--expect-version", "2.4.0", *leaving)
    assert ran.code == 2
    assert "server-old-build" in ran.err


def test_a_trigger_that_fails_verifies_nothing(server, tmp_path):
    trigger = f"{sys.executable} -c 'raise SystemExit(3)'"
    document = check(server.url, "--select", "signals", "--trigger", trigger, "--wait", "0.4", tmp_path=tmp_path)
    (result,) = [each for each in document["checks"] if each["rule"] == "server-no-signal"]
    assert (result["outcome"], document["exitCode"]) == ("not-verified", 0)
    assert "exit code 3" in result["why"]

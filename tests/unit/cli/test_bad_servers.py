"""Bad input and faults, as a person meets them: one clear sentence, the right exit code and layer, no traceback.

Each row is a real socket or a real child.
"""

import json
import socket
import sys
import time

import pytest
from support.mcp_http import TOOLS, Said, answering, error, events, html, legacy, modern, result
from support.program import diagnose

#: Seconds of --deadline in these tests; each must end within it and what ending a child may take.
DEADLINE = 6
GRACE = 8


@pytest.fixture
def ask(tmp_path):
    def ask(*args, timeout="2"):
        began = time.monotonic()
        options = ["--format", "json", "--timeout", timeout, "--deadline", str(DEADLINE)]
        cut = args.index("--") if "--" in args else len(args)
        ran = diagnose(
            "surface", *args[:cut], *options, *args[cut:], env={"DIAGNOSE_DATA": str(tmp_path), "PATH": "/usr/bin:/bin"}
        )
        assert time.monotonic() - began < DEADLINE + GRACE
        assert "Traceback" not in ran.err + ran.out
        return ran, json.loads(ran.out) if ran.out else None

    return ask


def seen(document, rule):
    """Return the findings of one rule."""
    return [finding for finding in document["findings"] if finding["rule"] == rule]


def listing(value):
    return lambda asked: result(asked, value)


HUGE = [
    {"name": f"tool_{number}", "description": "x" * 4000, "inputSchema": {"type": "object"}} for number in range(9000)
]
DEEP = json.loads('{"a":' * 100 + "1" + "}" * 100)


def raw(text):
    return lambda asked: Said(body=text.replace("ID", json.dumps(asked.id)).encode())


def list_of(tools_text):
    return raw('{"jsonrpc": "2.0", "id": ID, "result": {"tools": ' + tools_text + "}}")


BROKEN = [
    # name, endpoint, exit code, state, layer, cause or rule, words of its message
    ("401", legacy(initialize=Said(status=401), server__discover=Said(status=401)), 4, "broken", "origin", "auth-blocked", "401"),
    ("403", legacy(initialize=Said(status=403), server__discover=Said(status=403)), 4, "broken", "origin", "auth-blocked", "403"),
    ("404 HTML", legacy(initialize=html(404), server__discover=html(404)), 3, "inconclusive", None, "handshake-failed", "404"),
    ("429", legacy(initialize=Said(status=429), server__discover=Said(status=429)), 3, "inconclusive", None, None, "429"),
    ("500", legacy(initialize=Said(status=500)), 3, "inconclusive", None, "handshake-failed", "500"),
    ("503", legacy(initialize=Said(status=503), server__discover=Said(status=503)), 3, "inconclusive", None, None, "503"),
    ("empty body", legacy(initialize=Said(), server__discover=Said()), 3, "inconclusive", None, "handshake-failed", ""),
    ("HTML with 200", legacy(initialize=html(), server__discover=html()), 3, "inconclusive", None, "handshake-failed", "HTML"),
    ("JSON-RPC error", legacy(tools__list=lambda asked: error(asked, -32603, "no such thing '_zod'")), 1, "broken", "origin", "list-error", "-32603"),
    ("headers refused", modern(tools__list=lambda asked: error(asked, -32020, "header mismatch", status=400)), 1, "broken", "origin", "header-mismatch", "-32020"),
    ("no tools", legacy(tools__list=listing({})), 1, "broken", "origin", "list-error", "tools"),
    ("null tools", legacy(tools__list=listing({"tools": None})), 1, "broken", "origin", "list-error", "tools"),
    ("text as tools", legacy(tools__list=listing({"tools": "none"})), 1, "broken", "origin", "list-error", "tools"),
    ("too much", legacy(tools__list=listing({"tools": HUGE})), 3, "inconclusive", None, "limit-exceeded", "bytes"),
    ("too deep", legacy(tools__list=raw('{"jsonrpc": "2.0", "id": ID, "result": {"tools": [' + "[" * 5000 + "]" * 5000 + "]}}")), 3, "inconclusive", None, "limit-exceeded", "deep"),
    ("NaN", legacy(tools__list=list_of('[{"name": "a", "inputSchema": {"type": "object", "default": NaN}}]')), 1, "broken", "origin", "wire-corrupt", "NaN"),
    ("lone surrogate", legacy(tools__list=list_of('[{"name": "a", "description": "ok \\ud83c", "inputSchema": {"type": "object"}}]')), 1, "broken", "origin", "wire-corrupt", "surrogate"),
    ("wrong id", legacy(tools__list=lambda asked: Said(body=b'{"jsonrpc": "2.0", "id": 999, "result": {"tools": []}}')), 1, "broken", "origin", "wire-corrupt", "id"),
    ("cut stream", legacy(tools__list=lambda asked: events({"jsonrpc": "2.0", "method": "notifications/x"}, cut=True), GET=Said(status=405)), 3, "inconclusive", None, "timed-out", ""),
    ("cut JSON", legacy(tools__list=lambda asked: Said(body=[b'{"jsonrpc": "2.0", "id": '], cut=True)), 3, "inconclusive", None, None, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("endpoint", "code", "state", "layer", "rule", "says"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN]
)
def test_each_fault_over_http_has_its_verdict(ask, endpoint, code, state, layer, rule, says):
    with answering(endpoint) as url:
        # A large answer takes a busy machine a while, and it is its size that is to be told.
        ran, document = ask(url, timeout="10" if rule == "limit-exceeded" else "2")
    verdict = document["verdict"]
    assert (ran.code, verdict["state"], verdict["layer"]) == (code, state, layer), (verdict, document["findings"])
    assert document["exitCode"] == code
    if state == "broken" and rule is not None:
        assert verdict["cause"] == rule
    if rule is not None:
        assert seen(document, rule), document["findings"]
    assert says.lower() in " ".join(finding["message"] for finding in document["findings"]).lower()
    assert verdict["next"]


def test_a_list_that_comes_byte_by_byte_is_read(ask):
    def streamed(asked):
        return events(
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}},
            {"jsonrpc": "2.0", "id": asked.id, "result": {"tools": TOOLS}},
        )

    with answering(legacy(tools__list=streamed)) as url:
        ran, document = ask(url, timeout="5")
    assert ran.code == 0
    assert document["verdict"]["state"] == "in-sync"


def test_duplicate_keys_are_a_finding_and_the_list_is_read(ask):
    endpoint = legacy(tools__list=list_of('[{"name": "a", "name": "b", "inputSchema": {"type": "object"}}]'))
    with answering(endpoint) as url:
        _, document = ask(url)
    assert any("twice" in finding["message"].lower() for finding in document["findings"])


def test_a_modern_server_is_asked_with_nothing_of_the_old(ask):
    endpoint = modern()
    with answering(endpoint) as url:
        ran, document = ask(url)
    assert ran.code == 0
    assert "initialize" not in endpoint.methods
    origin = next(row for row in document["layers"] if row["layer"] == "origin")
    assert (origin["era"], origin["protocolVersion"]) == ("modern", "2026-07-28")


@pytest.mark.parametrize(
    "slow",
    [
        lambda asked: Said(body=iter(lambda: time.sleep(0.1) or b" ", None)),
        Said(status=503, headers={"Retry-After": "5"}),
    ],
    ids=["dripping", "busy"],
)
def test_slow_endpoints_leave_time_for_the_list(ask, slow):
    endpoint = legacy(GET=slow)
    with answering(endpoint) as url:
        ran, document = ask(url, timeout=str(DEADLINE))
    assert (ran.code, document["verdict"]["state"]) == (0, "in-sync")
    assert endpoint.methods.count("tools/list") == 2


def hang_up(asked):
    raise ConnectionAbortedError


def test_a_legacy_server_that_hangs_up_on_the_probe_is_read(ask):
    endpoint = legacy(server__discover=hang_up)
    with answering(endpoint) as url:
        ran, document = ask(url)
    assert (ran.code, document["verdict"]["state"]) == (0, "in-sync")
    assert endpoint.methods.count("server/discover") == 1
    assert "server/discover got no answer" in str(document["verdict"]["limits"])


WORDS = [
    # name, endpoint, in the message, in the remedy and next steps, and not there
    ("cut stream", legacy(tools__list=lambda asked: events({"jsonrpc": "2.0", "method": "x"}, cut=True), GET=Said(status=405)), "timed-out", "stream", "broke off", "allow more"),
    ("slow", legacy(tools__list=lambda asked: Said(body=iter(lambda: time.sleep(0.1) or b": ", None))), "timed-out", "within 2 s", "--timeout", "broke off"),
    ("coding", legacy(tools__list=lambda asked: Said(body=b"x", headers={"Content-Encoding": "br"})), "unreachable", "coding", "Content-Encoding", "certificate"),
    ("too deep", legacy(tools__list=list_of("[" + "[" * 5000 + "]" * 5000 + "]")), "limit-exceeded", "deep", "nested", "large"),
    ("busy", legacy(server__discover=Said(status=429, headers={"Retry-After": "3600"})), "unreachable", "3600 s", "wait", "certificate"),
    ("unknown type", modern(tools__list=listing({"resultType": "foo", "tools": []})), "list-error", "type 'foo', which this program does not know", "the list itself", "wants something first"),
    ("asks first", modern(tools__list=listing({"resultType": "input_required"})), "list-error", "wants something first", "", "does not know"),
    ("no code", legacy(tools__list=raw('{"jsonrpc": "2.0", "id": ID, "error": "text"}')), "list-error", "without a valid code", "", "None"),
    ("no common version", legacy("1999-01-01"), "handshake-failed", "the server offers 1999-01-01", "to one version", "page beside it"),
    ("the other era's version", legacy("2026-07-28"), "handshake-failed", "does without initialize", "to one version", "No common"),
    ("elsewhere", legacy(initialize=Said(status=307, headers={"Location": "http://a.test/"})), "handshake-failed", "redirect to http://a.test/", "Ask the address that the redirect leads to", "page beside it"),
    ("headers on the way", legacy(server__discover=lambda asked: error(asked, -32020, "mismatch", 400)), "handshake-failed", "-32020", "drops or rewrites request headers", "page beside it"),
    ("cursor is a number", legacy(tools__list=listing({"tools": TOOLS, "nextCursor": 5})), "list-error", "no text but 5", "make nextCursor a text", "serialised"),
    ("tools are null", legacy(tools__list=listing({"tools": None})), "list-error", "no list but null", "whose `tools` is a list", "serialised"),
    ("empty cursor refused", legacy(tools__list=lambda asked: error(asked, -32602) if "cursor" in asked.message["params"] else result(asked, {"tools": TOOLS, "nextCursor": ""})), "cursor-rejected", "refused a cursor", "leave nextCursor out of the last page", "balancer"),
    ("wrong id", legacy(tools__list=lambda asked: Said(body=b'{"jsonrpc": "2.0", "id": 999, "result": {"tools": []}}')), "wire-corrupt", "another id", "with its very id", "stderr"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("endpoint", "rule", "says", "advises", "not_said"), [row[1:] for row in WORDS], ids=[row[0] for row in WORDS]
)
def test_the_words_fit_what_happened(ask, endpoint, rule, says, advises, not_said):
    with answering(endpoint) as url:
        _, document = ask(url)
    finding = seen(document, rule)[0]
    told = " ".join(
        [finding["message"], finding["remedy"], *document["verdict"]["next"], document["verdict"]["summary"]]
    )
    assert says in finding["message"]
    assert advises in told
    assert not_said not in told


@pytest.mark.parametrize(
    ("args", "advises"),
    [
        (("http://nobody.invalid/mcp",), "whether the host name is spelled right"),
        (("--", "no-such-command-anywhere"), "Check the command behind --"),
        (("--", __file__), "look at why it does not start"),
        (("--", sys.executable, "-c", "raise SystemExit(3)"), "look at what it says before it ends"),
    ],
    ids=["no name", "no command", "no program", "ended"],
)
def test_the_next_step_fits_what_could_not_be_reached(ask, args, advises):
    _, document = ask(*args)
    first = document["verdict"]["next"][0]
    assert advises in first
    assert "is its address" not in first


def test_a_server_that_is_down(ask):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    ran, document = ask(f"http://127.0.0.1:{port}/mcp")
    assert (ran.code, document["verdict"]["state"]) == (3, "inconclusive")
    assert "refuses the connection" in seen(document, "unreachable")[0]["message"]
    assert all(check["outcome"] != "passed" for check in document["checks"] if check["rule"] == "cursor-loop")


def test_a_name_that_is_nobodys(ask):
    ran, document = ask("http://nobody.invalid/mcp")
    assert ran.code == 3
    assert "nobody.invalid" in seen(document, "unreachable")[0]["message"]


def test_tls_where_there_is_none(ask):
    with answering(legacy()) as url:
        ran, document = ask(url.replace("http://", "https://"))
    assert ran.code == 3
    assert "tls" in seen(document, "unreachable")[0]["message"].lower()
    assert "the certificate of https://127.0.0.1:" in document["verdict"]["next"][0]


def test_a_server_that_takes_the_connection_and_says_nothing(ask):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ran, document = ask(f"http://127.0.0.1:{silent.getsockname()[1]}/mcp", timeout="1")
    assert ran.code == 3
    assert seen(document, "timed-out")


CHILDREN = [
    ("exits at once", "raise SystemExit(3)", 3, "exit code 3"),
    ("says why it exits", "import sys; sys.exit('no database')", 3, "no database"),
    ("hangs", "import sys\nfor line in sys.stdin: pass", 3, ""),
    ("never reads", "import threading; threading.Event().wait()", 3, ""),
    ("floods stderr", "import sys\nwhile True: print('x' * 1000, file=sys.stderr)", 3, ""),
    (
        "floods stdout",
        "print('x' * 1000 + '\\n', end='')\nwhile True: print('x' * 100000, end='')",
        1,
        "stdout line 1: xxx",
    ),
    (
        "greets and hangs",
        "import sys\nprint('Welcome', flush=True)\nfor line in sys.stdin: pass",
        1,
        "stdout line 1: Welcome",
    ),
    ("greets and exits", "print('Welcome', flush=True); raise SystemExit(3)", 1, "stdout line 1: Welcome"),
]


@pytest.mark.parametrize(("script", "code", "says"), [row[1:] for row in CHILDREN], ids=[row[0] for row in CHILDREN])
def test_each_fault_of_a_child_has_its_verdict(ask, script, code, says):
    ran, document = ask("--", sys.executable, "-c", script, timeout="1")
    assert ran.code == code, document["findings"]
    assert document["verdict"]["state"] == {1: "broken", 3: "inconclusive"}[code]
    messages = " ".join(finding["message"] for finding in document["findings"]) + " ".join(
        document["verdict"]["limits"]
    )
    assert says in messages + ran.err


def test_a_command_that_does_not_exist(ask):
    ran, document = ask("--", "no-such-command-anywhere")
    assert ran.code == 3
    assert "no-such-command-anywhere" in seen(document, "unreachable")[0]["message"]


def test_junk_on_stdout_is_named_with_its_line_and_passed_over(ask):
    server = (
        "import json, sys\nprint('Starting orchard...', flush=True)\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if 'id' not in asked: continue\n"
        "    answer = {'initialize': {'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'o', 'version': '1'}},\n"
        "              'tools/list': {'tools': [{'name': 'a', 'inputSchema': {'type': 'object'}}]}}.get(asked['method'])\n"
        "    body = {'result': answer} if answer else {'error': {'code': -32601, 'message': 'no'}}\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], **body}), flush=True)\n"
    )
    ran, document = ask("--", sys.executable, "-c", server)
    assert (ran.code, document["verdict"]["cause"], document["verdict"]["layer"]) == (1, "wire-corrupt", "origin")
    finding = seen(document, "wire-corrupt")[0]
    assert "Starting orchard" in json.dumps(finding)
    assert next(row for row in document["layers"] if row["layer"] == "origin")["count"] == 1

"""Sessions over a child's pipes: eras, and children that do everything wrong. Real children."""

import json
import os
import sys

import psutil
import pytest
from support.sent import check

from diagnose.errors import ObservationError, UsageError
from diagnose.observe.session import NoSessionError, open_stdio
from diagnose.transport.deadline import Deadline

#: A server in one line each: the test's code gets `say`, and `asked` for every message that it reads.
SERVER = """
import json, os, sys
log = open(os.environ["ASKED"], "a")
def say(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode() + b"\\n"
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
def answer(id, result): say({"jsonrpc": "2.0", "id": id, "result": result})
def refuse(id, code, **data): say({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "no", **data}})
INFO = {"name": "orchard", "version": "1"}
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("pick", "prune", "ripen")]
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": INFO}
FOUND = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
         "_meta": {"io.modelcontextprotocol/serverInfo": INFO}, "ttlMs": 0, "cacheScope": "public"}
def legacy(asked):
    if asked["method"] == "initialize": answer(asked["id"], HANDSHAKE)
    elif asked["method"] == "tools/list": answer(asked["id"], {"tools": TOOLS})
    elif "id" in asked and "method" in asked: refuse(asked["id"], -32601)
def modern(asked):
    if asked["method"] == "server/discover": answer(asked["id"], FOUND)
    elif asked["method"] == "tools/list": answer(asked["id"], {"resultType": "complete", "tools": TOOLS})
    elif "id" in asked: refuse(asked["id"], -32601)
def messages():
    for line in sys.stdin:
        log.write(line); log.flush()
        yield json.loads(line)
"""


@pytest.fixture
def start(tmp_path):
    """Start a server; `start.asked()` is what it was sent. No child may be left at the end."""
    asked = tmp_path / "asked"
    asked.touch()

    def opened(code, **options):
        script = SERVER + code
        options = {"deadline": Deadline(20), "timeout": 5, **options}
        return open_stdio([sys.executable, "-c", script], env={**os.environ, "ASKED": str(asked)}, **options)

    opened.asked = lambda: [json.loads(line) for line in asked.read_text().splitlines()]
    yield opened
    left = [child for child in psutil.Process().children(recursive=True) if child.status() != psutil.STATUS_ZOMBIE]
    for child in left:
        child.kill()
    assert left == []


def names(session):
    return [tool["name"] for tool in session.request("tools/list").result["tools"]]


LEGACY = "for asked in messages(): legacy(asked)"
MODERN = "for asked in messages(): modern(asked)"


def test_a_modern_server(start):
    with start(MODERN) as session:
        assert (session.era, session.protocol_version, session.server_info["name"]) == (
            "modern",
            "2026-07-28",
            "orchard",
        )
        assert names(session) == ["pick", "prune", "ripen"]
    assert check(start.asked(), "2026-07-28") == ["server/discover", "tools/list"]


def test_a_legacy_server(start):
    with start(LEGACY) as session:
        assert (session.era, session.protocol_version) == ("legacy", "2025-11-25")
        assert names(session) == ["pick", "prune", "ripen"]
        assert session.close() == "stdin-closed"
    sent = ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    assert check(start.asked(), "2025-11-25") == sent


@pytest.mark.parametrize("code", [-32601, -32602, -32600, -32000, 0])
def test_no_single_code_means_legacy(start, code):
    with start(
        f"for asked in messages(): refuse(asked['id'], {code}) if asked['method'] == 'server/discover' else legacy(asked)"
    ) as session:
        assert session.era == "legacy"
        assert session.notes == []


def test_a_child_that_dies_of_the_probe_is_started_again_once(start):
    with start(
        "for asked in messages():\n  if asked['method'] == 'server/discover': sys.exit(3)\n  legacy(asked)"
    ) as session:
        assert (session.era, len(names(session))) == ("legacy", 3)
        assert any("started again" in note for note in session.notes)
    assert [message["method"] for message in start.asked()][:3] == [
        "server/discover",
        "initialize",
        "notifications/initialized",
    ]


@pytest.mark.parametrize("first", ["pass", "refuse(asked['id'], -32600)"])
def test_a_child_that_dies_of_the_probe_only_at_the_next_message_is_started_again_once(start, first):
    dying = f"""
probed = False
for asked in messages():
    if asked["method"] == "server/discover":
        probed = True
        {first}
    elif probed: sys.exit(1)
    else: legacy(asked)
"""
    with start(dying, timeout=0.5) as session:
        assert (session.era, len(names(session))) == ("legacy", 3)
        assert any("started again" in note for note in session.notes)
    sent = [message["method"] for message in start.asked()]
    assert sent == ["server/discover", "initialize", "initialize", "notifications/initialized", "tools/list"]


def test_a_child_that_dies_of_the_handshake_is_started_again_once_only(start):
    with pytest.raises(NoSessionError):
        start("for asked in messages():\n  if asked['method'] == 'initialize': sys.exit(1)", timeout=0.5)
    assert [message["method"] for message in start.asked()] == ["server/discover", "initialize", "initialize"]


def test_a_child_that_always_dies(start):
    with pytest.raises(NoSessionError) as caught:
        start("print('no license key', file=sys.stderr); sys.exit(7)")
    assert caught.value.rule == "unreachable"
    assert "no license key" in str(caught.value)
    assert caught.value.args_by_name["stderr"] == ["no license key"]


def test_a_silent_probe_means_legacy(start):
    silent = "for asked in messages():\n  if asked['method'] != 'server/discover': legacy(asked)"
    with start(silent, timeout=0.5) as session:
        assert session.era == "legacy"
        assert any("silent" in note for note in session.notes)


def test_a_modern_server_that_answers_the_probe_too_late(start):
    slow = """
late = []
for asked in messages():
    if asked["method"] == "server/discover": late.append(asked)
    else:
        while late: modern(late.pop())
        modern(asked)
"""
    with start(slow, timeout=0.5) as session:
        assert session.era == "modern"
        assert names(session) == ["pick", "prune", "ripen"]
        assert session.anomalies == []


def test_a_child_that_hangs(start):
    with pytest.raises(NoSessionError, match="did not answer initialize within") as caught:
        start("for asked in messages(): pass", timeout=0.3)
    assert caught.value.rule == "timed-out"


def test_the_deadline_holds_for_all_together(start):
    with pytest.raises(NoSessionError, match="deadline") as caught:
        start("for asked in messages(): pass", timeout=60, deadline=Deadline(0.5))
    assert caught.value.rule == "timed-out"


def test_a_modern_error_never_falls_back(start):
    with pytest.raises(NoSessionError) as caught:
        start("for asked in messages(): refuse(asked['id'], -32022, data={'supported': ['2030-01-01']})")
    assert caught.value.rule == "handshake-failed"
    assert [message["method"] for message in start.asked()] == ["server/discover"]


def test_a_wanted_era(start):
    with start(LEGACY, era="legacy") as session:
        assert session.era == "legacy"
    assert start.asked()[0]["method"] == "initialize"
    with pytest.raises(NoSessionError):
        start(LEGACY, era="modern")


def test_junk_is_reported_by_line_and_passed_over(start):
    noisy = """
say(b"Orchard server v1 ready\\n\\n")
say(b"\\x1b[32mok\\x1b[0m\\n{\\"level\\": \\"info\\"}\\n")
say(b"\\xff\\xfe bytes\\n")
for asked in messages(): legacy(asked)
"""
    with start(noisy) as session:
        assert len(names(session)) == 3
        seen = [(anomaly.kind, anomaly.where) for anomaly in session.anomalies]
    assert seen == [("junk-line", f"stdout line {number}") for number in (1, 3, 4, 5)]
    assert session.anomalies[0].detail == "Orchard server v1 ready"
    assert r"\xff\xfe" in session.anomalies[3].detail


@pytest.mark.parametrize(
    ("code", "rule", "places"),
    [
        ("say(b'Orchard v1\\n')\nfor asked in messages(): pass", "timed-out", [1]),
        ("say(b'Orchard v1\\n> ')\nfor asked in messages(): pass", "timed-out", [1, 2]),
        ("say(b'Orchard v1\\n{')\nfor asked in messages(): pass", "timed-out", [1]),
        ("say(b'Orchard v1\\nno key')\nsys.exit(3)", "unreachable", [1, 2]),
    ],
)
def test_junk_before_a_handshake_that_never_ends_is_evidence(start, code, rule, places):
    with pytest.raises(NoSessionError) as caught:
        start(code, timeout=0.3)
    seen = list(dict.fromkeys(caught.value.anomalies))
    assert caught.value.rule == rule
    assert [(anomaly.kind, anomaly.where) for anomaly in seen] == [("junk-line", f"stdout line {n}") for n in places]
    assert seen[0].detail == "Orchard v1"


def test_a_line_that_ends_late_is_told_once(start):
    slow = """
say(b"> ")
for asked in messages():
    if asked["method"] == "initialize": say(b"ready\\n")
    legacy(asked)
"""
    with start(
        slow.replace("legacy(asked)", "if asked['method'] != 'server/discover': legacy(asked)"), timeout=0.5
    ) as session:
        assert len(names(session)) == 3
        assert [anomaly.where for anomaly in session.anomalies] == ["stdout line 1"]


def test_crlf_and_a_byte_order_mark_are_accepted_and_reported(start):
    windows = """
def say(value): sys.stdout.buffer.write(b"\\xef\\xbb\\xbf" + json.dumps(value).encode() + b"\\r\\n"); sys.stdout.buffer.flush()
for asked in messages(): legacy(asked)
"""
    with start(windows) as session:
        assert len(names(session)) == 3
        assert {anomaly.kind for anomaly in session.anomalies} == {"crlf", "bom"}


def test_joined_and_cut_messages(start):
    glued = """
for asked in messages():
    if asked["method"] == "tools/list":
        say(b'{"jsonrpc": "2.0", "id": 3, "res\\n')
        say(b'{"jsonrpc":"2.0","method":"notifications/message"}' + json.dumps(
            {"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": TOOLS}}).encode() + b"\\n")
    else: legacy(asked)
"""
    with start(glued) as session:
        assert len(names(session)) == 3
        assert [anomaly.kind for anomaly in session.anomalies] == ["invalid-json", "joined-json"]


def test_a_last_line_without_an_ending(start):
    final = """
for asked in messages():
    if asked["method"] == "tools/list":
        say(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": TOOLS}}).encode()); break
    legacy(asked)
"""
    with start(final) as session:
        assert len(names(session)) == 3
        with pytest.raises(ObservationError, match="ended with exit code 0 before it answered"):
            names(session)


def test_a_wrong_id_is_reported_and_waited_past(start):
    wrong = """
for asked in messages():
    if asked["method"] == "tools/list": answer(str(asked["id"]), {}); answer(None, {})
    legacy(asked)
"""
    with start(wrong) as session:
        assert len(names(session)) == 3
        assert [anomaly.kind for anomaly in session.anomalies] == ["wrong-id", "wrong-id"]


def test_an_answer_that_never_comes_is_cancelled(start):
    deaf = "for asked in messages():\n  if asked['method'] != 'tools/list': legacy(asked)"
    with start(deaf) as session:
        with pytest.raises(ObservationError) as caught:
            session.request("tools/list", timeout=0.2)
        assert caught.value.rule == "timed-out"
    last = start.asked()[-1]
    assert (last["method"], last["params"]["requestId"]) == ("notifications/cancelled", 3)
    check(start.asked(), "2025-11-25")


def test_notices_before_and_after_an_answer_keep_their_order(start):
    chatty = """
def note(text): return json.dumps({"jsonrpc": "2.0", "method": "notifications/" + text}).encode() + b"\\n"
for asked in messages():
    if asked["method"] == "tools/list":
        body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": TOOLS}}).encode() + b"\\n"
        say(note("one") + note("two") + body + note("three"))
    else: legacy(asked)
"""
    with start(chatty) as session:
        names(session)
        assert [notice.method for notice in session.notices] == ["notifications/one", "notifications/two"]
        names(session)
        assert [notice.method[14:] for notice in session.notices] == ["one", "two", "three", "one", "two"]
        numbers = [notice.number for notice in session.notices]
        assert numbers == sorted(set(numbers))


def test_requests_of_the_server_are_answered(start):
    asking = """
for asked in messages():
    if asked.get("method") == "tools/list":
        say({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        say({"jsonrpc": "2.0", "id": "r", "method": "roots/list"})
        replies = [next(messages_), next(messages_)]
    legacy(asked)
""".replace("for asked in messages():", "messages_ = messages()\nfor asked in messages_:")
    with start(asking) as session:
        assert len(names(session)) == 3
    replies = start.asked()[-2:]
    assert replies[0] == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert (replies[1]["id"], replies[1]["error"]["code"]) == ("r", -32601)


def test_a_flood_on_stderr_does_not_stop_the_conversation(start):
    flood = "sys.stderr.write('x' * 3_000_000)\nfor asked in messages(): legacy(asked)"
    with start(flood) as session:
        assert len(names(session)) == 3


def test_a_flood_of_junk_ends_in_time_and_is_not_all_kept(start):
    with pytest.raises(NoSessionError) as caught:
        start("while True: say(b'junk\\n' * 1000)", timeout=0.5, deadline=Deadline(3))
    assert caught.value.rule == "timed-out"
    assert 0 < len(caught.value.anomalies) <= 1000
    assert caught.value.anomalies[0].kind == "junk-line"


def test_a_flood_of_notices_is_not_all_kept(start):
    flood = """
for asked in messages():
    if asked["method"] == "tools/list":
        for _ in range(1500): say({"jsonrpc": "2.0", "method": "notifications/message"})
        for _ in range(5): say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 9_000_000}})
    legacy(asked)
"""
    with start(flood, timeout=10) as session:
        heard = []
        session.on_notice = lambda notice: heard.append(notice.method)
        assert len(names(session)) == 3
        assert (len(heard), len(session.notices)) == (1505, 1000)


def test_a_list_of_twenty_megabytes_in_one_line(start):
    large = """
for asked in messages():
    if asked["method"] == "tools/list": answer(asked["id"], {"tools": [{"name": "a", "description": "x" * 20_000_000}]})
    else: legacy(asked)
"""
    with start(large) as session:
        reply = session.request("tools/list")
        assert reply.size > 20_000_000
        assert reply.raw["result"] is reply.result


def test_a_command_that_is_not_there():
    with pytest.raises(ObservationError) as caught:
        open_stdio(["/no/such/program"], deadline=Deadline(5))
    assert caught.value.rule == "unreachable"
    with pytest.raises(UsageError):
        open_stdio([], deadline=Deadline(5))

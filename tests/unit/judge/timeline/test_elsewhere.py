"""What one session was sent says something of another one only where the server had no reason to tell them apart."""

import pytest

from diagnose.evidence.recording import Recording
from diagnose.judge.timeline import read
from diagnose.judge.timeline.elsewhere import sights

SAMPLING = {"sampling": {}}


def session(number, capabilities, tool):
    """The lines of one session: a handshake with these capabilities, and a list of one tool."""
    hello = {"protocolVersion": "2025-11-25", "clientInfo": {"name": f"c{number}"}, "capabilities": capabilities}
    welcome = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "orchard"}, "capabilities": {"tools": {}}}
    tools = [{"name": tool, "inputSchema": {"type": "object"}}]
    for method, params, result in (("initialize", hello, welcome), ("tools/list", {}, {"tools": tools})):
        place = {"channel": f"h{number}{method}", "session": f"fp:{number}"}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {} if method == "initialize" else {"mcp-session-id": f"fp:{number}"}
        asked = {"from": "client", "kind": "request", "method": "POST", "path": "/mcp", "headers": headers}
        yield {"t": number, **asked, **place, "message": message}
        answer = {"jsonrpc": "2.0", "id": 1, "result": result}
        told = {"mcp-session-id": f"fp:{number}"}
        yield {"t": number, "from": "server", "kind": "response", "status": 200, "headers": told, **place} | {
            "message": answer
        }


@pytest.mark.parametrize(("second", "seen"), [({}, 1), (SAMPLING, 0)])
def test_a_client_that_can_do_more_may_be_shown_more(second, seen):
    header = {"schema": "diagnose.recording/1", "transport": "http"}
    lines = [header, *session(1, {}, "pick_apples"), *session(2, second, "ask_a_model")]
    line = read(Recording.of_objects(lines))
    first = line.sessions[0]
    assert [len(each.walks) for each in line.sessions] == [1, 1]
    assert len(list(sights(line, first, [line]))) == seen

"""Rules that are no causes: why a layer could not be observed. Each leaves the verdict open (exit 3)."""

from __future__ import annotations

from diagnose.evidence.observation import LADDER
from diagnose.judge.catalogue.row import Row

ROWS = (
    Row(
        kind="rule",
        name="unreachable",
        layers=LADDER,
        state=None,
        meaning="Nobody answered: no name, no connection, no TLS, or a command that does not start.",
        shown="The failure of the connection itself; a server that answers with an error is reachable.",
        remedy="Check address, port, certificate and proxy, or that the command runs by itself.",
        next=("Check that the server runs and that {target} is its address, from this very machine.",),
    ),
    Row(
        kind="rule",
        name="handshake-failed",
        layers=LADDER,
        state=None,
        meaning="Somebody answers, but neither era of the protocol could be agreed on.",
        shown="Discovery and `initialize` both failed, or the server named a version that is not known.",
        remedy="Check that the address is the MCP endpoint itself, and which protocol versions the server speaks.",
        next=(
            "Check that {target} is the MCP endpoint itself, whose path is often /mcp; try --era legacy and --era modern.",
        ),
    ),
    Row(
        kind="rule",
        name="timed-out",
        layers=LADDER,
        state=None,
        meaning="An answer did not come in time.",
        shown="The limit of one request, or the deadline of the whole command.",
        remedy="Look whether the server hangs; allow more time with --timeout and --deadline.",
        next=("Look whether the server hangs on this request; allow more with --timeout and --deadline.",),
    ),
    Row(
        kind="rule",
        name="limit-exceeded",
        layers=LADDER,
        state=None,
        meaning="An answer was larger or longer than this program reads.",
        shown="The bound that was met: bytes, pages, tools or depth.",
        remedy="Find out why the list is that large: one description, or pages without end.",
        next=("Find out why the answer is that large: one definition, or pages that never end.",),
    ),
)

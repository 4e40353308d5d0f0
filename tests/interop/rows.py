"""The servers of others: how each is started, and the truth about it, as their own documentation and clients have it."""

from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEGACY = "2025-11-25"
MODERN = "2026-07-28"
ORCHARD = ("pick_apples", "prune_tree")
GRAFANA = {"GRAFANA_URL": "http://127.0.0.1:1"}
EVERYTHING = "{modules}/@modelcontextprotocol/server-everything/dist/index.js"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One server over one transport.

    ``versions`` are those it agrees on, by era; ``list_changed`` is what it declares, by era. ``names`` may be a few of
    ``count``. Words in braces are places of the peer.
    """

    peer: str
    transport: str
    command: tuple
    info: str
    versions: dict
    list_changed: dict
    names: tuple = ORCHARD
    count: int = len(ORCHARD)
    env: dict = field(default_factory=dict)
    path: str = "/mcp"
    ttl: dict = field(default_factory=dict)

    @property
    def id(self):
        return f"{self.peer}-{self.transport}"

    @property
    def best(self):
        """The era that a client that speaks both must end up in."""
        return "modern" if "modern" in self.versions else "legacy"


def sdk(peer, program, transports, versions, list_changed, *arguments, info=None, **more):
    """Rows of a server program of ours on an SDK of others."""
    start = "{node}" if program.endswith(".cjs") else "{python}"
    for transport in transports:
        yield Row(
            peer=peer,
            transport=transport,
            command=(start, f"{{servers}}/{program}", transport, *arguments),
            info=info or f"orchard on {peer.replace('-', ' ')}",
            versions=versions,
            list_changed=list_changed,
            path="/sse" if transport == "sse" else "/mcp",
            **more,
        )


def foreign(peer, transport, *command, **more):
    return Row(peer=peer, transport=transport, command=command, path="/sse" if transport == "sse" else "/mcp", **more)


BOTH = {"legacy": LEGACY, "modern": MODERN}
HINTS = {"modern": (0, "private")}
OURS = (
    *sdk(
        "mcp-1-0",
        "mcp_1_0.py",
        ("stdio", "sse"),
        {"legacy": "2024-11-05"},
        {"legacy": False},
        info="orchard on mcp 1.0",
    ),
    *sdk(
        "mcp-1",
        "mcp_1.py",
        ("stdio", "http", "sse"),
        {"legacy": LEGACY},
        {"legacy": False},
        names=(*ORCHARD, "ripen"),
        count=3,
    ),
    *sdk("mcp-2", "mcp_2.py", ("stdio", "http"), BOTH, {"legacy": False, "modern": True}, ttl=HINTS),
    *sdk(
        "fastmcp-2",
        "fastmcp_any.py",
        ("stdio", "http"),
        {"legacy": LEGACY},
        {"legacy": True},
        "orchard on fastmcp 2",
    ),
    *sdk(
        "fastmcp-4",
        "fastmcp_any.py",
        ("stdio", "http"),
        BOTH,
        {"legacy": True, "modern": False},
        "orchard on fastmcp 4",
        ttl=HINTS,
    ),
    *sdk(
        "typescript-2",
        "typescript_2.cjs",
        ("stdio", "http"),
        BOTH,
        {"legacy": True, "modern": True},
        env={"NODE_PATH": "{modules}"},
        ttl=HINTS,
    ),
)

_EVERYTHING = {
    "info": "mcp-servers/everything",
    "versions": {"legacy": LEGACY},
    "list_changed": {"legacy": True},
    "names": ("echo", "get-sum", "get-env"),
    "count": 13,
    "env": {"PORT": "0"},
}
_GRAFANA = {
    "info": "mcp-grafana",
    "names": ("search_dashboards", "list_datasources", "query_prometheus"),
    "count": 79,
    "env": GRAFANA,
    "versions": BOTH,
    "list_changed": {"legacy": True, "modern": True},
    # It sends the hints of the modern era in the legacy one too.
    "ttl": {"legacy": (0, "private"), "modern": (0, "private")},
}
_LISTEN = ("--address", "127.0.0.1:0", "--allowed-hosts", "*")

FOREIGN = (
    foreign("everything", "stdio", "{node}", EVERYTHING, "stdio", **_EVERYTHING),
    foreign("everything", "http", "{node}", EVERYTHING, "streamableHttp", **_EVERYTHING),
    foreign("everything", "sse", "{node}", EVERYTHING, "sse", **_EVERYTHING),
    foreign("grafana", "stdio", "{bin}/mcp-grafana", **_GRAFANA),
    foreign("grafana", "http", "{bin}/mcp-grafana", "-t", "streamable-http", *_LISTEN, **_GRAFANA),
    foreign(
        "grafana",
        "sse",
        "{bin}/mcp-grafana",
        "-t",
        "sse",
        *_LISTEN,
        **{**_GRAFANA, "versions": {"legacy": LEGACY}},
    ),
    foreign(
        "mise",
        "stdio",
        "{modules}/@jdxcode/mise-linux-x64/bin/mise",
        "mcp",
        info="mise",
        versions=BOTH,
        # It declares no listChanged at all, and gives no hints in the modern era, which must have them.
        list_changed={"legacy": False, "modern": False},
        names=("run_task",),
        count=3,
    ),
)
ALL = OURS + FOREIGN

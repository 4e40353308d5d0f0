"""The names that single clients show, each as its sources or many reports have it."""

from __future__ import annotations

import re

from diagnose.clients.lens.characters import cut_in_the_middle, fingerprint, in_utf16, words_only

CODEX_LIMIT = 64
CODEX_HASH = re.compile(r"_[0-9a-f]{12}\Z")
CLINE_LIMIT = 64
CLINE_HASH = re.compile(r"_[0-9a-f]{8}\Z")
GEMINI_LIMIT = 63
ROO_LIMIT = 64
VSCODE_PREFIX = 18
VSCODE_LIMIT = 64

_HOSTED = "claude.ai "
_GEMINI = re.compile(r"[^A-Za-z0-9_.:-]")
_GEMINI_BEFORE = re.compile(r"[^A-Za-z0-9_.-]")
_VSCODE_LABEL = re.compile(r"[^a-z0-9_.-]+")
_CLINE = re.compile(r"[^A-Za-z0-9_-]+")
_ROO = re.compile(r"[^A-Za-z0-9_-]")
_LIBRECHAT = re.compile(r"[^A-Za-z0-9_.-]")


def claude_code(server: str, tool: str) -> str:
    """`mcp__<server>__<tool>`. Keys of hosted connectors lose repeated and outer underscores, too."""
    key = words_only(in_utf16(server))
    if server.startswith(_HOSTED):
        key = re.sub("_+", "_", key).strip("_")
    return f"mcp__{key}__{words_only(in_utf16(tool))}"


def codex(server: str, tool: str) -> str:
    """`mcp__<server>__<tool>`: a namespace and a name; measured on 0.171.0, which cuts no long name."""
    return f"mcp__{words_only(server)}__{words_only(tool)}"


def codex_alone(server: str, tool: str) -> str:
    """Spell the name inside its namespace."""
    del server
    return words_only(tool)


def codex_namespace(server: str, tool: str) -> str:
    """`<server>__<tool>`: the namespace without the historical prefix."""
    return f"{words_only(server)}__{words_only(tool)}"


def codex_cut(server: str, tool: str) -> str:
    """Older versions: at most 64 bytes, of a longer name the tool is cut, and twelve digits tell it apart."""
    name = codex(server, tool)
    if len(name) <= CODEX_LIMIT:
        return name
    return _codex_fitted(f"mcp__{words_only(server)}", words_only(tool), _codex_identity(server, tool))


def codex_twin(server: str, tool: str, shown: str) -> str:
    """Tell apart a tool whose name, written in allowed characters, is that of another tool of its server."""
    return f"{shown}_{fingerprint(_codex_identity(server, tool), 12)}"


def _codex_fitted(namespace: str, name: str, identity: str) -> str:
    mark = f"_{fingerprint(identity, 12)}"
    room = CODEX_LIMIT - len(namespace) - 2
    if room >= len(mark):
        return f"{namespace}__{name[: room - len(mark)]}{mark}"
    return f"{namespace[: CODEX_LIMIT - 2 - len(mark)]}__{mark}"


def _codex_identity(server: str, tool: str) -> str:
    """Return what the hash is taken of: server, namespace, no connector, callable name, name on the wire."""
    return f"{server}\0{server}\0\0{tool}\0{tool}"


def gemini(server: str, tool: str) -> str:
    """`mcp_<server>_<tool>`; of more than 63 characters the first and last thirty, with three dots between.

    A key that begins with `mcp_` gets no second prefix (mcp-tool.js of 0.61.0).
    """
    name = f"{server}_{tool}"
    name = _GEMINI.sub("_", in_utf16(name if name.startswith("mcp_") else f"mcp_{name}"))
    return cut_in_the_middle(name, limit=GEMINI_LIMIT, head=30, tail=30, mark="...")


def gemini_before(server: str, tool: str) -> str:
    """Older versions: the tool's own name, in which underscores stand for what is cut out of the middle."""
    del server
    return cut_in_the_middle(_GEMINI_BEFORE.sub("_", tool), limit=GEMINI_LIMIT, head=28, tail=32, mark="___")


def gemini_before_twin(server: str, tool: str) -> str:
    """Older versions, where two servers had one name: `<server>__<tool>`."""
    return gemini_before("", f"{server}__{tool}")


def cline(server: str, tool: str) -> str:
    """`<server>__<tool>`; changed or longer than 64, it is cut and gets eight digits of a hash of the whole."""
    raw = f"{server}__{tool}"
    name = _CLINE.sub("_", raw)
    if name == raw and len(raw) <= CLINE_LIMIT:
        return raw
    return f"{name[: CLINE_LIMIT - 9] or 'mcp_tool'}_{fingerprint(raw, 8)}"


def roo(server: str, tool: str) -> str:
    """`mcp--<server>--<tool>`, cut at 64: characters are deleted, so that no way leads back."""
    return f"mcp--{_roo_part(server)}--{_roo_part(tool)}"[:ROO_LIMIT]


def roo_underscores(server: str, tool: str) -> str:
    """Write the same as models write it back: underscores for the hyphens between the parts."""
    return f"mcp__{_roo_part(server)}__{_roo_part(tool)}"[:ROO_LIMIT]


def _roo_part(name: str) -> str:
    if not name:
        return "_"
    part = re.sub("--+", "-", _ROO.sub("", re.sub(r"\s+", "_", name)))
    if part and not re.match("[A-Za-z_]", part):
        part = "_" + part
    return part or "_unnamed"


def vscode(server: str, tool: str) -> str:
    """`mcp_<server>_<tool>`: of the label in lower case at most thirteen characters, of the whole at most 64."""
    return vscode_numbered(server, tool, 1)


def vscode_numbered(server: str, tool: str, number: int) -> str:
    """Spell the same for the server that is the ``number``-th with this shortened label; the first has no number."""
    label = _VSCODE_LABEL.sub("_", server.lower())[: VSCODE_PREFIX - len("mcp_") - 1]
    name = f"mcp_{label}{'' if number < 2 else number}_{words_only(in_utf16(tool))}"
    return name.replace(".", "_")[:VSCODE_LIMIT]


def cursor(server: str, tool: str) -> str:
    """`mcp_<server>_<tool>`, as model output shows it."""
    return f"mcp_{server}_{tool}"


def goose(server: str, tool: str) -> str:
    """`<extension>__<tool>`: the extension in lower case, without white space."""
    key = "".join(each if re.match("[a-z0-9_-]", each) else "_" for each in "".join(server.split()).lower())
    return f"{key}__{tool}"


def librechat(server: str, tool: str) -> str:
    """`<tool>_mcp_<server>`."""
    key = _LIBRECHAT.sub("_", server)
    return f"{tool}_mcp_{key if key == server else key.strip('_')}"


def open_webui(server: str, tool: str) -> str:
    """`<server id>_<tool>`."""
    return f"{server}_{tool}"


def zed_permission(server: str, tool: str) -> str:
    """`mcp:<server>:<tool>`, as settings and permissions name a tool."""
    return f"mcp:{server}:{tool}"


def underscored(server: str, tool: str) -> str:
    """`<server>_<tool>`, as fastmcp names the tools of several servers."""
    return f"{server}_{tool}"


def dotted(server: str, tool: str) -> str:
    """`<server>.<tool>`."""
    return f"{server}.{tool}"


def coloned(server: str, tool: str) -> str:
    """`<server>:<tool>`."""
    return f"{server}:{tool}"

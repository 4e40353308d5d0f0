"""What of a client's files is never to be moved: its configuration, and where it keeps logins. Pure: paths come as parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from diagnose.clients.entry import Statement
from diagnose.clients.playbook import CLIENTS

#: Where clients keep logins, as the ends of paths; a folder stands for all that is in it. From their documentation and
#: sources; an editor keeps the logins of its extensions in one database, among much else.
_LOGINS: dict[str, tuple[str, ...]] = {
    "claude-code": (".claude/.credentials.json",),
    "claude-desktop": ("Claude/config.json",),
    "cursor": (".config/cursor/auth.json", ".cursor/cli-config.json"),
    "codex": (".codex/auth.json", ".codex/.credentials.json"),
    "gemini-cli": (
        ".gemini/oauth_creds.json",
        ".gemini/google_accounts.json",
        ".gemini/mcp-oauth-tokens.json",
        ".gemini/mcp-oauth-tokens-v2.json",
        ".gemini/gemini-credentials.json",
    ),
    "windsurf": (".codeium/config.json",),
    "cline": (".cline/data/secrets.json",),
    "goose": ("goose/secrets.yaml", "goose/config/secrets.yaml"),
    "open-webui": ("webui.db", ".webui_secret_key"),
    "jetbrains": ("c.kdbx", "c.pwd"),
    "fastmcp": (".fastmcp/oauth-mcp-client-cache",),
    "mcporter": (".mcporter/credentials.json",),
}
_CONFIGURATION = "the configuration"
#: What the programs of clients are called that have a folder of their own in a home.
PROGRAMS: dict[str, tuple[str, ...]] = {
    "claude-code": ("claude",),
    "claude-desktop": ("claude", "Claude", "Claude.exe"),
    "cursor": ("cursor", "Cursor", "cursor-agent"),
    "codex": ("codex", "Codex"),
    "vscode": ("code", "Code"),
    "gemini-cli": ("gemini",),
    "windsurf": ("windsurf", "Windsurf"),
    "zed": ("zed", "zeditor"),
    "cline": ("cline",),
    "goose": ("goose", "goosed"),
}
#: What is known of the files that clients keep for themselves, for whoever thinks of moving one.
CAUTIONS: dict[str, Statement] = {
    "claude-code": Statement(
        text="Reconnect in /mcp drops what it cached of a server, and MCP_DISCOVERY_CACHE=0 leaves the cache out: no file has to be moved.",
        source="code.claude.com/docs/en/mcp",
        confidence="high",
    ),
    "claude-desktop": Statement(
        text="No file of its profile is documented as one that may be reset: what a connector shows is kept by the vendor, not there.",
        source="anthropics/claude-ai-mcp#45, #1044",
        confidence="medium",
    ),
    "codex": Statement(
        text="Its catalogue of apps is read from its cache once a process, and is private: a move shows in a new process only.",
        source="openai/codex codex_apps_cache.rs",
        confidence="high",
    ),
    "vscode": Statement(
        text="MCP: Reset Cached Tools drops what it cached; that lies in a database with logins, which is never moved.",
        source="microsoft/vscode-docs mcp-servers.md",
        confidence="medium",
    ),
}
#: Names of files and folders that hold credentials, whosever they are, with all that is in them.
_CREDENTIALS = frozenset(
    {
        ".aws",
        ".azure",
        ".docker",
        ".gnupg",
        ".kube",
        ".mcp-auth",
        ".netrc",
        ".npmrc",
        ".password-store",
        ".pgpass",
        ".pypirc",
        ".ssh",
        "_netrc",
        "auth.json",
        "keychains",
        "keyrings",
        "login data",
        "local state",
        "local storage",
        "state.vscdb",
    }
)
_STEMS = ("credential", "secret", "password", "cookies", "oauth")
_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore", ".jks")
_SETTINGS = frozenset({"config.json", "config.toml", "config.yaml", "config.yml", "settings.toml", "settings.yaml"})


def guarded(parts: Sequence[str]) -> str | None:
    """Return what a path is, or leads through, if that is never to be moved; in words. None for anything else.

    ``parts`` are those of an absolute path. Names are compared without case, as two of the three systems do.
    """
    ways = (guarded_itself(parts[:length], above=length < len(parts)) for length in range(1, len(parts) + 1))
    return next((what for what in ways if what is not None), None)


def guarded_itself(parts: Sequence[str], *, above: bool = False) -> str | None:
    """Return what a path is, whatever it leads through; the name alone says less of a folder ``above`` what is meant."""
    name = parts[-1].casefold()
    for end, what in _ends().get(name, ()):
        if tuple(part.casefold() for part in parts[-len(end) :]) == end:
            return what
    if name in _CREDENTIALS:
        return "a place for credentials"
    return None if above else _named(name)


def owner(parts: Sequence[str]) -> str | None:
    """Return the id of the client in whose own folder a path lies, as `.codex/cache` does; None where that is not known."""
    folder = [part.casefold() for part in parts[:-1]]
    for own, name in _folders():
        if any(tuple(folder[place : place + len(own)]) == own for place in range(len(folder) - len(own) + 1)):
            return name
    return None


def _named(name: str) -> str | None:
    stem = name.partition(".")[0] or name
    secret = any(each in name for each in _STEMS) or stem.endswith(("token", "tokens"))
    if secret or name.startswith((".env", "id_rsa", "id_ed25519")) or name.endswith(_ENDINGS):
        return "a place for credentials, by its name"
    # A client may be told to keep its configuration in another folder; the name stays.
    configures = any(what.startswith(_CONFIGURATION) for _, what in _ends().get(name, ()))
    return "a configuration file" if name in _SETTINGS or configures else None


@cache
def _ends() -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """Return the ends of paths that are guarded, each with what is there, by their last name; configuration first."""
    found: dict[tuple[str, ...], str] = {}
    for entry in CLIENTS:
        for file in entry.configuration:
            for template in file.paths.values():
                found.setdefault(_end(template.partition("/")[2]), f"{_CONFIGURATION} of {entry.name}")
        for path in _LOGINS.get(entry.id, ()):
            found.setdefault(_end(path), f"where {entry.name} keeps logins")
    names = {end[-1] for end in found}
    return {name: tuple((end, what) for end, what in found.items() if end[-1] == name) for name in names}


def _end(path: str) -> tuple[str, ...]:
    return tuple(path.casefold().split("/"))


@cache
def _folders() -> tuple[tuple[tuple[str, ...], str], ...]:
    """Return the folders that a client has for itself, each with what stands before it: `.codex`, `.config/goose`."""
    found: dict[tuple[str, ...], str] = {}
    for entry in CLIENTS:
        for file in entry.configuration:
            for template in file.paths.values():
                head, *rest = template.casefold().split("/")
                way = ["roaming", *rest] if head == "{appdata}" else rest
                own = next((place for place, part in enumerate(way[:-1]) if part not in _SHARED), None)
                if head in {"{home}", "{appdata}"} and own is not None:
                    found.setdefault(tuple(way[: own + 1]), entry.id)
    return tuple(found.items())


#: Folders of a home that belong to no client.
_SHARED = frozenset({".config", "library", "application support", "roaming"})

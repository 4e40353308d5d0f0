"""Where a client keeps its servers: the documented files, as data for whoever reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

System: TypeAlias = Literal["linux", "macos", "windows"]
Scope: TypeAlias = Literal["managed", "local", "project", "user"]
Permissions: TypeAlias = tuple[tuple[Literal["allow", "deny", "approve", "ask"], tuple[str, ...]], ...]
"""Ways to lists of shown tool names that hold for all servers, and what each list does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """One file. ``paths`` has a template for each system on which the place is documented or known.

    A template begins with `{home}`, `{appdata}`, `{project}` or `{VARIABLE}` of the environment; ``variable`` names an
    environment variable that, where it is set, replaces the folder ``default_folder`` of the templates.
    """

    paths: dict[System, str]
    form: Literal["json", "toml", "yaml"]
    """JSON may have comments and trailing commas: most clients accept them."""
    keys: tuple[str, ...]
    """The way to the object whose members are the servers."""
    scope: Scope
    variable: str | None = None
    default_folder: str | None = None
    per_project: bool = False
    """The file has a map of project folders, each with servers of its own under ``keys``, at `projects`."""
    allow: tuple[str, ...] = ()
    """Members of a server's entry that list the only tools that are offered."""
    deny: tuple[str, ...] = ()
    """Members of a server's entry that list tools that are not offered."""
    approve: tuple[str, ...] = ()
    """Members of a server's entry that list tools that need no confirmation."""
    permissions: Permissions = ()
    only_servers: tuple[str, ...] = ()
    """The way to a list of the only servers that are used."""
    not_servers: tuple[str, ...] = ()
    """The way to a list of servers that are not used."""
    official: bool = True
    """The vendor documents the path; else users report it."""


def everywhere(path: str) -> dict[System, str]:
    """Return one template for the three systems."""
    return {"linux": path, "macos": path, "windows": path}

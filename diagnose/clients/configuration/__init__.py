"""Configuration files of clients as text: the servers that they name. Whoever reads the files hands the text in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diagnose.clients.configuration.errors import ConfigurationError
from diagnose.clients.configuration.jsonc import read_jsonc
from diagnose.clients.configuration.merged import merged, stale_names
from diagnose.clients.configuration.servers import Configured, ConfiguredServer, ToolList, servers_of, switched_off
from diagnose.clients.configuration.toml_form import read_toml
from diagnose.clients.configuration.yaml_form import read_yaml

__all__ = [
    "READERS",
    "ConfigurationError",
    "Configured",
    "ConfiguredServer",
    "ToolList",
    "merged",
    "servers_of",
    "stale_names",
    "switched_off",
]

#: From a form to what reads it; each raises `ConfigurationError`, whose words quote nothing of the file.
READERS: dict[str, Callable[[str], Any]] = {"json": read_jsonc, "toml": read_toml, "yaml": read_yaml}

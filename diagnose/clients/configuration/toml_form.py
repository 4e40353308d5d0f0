"""TOML, by the standard library."""

from __future__ import annotations

from typing import Any

from diagnose.clients.configuration.errors import ConfigurationError


def read_toml(text: str) -> Any:
    """Return the table of a text. Raises `ConfigurationError`."""
    import tomllib

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        # The parser's own words may quote the file, where values are secrets: only the place is told.
        place = str(error).rpartition("(at ")[2].rstrip(")")
        raise ConfigurationError(f"it is no TOML ({place})") from error
    except RecursionError as error:
        raise ConfigurationError("it is nested too deep") from error

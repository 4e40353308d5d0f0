"""What is wrong with a configuration file that cannot be read."""

from __future__ import annotations

from diagnose.errors import InputError


class ConfigurationError(InputError):
    """A file is not what its client would read, or is beyond what is read here; the message says in which line."""

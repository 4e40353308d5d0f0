"""Find out where an MCP client's tool list went stale, and prove it. Importing this package loads nothing heavy."""

from diagnose.errors import DiagnoseError
from diagnose.version import __version__

__all__ = ["DiagnoseError", "__version__"]

"""MCP messages of both eras: parse and build, no I/O. Pure."""

"""Bytes over HTTP and subprocesses; no MCP beyond framing."""

"""Bytes over HTTP and subprocesses; no MCP beyond framing.

It exports nothing here: who asks over HTTP should not load what children need.
"""

"""Bytes over HTTP and subprocesses; no MCP beyond framing."""

from diagnose.transport.answer import Headers, HttpAnswer
from diagnose.transport.binding import Binding
from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient
from diagnose.transport.origin import Origin
from diagnose.transport.stdio import EOF, Shutdown, StdioProcess, child_environment

__all__ = [
    "EOF",
    "Binding",
    "Deadline",
    "Headers",
    "HttpAnswer",
    "HttpClient",
    "Origin",
    "Shutdown",
    "StdioProcess",
    "child_environment",
]

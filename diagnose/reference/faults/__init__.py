"""The faults: each is a small function between the client and an honest server, and is named after what finds it.

A new fault is one new function in the file of its family; a new family is one more name in the import below.
"""

from diagnose.reference.faults import (
    capability,
    definitions,
    deployed,
    eras,
    handshake,
    hints,
    manifest,
    pages,
    principals,
    signals,
    state,
    subscriptions,
    tools,
    transport,
)
from diagnose.reference.faults.declare import ERAS, FAULTS, Fault, Memory, Passing, Telling, fault, find_fault

__all__ = [
    "ERAS",
    "FAULTS",
    "Fault",
    "Memory",
    "Passing",
    "Telling",
    "capability",
    "definitions",
    "deployed",
    "eras",
    "fault",
    "find_fault",
    "handshake",
    "hints",
    "manifest",
    "pages",
    "principals",
    "signals",
    "state",
    "subscriptions",
    "tools",
    "transport",
]

"""What is known of each client, as data: the playbook, the names that it shows, and what it does to definitions. Pure."""

from __future__ import annotations

from diagnose.clients.entry import Client
from diagnose.clients.known import client, lens_for
from diagnose.clients.lens import MODEL_CARRIES, GatewayLens, Lens, NameMap, Reading, find_prefix, gateway_lens, is_cut
from diagnose.clients.playbook import CLIENTS

__all__ = [
    "CLIENTS",
    "MODEL_CARRIES",
    "Client",
    "GatewayLens",
    "Lens",
    "NameMap",
    "Reading",
    "client",
    "find_prefix",
    "gateway_lens",
    "is_cut",
    "lens_for",
]

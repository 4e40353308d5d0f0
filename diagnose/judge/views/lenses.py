"""Which lens a client's view is read through, and what its playbook entry says."""

from __future__ import annotations

from diagnose.clients import Client, Lens, client, lens_for
from diagnose.evidence.bundle import ClientEntry


def lens_of(entry: ClientEntry | None) -> Lens:
    """Return the lens of the client that was asked about; one that shows everything as it is, where none was named."""
    if entry is None:
        return Lens(client="the client")
    return lens_for(entry.id, entry.server_key, entry.other_server_keys)


def playbook_of(entry: ClientEntry | None, wire_name: str | None = None) -> Client | None:
    """Return what is known of the client that was asked about, else of the one on the wire; None for an unknown one."""
    return (client(entry.id) if entry is not None else None) or client(wire_name)

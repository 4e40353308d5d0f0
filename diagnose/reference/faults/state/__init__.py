"""Faults of what a ledger says of its state, found by `statesync`. They stand before a server that has state behind it."""

from diagnose.reference.faults.state import directives, introspection, invalidations, lists, soundness, updates

__all__ = ["directives", "introspection", "invalidations", "lists", "soundness", "updates"]

"""Snapshots, quarantine, lock and plan files.

A snapshot is a surface as it was observed, without credentials; the database keeps each definition once.
"""

from diagnose.store.errors import StoreError
from diagnose.store.location import store_path
from diagnose.store.record import NO_PRINCIPAL, Record
from diagnose.store.snapshot import Snapshot
from diagnose.store.snapshots import SnapshotStore

__all__ = ["NO_PRINCIPAL", "Record", "Snapshot", "SnapshotStore", "StoreError", "store_path"]

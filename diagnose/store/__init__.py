"""Snapshots, quarantine, lock and plan files."""

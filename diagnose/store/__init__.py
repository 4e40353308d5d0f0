"""Snapshots, quarantine, lock and plan files.

A snapshot is a surface as it was observed, without credentials; the database keeps each definition once. It exports
nothing here: who only needs to know where the database is should not load it.
"""

"""Quarantine: a client's cache file is moved to a backup beside it, and back; nothing is copied, and nothing deleted."""

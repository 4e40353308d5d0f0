"""The version, as a constant: reading package metadata would cost more than printing it."""

__version__ = "0.1.0"

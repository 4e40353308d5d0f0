"""The checks, one file a family. Pure."""

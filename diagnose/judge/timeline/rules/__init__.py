"""The rules of the wire, one small function each, one file a family."""

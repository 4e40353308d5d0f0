"""Trials of a live server: each does something, records what crosses, and returns both; the judge reads the frames."""

"""The embedded server and its faults."""

"""What was observed, and how it is kept harmless. Pure."""

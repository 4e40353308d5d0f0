"""Tools, surfaces and what sets two apart. Pure values."""

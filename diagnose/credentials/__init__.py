"""Where a token comes from and where it may go."""

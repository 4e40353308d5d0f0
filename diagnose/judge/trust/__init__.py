"""When an agent may trust what it read: the answers of a recorded session, and what was said to make them stale."""

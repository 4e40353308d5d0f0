"""Scripts that other interpreters run, each with a client in it; nothing here is imported."""

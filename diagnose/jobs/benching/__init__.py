"""The trials of the client bench: the stage that brings server, tap and client together, and what is played on it."""

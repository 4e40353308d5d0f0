"""The rules of state sync: what a server says of its state, held to what it does."""

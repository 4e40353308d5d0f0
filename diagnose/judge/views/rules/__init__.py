"""Rules over what a gateway, a client and a model show: which layer holds another list than the one before, and why."""

"""The rows, as `scripts/measure_clients.py` wrote them."""

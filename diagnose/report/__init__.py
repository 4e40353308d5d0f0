"""Renders result values; reads nothing else."""

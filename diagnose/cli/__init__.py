"""Commands: read the options, call one job, render, exit."""


def main() -> int:
    """Run the program on this process's arguments and return its exit code."""
    return 0

"""The main job, as a script: `diagnose surface` with the arguments given."""

import sys

from diagnose.cli import run

if __name__ == "__main__":
    sys.exit(run(["surface", *sys.argv[1:]], sys.stdout, sys.stderr))

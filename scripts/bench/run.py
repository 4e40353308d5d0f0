"""Run every `bench_*.py` beside this file, one after the other, and print their figures as one table.

`python scripts/bench/run.py [WORD...]` runs those with one of the words in their name; `--list` names them. Exit 1 if a limit was missed or a
bench broke.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from ratios import Figure, table


def main(words: list[str]) -> int:
    """Run the benches that were asked for, each in a process of its own."""
    if words == ["--list"]:
        print(*sorted(script.stem for script in Path(__file__).parent.glob("bench_*.py")), sep="\n")
        return 0
    figures: list[Figure] = []
    broken: list[str] = []
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        if words and not any(word in script.stem for word in words):
            continue
        print(f"{script.stem} ...", file=sys.stderr, flush=True)
        run = subprocess.run([sys.executable, str(script), "--json"], stdout=subprocess.PIPE, text=True, check=False)
        try:
            figures += [Figure(**figure) for figure in json.loads(run.stdout)]
        except ValueError:
            broken.append(f"{script.stem}: no figures, exit code {run.returncode}")
    print(table(figures))
    print(*broken, sep="\n", end="\n" if broken else "")
    return 1 if broken or not all(figure.met for figure in figures) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

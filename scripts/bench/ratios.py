"""What the benches share: figures are ratios of two jobs measured in one run, in turn, so that a busy machine hits both."""

from __future__ import annotations

import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A measured ratio and what it must be; `limit` None is a figure that only informs."""

    what: str
    ratio: float
    bound: Literal["at most", "at least"] = "at most"
    limit: float | None = None

    @property
    def met(self) -> bool:
        """Whether the ratio is within its limit."""
        if self.limit is None:
            return True
        return self.ratio <= self.limit if self.bound == "at most" else self.ratio >= self.limit


def cpu_seconds(job: Callable[[], object]) -> float:
    """Return how long this process computed for one call: for what does not wait, a busy machine changes it least."""
    start = time.process_time()
    job()
    return time.process_time() - start


def cpu_medians(jobs: Mapping[str, Callable[[], object]], *, rounds: int = 9) -> dict[str, float]:
    """Return the median time of each job; the jobs take turns, and a first round does not count."""
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for turn in range(rounds + 1):
        for name, job in jobs.items():
            spent = cpu_seconds(job)
            if turn:
                taken[name].append(spent)
    return {name: statistics.median(times) for name, times in taken.items()}


def peak() -> int:
    """Return the peak of the resident memory of this process, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage: on Linux that remembers the parent, which may have held more.
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        assert found
        return int(found[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def table(figures: Iterable[Figure]) -> str:
    """Return the figures as text, one a line."""
    lines = []
    for one in figures:
        limit = "for information" if one.limit is None else f"{one.bound} {one.limit:g}"
        lines.append(f"{one.what:<72} {one.ratio:>8.2f}   {limit:<16} {'ok' if one.met else 'MISSED'}")
    return "\n".join(lines)


def main(measure: Callable[[], list[Figure]]) -> int:
    """Measure, print a table (or JSON, with `--json`), and return 1 if a limit was missed."""
    figures = measure()
    print(json.dumps([asdict(one) for one in figures]) if "--json" in sys.argv[1:] else table(figures))
    return 0 if all(one.met for one in figures) else 1

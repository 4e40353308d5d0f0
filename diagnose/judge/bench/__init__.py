"""What a client did in the trials of the bench, measured by the frames. Pure.

A new measure is one new function in the file of its family; a new family is one more name in the import below.
"""

from __future__ import annotations

from diagnose.clients.measured import Answer
from diagnose.judge.bench import definitions, paging, sessions, signals
from diagnose.judge.bench.measures import MEASURES, Measure, Measurement, measured
from diagnose.judge.bench.trial import Held, Trial

__all__ = [
    "MEASURES",
    "Answer",
    "Held",
    "Measure",
    "Measurement",
    "Trial",
    "definitions",
    "measured",
    "paging",
    "sessions",
    "signals",
]

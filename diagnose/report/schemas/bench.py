"""The schema of `bench/1`."""

from __future__ import annotations

from diagnose.judge.bench import Answer
from diagnose.report.schemas.parts import COUNT, MOMENT, STAMP, TEXT, described, document, nullable, record, rows, words

BENCH = document(
    "bench/1",
    {
        "tool": STAMP,
        "at": MOMENT,
        "client": record(
            id=described(nullable(TEXT), "Its entry of the playbook."),
            name=described(nullable(TEXT), "What it calls itself on the wire."),
            version=nullable(TEXT),
            runner=nullable(TEXT),
            era=described(TEXT, "The era that it was told to speak; `default` where it chose by itself."),
        ),
        "measurements": rows(
            record(
                name=TEXT,
                question=TEXT,
                answer=words(Answer),
                says=described(TEXT, "What was seen, or why nothing was shown."),
                evidence=described(rows(TEXT), "Frames: a line of that trial's recording."),
            )
        ),
        "trials": rows(
            record(
                name=TEXT,
                does=TEXT,
                fault=described(nullable(TEXT), "What stood before the honest server."),
                seconds={"type": "number"},
                frames=COUNT,
            )
        ),
        "recordings": described(nullable(TEXT), "The folder that holds them, where they were kept."),
        "exitCode": {"type": "integer"},
    },
)

"""`timeline`: one recording, or those of several hops, judged by their frames alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from diagnose.evidence.bundle import WAIT, Bundle, ClientEntry, Target
from diagnose.evidence.observation import LayerName
from diagnose.judge import diagnose
from diagnose.judge.clock import moment, stamped
from diagnose.judge.timeline.unproven import unproven
from diagnose.record import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnose.judge.diagnosis import Diagnosis
    from diagnose.judge.timeline import Timeline

_UNSEEN = "a recording was read, and nobody was asked"
_NOT_ASKED: Mapping[LayerName, str] = {"deployed": _UNSEEN, "manifest": _UNSEEN, "origin": _UNSEEN}


@record
class TimelineRequest:
    """How to judge: ``wait`` is in seconds, ``client`` an id of the playbook where a person knows it."""

    client: str | None = None
    wait: float = WAIT


def judge_timelines(timelines: Sequence[Timeline], request: TimelineRequest, *, now: str) -> Diagnosis:
    """Judge what was read. ``now`` is the time to state where the recording does not tell its own."""
    first = timelines[0]
    started = first.header.started_at
    bundle = Bundle(
        created_at=stamped(started) if started is not None and moment(started) is not None else now,
        target=Target(id=first.source or "recording", transport=first.header.transport, endpoint=first.source),
        client=ClientEntry(id=request.client) if request.client is not None else None,
        wait=request.wait,
        unobserved=_NOT_ASKED,
        notes=unproven(timelines),
    )
    return diagnose(bundle, timelines=timelines)

"""What crossed between a client and a server, put in order, and the rules that judge it by its frames."""

from __future__ import annotations

from diagnose.judge.timeline.model import Client, Session, Timeline
from diagnose.judge.timeline.reader import Reader, read

__all__ = ["Client", "Reader", "Session", "Timeline", "read"]

"""A real client as a child of ours: started, made to list, asked what it holds, and ended."""

from __future__ import annotations

from diagnose.observe.bench.client import BenchClient, Plan
from diagnose.observe.bench.runners import RUNNERS, plan_for

__all__ = ["RUNNERS", "BenchClient", "Plan", "plan_for"]

"""From evidence to a diagnosis. Pure."""

from __future__ import annotations

from diagnose.judge.diagnosis import Candidate, CheckResult, Comparison, Diagnosis, Finding, Verdict
from diagnose.judge.judge import diagnose

__all__ = ["Candidate", "CheckResult", "Comparison", "Diagnosis", "Finding", "Verdict", "diagnose"]

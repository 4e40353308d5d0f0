"""Why a verdict matters, in one sentence: the second of the two that an answer begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.judge.catalogue import CATALOGUE
from diagnose.judge.checks import CHECKS
from diagnose.judge.glossary import STATE_WORDS

if TYPE_CHECKING:
    from diagnose.judge.diagnosis import Diagnosis, Finding


def reason(diagnosis: Diagnosis) -> str:
    """Return what the cause does to those who use the server; without a cause, how far such an answer reaches."""
    verdict = diagnosis.verdict
    if verdict.cause is None:
        return STATE_WORDS[verdict.state]
    return matters(verdict.cause)


def matters(rule: str) -> str:
    """Return why a rule matters: by its check, else by what the catalogue says it means, else nothing."""
    if rule in CHECKS:
        return CHECKS[rule].why
    return CATALOGUE[rule].meaning if rule in CATALOGUE else ""


def is_the_answer(finding: Finding, diagnosis: Diagnosis) -> bool:
    """Tell whether the answer has said already what this finding says."""
    return finding.rule == diagnosis.verdict.cause and finding.message == diagnosis.verdict.summary

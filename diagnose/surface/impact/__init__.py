"""What a changed tool definition does to a caller who still holds the old one."""

from __future__ import annotations

from diagnose.surface.impact.judgement import Judgement, impact_at, overall
from diagnose.surface.impact.tool import classify

__all__ = ["Judgement", "classify", "impact_at", "overall"]

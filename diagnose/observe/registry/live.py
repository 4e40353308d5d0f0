"""Which clients can be asked themselves, and by what: each is started only when it is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from diagnose.evidence.observation import Observation
from diagnose.observe.registry.claude_code import observe_claude_code
from diagnose.observe.registry.codex import observe_codex
from diagnose.observe.registry.commands import observe_cursor, observe_gemini

#: A function each: deadline, the server's key, the environment and the time in; an observation out.
ASKED: Final[Mapping[str, Callable[..., Observation]]] = {
    "codex": observe_codex,
    "claude-code": observe_claude_code,
    "cursor": observe_cursor,
    "gemini-cli": observe_gemini,
}

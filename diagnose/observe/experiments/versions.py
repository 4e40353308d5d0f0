"""Every protocol version that a server names, and some that it does not, used once: what it says against what it takes.

MCP 2026-07-28, basic/versioning and server/discover.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from diagnose.evidence.observation import Era
from diagnose.evidence.probes import Answered, VersionTried
from diagnose.observe.dialogue import Dialogue
from diagnose.observe.experiments.asking import ask_modern, exchange
from diagnose.observe.experiments.dialogues import OpenDialogue
from diagnose.observe.listing import LIST
from diagnose.wire.eras import LEGACY, MODERN
from diagnose.wire.headers import SESSION, is_session_id
from diagnose.wire.negotiation import DISCOVER, INITIALIZE, initialize_params

#: So many versions are tried; a server that names more has them tried in the order in which it names them.
MAX_TRIED: Final = 12
#: So many handshakes beside that of the newest version are worth a child each.
MAX_CHILDREN: Final = 1


def tried_versions(
    open_dialogue: OpenDialogue, discovered: Mapping[str, Any], transport: Literal["http", "stdio"]
) -> tuple[VersionTried, ...]:
    """Use each version once. Over stdio a child is started for each legacy one, so that fewer of them are tried."""
    named = [version for version in discovered.get("supportedVersions") or () if isinstance(version, str)]
    wanted = list(dict.fromkeys([*named, *MODERN, *LEGACY]))[:MAX_TRIED]
    if transport == "stdio":
        wanted = _few(wanted, named)
    capabilities = discovered.get("capabilities")
    method = LIST if isinstance(capabilities, Mapping) and "tools" in capabilities else DISCOVER
    tried = [*_modern(open_dialogue, [each for each in wanted if era_of(each) == "modern"], method)]
    tried += [(version, handshake(open_dialogue, version)) for version in wanted if era_of(version) == "legacy"]
    return tuple(_judged(version, answer, named, tried) for version, answer in tried)


def _few(wanted: Sequence[str], named: Sequence[str]) -> list[str]:
    """Leave out most of the handshakes: the newest stays, and of those that are named, first what nobody else knows."""
    legacy = [version for version in wanted if era_of(version) == "legacy" and version != LEGACY[0]]
    kept = [version for version in sorted(legacy, key=lambda each: each in LEGACY) if version in named][:MAX_CHILDREN]
    return [version for version in wanted if era_of(version) == "modern" or version == LEGACY[0] or version in kept]


def handshake(open_dialogue: OpenDialogue, version: str) -> Answered:
    """Ask `initialize` for one version as the first request of all, and end the session that comes of it."""
    with open_dialogue() as dialogue:
        answer, fields = exchange(dialogue, INITIALIZE, initialize_params(version), what=version, headers={})
        session_id = fields.get(SESSION)
        if session_id is not None and is_session_id(session_id):
            dialogue.headers = {SESSION: session_id}
        return answer


def era_of(version: str) -> Era:
    """Return the era of a version; they are dates, so that a later one than the last legacy one is modern."""
    return "legacy" if version <= LEGACY[0] else "modern"


def _modern(open_dialogue: OpenDialogue, versions: Sequence[str], method: str) -> Iterable[tuple[str, Answered]]:
    if not versions:
        return
    with open_dialogue() as dialogue:
        for version in versions:
            yield version, _use(dialogue, version, method)


def _use(dialogue: Dialogue, version: str, method: str) -> Answered:
    return ask_modern(dialogue, method, version=version, what=version)


def _judged(
    version: str, answer: Answered, named: Sequence[str], tried: Sequence[tuple[str, Answered]]
) -> VersionTried:
    era = era_of(version)
    return VersionTried(
        version=version,
        era=era,
        named=version in named,
        accepted=_legacy_accepted(version, answer) if era == "legacy" else _modern_accepted(answer, tried),
        answer=answer,
    )


def _legacy_accepted(version: str, answer: Answered) -> bool | None:
    """Tell whether the answer names the version that was asked for (MCP 2025-11-25, basic/lifecycle, Version Negotiation)."""
    if answer.result is not None:
        return answer.result.get("protocolVersion") == version
    return False if answer.refused else None


def _modern_accepted(answer: Answered, tried: Sequence[tuple[str, Answered]]) -> bool | None:
    """Tell whether it worked; an error is about the version only where the same request works with another one."""
    if answer.result is not None:
        return True
    works = any(other.result is not None for version, other in tried if era_of(version) == "modern")
    return False if answer.refused and works else None

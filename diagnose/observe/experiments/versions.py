"""Every protocol version that a server names, and some that it does not, used once: what it says against what it takes.

MCP 2026-07-28, basic/versioning and server/discover.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

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


#: Asks for a version with the older handshake, as the first request of a session of its own.
Shake: TypeAlias = Callable[[str], Answered]
Tried: TypeAlias = tuple[str, Answered]


def modern_versions(dialogue: Dialogue, discovered: Mapping[str, Any]) -> tuple[Tried, ...]:
    """Use each modern version once; none of them needs a session of its own."""
    capabilities = discovered.get("capabilities")
    method = LIST if isinstance(capabilities, Mapping) and "tools" in capabilities else DISCOVER
    wanted = [version for version in _wanted(discovered) if era_of(version) == "modern"]
    return tuple((version, ask_modern(dialogue, method, version=version, what=version)) for version in wanted)


def tried_versions(
    shake: Shake, discovered: Mapping[str, Any], modern: Sequence[Tried], transport: Literal["http", "stdio"]
) -> tuple[VersionTried, ...]:
    """Use each legacy version once, beside those of `modern_versions`.

    Over stdio a child is started for each, so that fewer of them are tried.
    """
    wanted, named = _wanted(discovered), _named(discovered)
    if transport == "stdio":
        wanted = _few(wanted, named)
    tried = [*modern, *((version, shake(version)) for version in wanted if era_of(version) == "legacy")]
    return tuple(_judged(version, answer, named, tried) for version, answer in tried)


def _named(discovered: Mapping[str, Any]) -> list[str]:
    return [version for version in discovered.get("supportedVersions") or () if isinstance(version, str)]


def _wanted(discovered: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys([*_named(discovered), *MODERN, *LEGACY]))[:MAX_TRIED]


def _few(wanted: Sequence[str], named: Sequence[str]) -> list[str]:
    """Leave out most of the handshakes: the newest stays, and of those that are named, first what nobody else knows."""
    legacy = [version for version in wanted if era_of(version) == "legacy" and version != LEGACY[0]]
    kept = [version for version in sorted(legacy, key=lambda each: each in LEGACY) if version in named][:MAX_CHILDREN]
    return [version for version in wanted if era_of(version) == "modern" or version == LEGACY[0] or version in kept]


def handshake(
    open_dialogue: OpenDialogue, version: str, then: Callable[[Dialogue, Any], None] | None = None
) -> Answered:
    """Ask `initialize` for one version as the first request of all, and end the session that comes of it.

    ``then`` may go on before with what came, where it was no refusal.
    """
    with open_dialogue() as dialogue:
        answer, fields = exchange(dialogue, INITIALIZE, initialize_params(version), what=version, headers={})
        session_id = fields.get(SESSION)
        if session_id is not None and is_session_id(session_id):
            dialogue.headers = {SESSION: session_id}
        if then is not None and answer.result is not None:
            then(dialogue, answer.result)
        return answer


def era_of(version: str) -> Era:
    """Return the era of a version; they are dates, so that a later one than the last legacy one is modern."""
    return "legacy" if version <= LEGACY[0] else "modern"


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

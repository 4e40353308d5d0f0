"""What a strict reader of the wire would refuse, and a useful one reports and passes over."""

from __future__ import annotations

from typing import Final

from diagnose.record import record

#: How much of what was received is quoted, in characters.
QUOTED: Final = 80


@record
class Oddity:
    """One flaw of what was received; its ``kind`` is one of those of `diagnose.evidence.observation.Anomaly`.

    ``where`` names the place on the wire ("stdout line 3"), ``pointer`` the place inside the message (RFC 6901, empty
    for the whole), ``detail`` quotes the first characters.
    """

    kind: str
    where: str = ""
    pointer: str = ""
    detail: str = ""


def quote(data: bytes | str) -> str:
    """Return the first characters of ``data``; bytes that are no UTF-8 are shown in hexadecimal."""
    if isinstance(data, str):
        return data[:QUOTED]
    return data[: 4 * QUOTED].decode("utf-8", "backslashreplace")[:QUOTED]

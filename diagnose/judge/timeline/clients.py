"""Which sessions are one client's: a client that comes again, by its name, once its former session is silent."""

from __future__ import annotations

from collections.abc import Sequence

from diagnose.evidence.recording import Header
from diagnose.judge.timeline.asking import is_lost
from diagnose.judge.timeline.model import Client, Session

#: User agents of HTTP libraries: many clients have them, so they name none.
_LIBRARIES = ("node", "python-httpx", "python-httpx2", "undici", "axios", "Go-http-client", "Mozilla")


def clients_of(sessions: Sequence[Session], header: Header) -> tuple[Client, ...]:
    """Join sessions into clients, in the order of their first frames.

    Two sessions of one name that were in use at one time are two clients: who shares a name shares no list.
    """
    chains: list[tuple[str, list[Session]]] = []
    for session in sessions:
        name = _name(session, header)
        chain = next(
            (chain for known, chain in reversed(chains) if known == name and _follows(chain[-1], session)), None
        )
        if chain is None:
            chains.append((name, [session]))
        else:
            chain.append(session)
    names = [name for name, _ in chains]
    return tuple(
        Client(name=name if names.count(name) == 1 else f"{name} ({chain[0].key})", sessions=tuple(chain))
        for name, chain in chains
    )


def _follows(older: Session, newer: Session) -> bool:
    """Tell whether a session was silent from the beginning of another one on, and kept no stream open for itself."""
    if older.transport == "stdio":
        return True
    listening = any(
        stream.opened is not None and (stream.closed is None or stream.closed.frame > newer.last.frame)
        for stream in older.streams
    )
    listening = listening and not any(
        is_lost(loss) and loss.refusal.at.frame < newer.first.frame for loss in older.losses
    )
    ended = older.ending.at.frame if older.ending is not None else older.last.frame
    return min(older.last.frame, ended) < newer.first.frame and not listening


def _name(session: Session, header: Header) -> str:
    told = header.client.get("name") or header.client.get("id")
    agent = session.agent if session.agent not in _LIBRARIES else None
    return session.client or agent or (told if isinstance(told, str) and told else "the client")

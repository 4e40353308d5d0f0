"""Dialogues that no handshake has opened: for requests that are to be seen as they are, without an agreement before."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeAlias

from diagnose.observe.dialogue import Dialogue
from diagnose.transport.deadline import Deadline

if TYPE_CHECKING:
    from diagnose.transport.http import HttpClient

#: Opens one, over a connection or with a child of its own, and closes it behind the block.
OpenDialogue: TypeAlias = Callable[[], AbstractContextManager[Dialogue]]


@contextmanager
def over_http(http: HttpClient, url: str, *, timeout: float) -> Iterator[Dialogue]:
    """Begin to talk to an MCP endpoint, over a connection of its own."""
    from diagnose.observe.channel_http import HttpChannel

    with http.fresh() as own:
        dialogue = Dialogue(HttpChannel(own, url, sleep=time.sleep), timeout=timeout, deadline=own.deadline)
        try:
            yield dialogue
        finally:
            dialogue.close()


@contextmanager
def over_stdio(
    command: Sequence[str], *, timeout: float, deadline: Deadline, env: Mapping[str, str] | None = None
) -> Iterator[Dialogue]:
    """Start a command and begin to talk to it."""
    from diagnose.observe.channel_stdio import StdioChannel
    from diagnose.transport.stdio import StdioProcess

    channel = StdioChannel(StdioProcess(command, deadline=deadline, env=env), deadline)
    dialogue = Dialogue(channel, timeout=timeout, deadline=deadline)
    try:
        yield dialogue
    finally:
        dialogue.close()

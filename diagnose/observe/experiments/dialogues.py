"""Dialogues that no handshake has opened: for requests that are to be seen as they are, without an agreement before."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeAlias

from diagnose.observe.dialogue import Dialogue
from diagnose.transport.deadline import Deadline

if TYPE_CHECKING:
    from diagnose.transport.http import HttpClient

#: Opens one, over a connection or with a child of its own, and closes it behind the block.
OpenDialogue: TypeAlias = Callable[[], AbstractContextManager[Dialogue]]


def over_http(http: HttpClient, url: str, *, timeout: float) -> OpenDialogue:
    """Return how to open one with an MCP endpoint."""
    from diagnose.observe.channel_http import HttpChannel

    @contextmanager
    def opened() -> Iterator[Dialogue]:
        with http.fresh() as own:
            dialogue = Dialogue(HttpChannel(own, url, sleep=time.sleep), timeout=timeout, deadline=own.deadline)
            try:
                yield dialogue
            finally:
                dialogue.close()

    return opened


def over_stdio(command: Sequence[str], *, timeout: float, deadline: Deadline) -> OpenDialogue:
    """Return how to open one with a command, which is started for it."""
    from diagnose.observe.channel_stdio import StdioChannel
    from diagnose.transport.stdio import StdioProcess

    @contextmanager
    def opened() -> Iterator[Dialogue]:
        channel = StdioChannel(StdioProcess(command, deadline=deadline), deadline)
        dialogue = Dialogue(channel, timeout=timeout, deadline=deadline)
        try:
            yield dialogue
        finally:
            dialogue.close()

    return opened

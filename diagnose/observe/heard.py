"""What can happen on a session that is held: what the server says, and how its channel for signals stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from diagnose.observe.dialogue import Notice
from diagnose.wire.subscription import LIST_CHANGED, RequestId

#: `open`: signals can be heard from now on. `absent`: there is no channel for them and will be none. `closed`: the channel
#: has ended and is opened again in ``again_in`` seconds (None: it is not). `gone`: the session itself has ended. `notice`:
#: the server said something. `over`: a subscription that was opened beside the session's own was refused or has ended.
HeardKind: TypeAlias = Literal["open", "absent", "closed", "gone", "notice", "over"]

#: What signals come on: a GET stream, the answer to `subscriptions/listen`, or the pipe (or stream) of everything else.
ChannelKind: TypeAlias = Literal["get", "listen", "shared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One thing that happened; ``at`` is in seconds of the recording, ``why`` is for people."""

    kind: HeardKind
    at: float
    notice: Notice | None = None
    why: str = ""
    clean: bool = False
    """Of `closed`: whether the server said that it was over."""
    status: int | None = None
    """Of `absent` and `closed`: the HTTP status, where one was received."""
    again_in: float | None = None
    subscription: RequestId | None = None
    """Of `over`: which one."""

    @property
    def is_signal(self) -> bool:
        """Whether the server says that its tool list has changed."""
        return self.notice is not None and self.notice.method == LIST_CHANGED

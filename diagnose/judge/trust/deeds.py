"""What matters of a session for the state behind it: calls and reads, what was announced, subscribed to and listed.

The ledger writes these values while messages come in; everybody else only reads them. Of arguments and answers it keeps
keyed digests, and of the answers of a manifest what the manifest lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.model import Session
from diagnose.statesync import PlacedTag

ToolDefinition = Mapping[str, Any]


def addresses(notifications: Mapping[str, Any] | None) -> list[str]:
    """Return the resources that a filter names, as a client asked for it or a server granted it."""
    uris = (notifications or {}).get("resourceSubscriptions")
    return [uri for uri in uris if isinstance(uri, str)] if isinstance(uris, list) else []


@dataclass(slots=True, kw_only=True)
class Deed:
    """One `tools/call`, `resources/read` or `prompts/get`. ``name`` is the tool's on the wire, the URI, the prompt's."""

    kind: Literal["call", "read", "prompt"]
    name: str
    session: Session
    asked: Moment
    id: Any = None
    choices: Mapping[str, str] = field(default_factory=dict)
    """Arguments that choose from an enumeration of the tool's own schema, such as the action of a grouped tool."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """The digest of each argument, by its name."""
    answered: Moment | None = None
    outcome: Literal["pending", "ok", "error", "refused", "unfinished"] = "pending"
    """`error` is a result that says so, `refused` a JSON-RPC error or a status, `unfinished` a result that is not the last."""
    tags: tuple[PlacedTag, ...] = ()
    answer: str | None = None
    """The digest of the answer, without its tag."""
    shaped_like_error: bool = False
    """Whether it is no error by its flag, and its text is written as one."""
    empty: bool = False
    """Whether a read brought nothing at all."""
    ttl: int | None = None
    """For how long the answer of a read may be kept, in milliseconds, where it says so."""
    directive: str | None = None
    """The directive that the tool had in the list that was in force when it was called."""

    @property
    def end(self) -> int:
        """The frame of the answer; far behind everything while there is none."""
        return self.answered.frame if self.answered is not None else 1 << 62

    @property
    def call(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """What was asked for, so that two equal calls are equal."""
        return self.name, tuple(sorted(self.arguments.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One `notifications/resources/updated`. ``flaw`` says what is wrong with the frame; it then names no URI."""

    at: Moment
    session: Session
    uri: str | None
    flaw: str | None = None
    meant: str | None = None
    """What stands in the place of the parameters of a flawed one, if that is a text: the bare address, as a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A URI that was subscribed to, by itself (legacy) or with `subscriptions/listen`, and what the server said."""

    uri: str
    session: Session
    asked: Moment
    answered: Moment | None
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """One answer that a cache may keep: a page of a list, a discovery, a resource. ``missing`` names absent hints."""

    method: str
    session: Session
    principal: str | None
    asked: Moment
    answered: Moment
    modern: bool
    ttl: Any
    scope: Any
    missing: tuple[str, ...]
    digest: str
    cursor: bool = False
    """Whether it is a further page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A resource or a template as it was listed. ``uri`` of a template holds its variables."""

    uri: str
    name: str
    description: str
    template: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A reading of the manifest: what it holds, as parsed (None where it is no JSON object), and a digest of its text."""

    uri: str
    session: Session
    principal: str | None
    answered: Moment
    body: Mapping[str, Any] | None
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Staleness:
    """Something that was said, or is declared, to have become stale."""

    at: Moment
    session: Session
    domain: str
    cause: str | None
    """The canonical name of the call that was the cause; None of a notification that came with no such call."""
    kind: Literal["tag", "notification", "policy"]
    """`tag`, `notification` or `policy` (declared, and not said)."""
    deed: Deed | None = None

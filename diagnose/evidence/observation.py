"""What one look at one layer brought: the values that the judge reads, and nothing that it has to ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from diagnose.record import record
from diagnose.surface import Surface

LayerName: TypeAlias = Literal["deployed", "manifest", "origin", "path", "wire", "registry", "model", "baseline"]
Era: TypeAlias = Literal["modern", "legacy"]
Health: TypeAlias = Literal["ok", "degraded", "unreachable", "absent"]

#: The ladder, from the build to the model; `baseline` is the past and stands beside it.
LADDER: tuple[LayerName, ...] = ("deployed", "manifest", "origin", "path", "wire", "registry", "model")
LAYERS: tuple[LayerName, ...] = (*LADDER, "baseline")


@record
class Anomaly:
    """Something on the wire or in a definition that a strict reader would refuse.

    ``kind`` is one of `junk-line`, `crlf`, `bom`, `invalid-utf8`, `invalid-json`, `joined-json`, `duplicate-key`,
    `non-finite-number`, `lone-surrogate`, `wrong-id`, `oversized-line`, `other-event`; ``where`` says where it was seen ("stdout line
    3", "page 2 /tools/4/description"); ``detail`` holds the first characters, as received.
    """

    kind: str
    where: str
    detail: str = ""


@record
class Failure:
    """Why an observation could not be completed, or what was wrong while it was.

    ``rule`` is a name of `causes.md` (`cursor-loop`, `auth-blocked`, `unreachable`, ...); ``args`` are the structured
    facts that the message was made of.
    """

    rule: str
    message: str
    code: int | None = None
    """The JSON-RPC error code, where one was received."""
    status: int | None = None
    """The HTTP status, where one was received."""
    where: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)


@record
class Page:
    """One answer of a paged list, as received; `next_cursor` and the hints keep wrong types so that they can be told."""

    cursor: str | None
    """The cursor that was asked with; None for the first page."""
    next_cursor: Any = None
    names: tuple[Any, ...] = ()
    ttl_ms: Any = None
    cache_scope: Any = None
    revision: Any = None
    """The revision that this page advertised for itself."""
    count: Any = None
    hints: Mapping[str, Any] = field(default_factory=dict)
    """Every member of the result that is about caching, under the name that the server gave it."""


@record
class Advertised:
    """What the server says of its own list; every value as received."""

    initialize: Any = None
    """The revision in the handshake: `serverInfo.toolManifestRevision`, of `initialize` or `server/discover`."""
    initialize_meta: Any = None
    """The same in `_meta["meridian/toolManifest"].revision` of the handshake."""
    list: Any = None
    """`_meta["meridian/toolManifest"].revision` of the list."""
    count: Any = None


@record
class Observation:
    """One reading of a layer that holds a surface: all of the ladder but `deployed` and `wire`.

    ``surface`` is None unless the list was read to its end. ``samples`` are all readings of this layer that were made,
    oldest first, this one included as the last; empty when it was read once.
    """

    layer: LayerName
    surface: Surface | None = None
    complete: bool = True
    names_only: bool = False
    at: str | None = None
    source: str = ""
    principal: str | None = None
    session: str | None = None
    """Of a client: `running`, `new` or `unknown`. Of our own walks: a label that tells connections apart."""
    era: Era | None = None
    protocol_version: str | None = None
    server_info: Mapping[str, Any] | None = None
    capabilities: Mapping[str, Any] | None = None
    advertised: Advertised = Advertised()
    ttl_ms: Any = None
    cache_scope: Any = None
    pages: tuple[Page, ...] = ()
    samples: tuple[Observation, ...] = ()
    meta: Mapping[str, Any] | None = None
    """`_meta` of the (last) answer, as received."""
    anomalies: tuple[Anomaly, ...] = ()
    failure: Failure | None = None
    notes: tuple[str, ...] = ()
    """What the observer did that a reader should know, e.g. that the open endpoint was asked without a credential."""
    turn: Any = None
    """Of a model's view: the turn that it belongs to, as it was stated."""
    servers: tuple[Any, ...] = ()
    """Of a model's view: the servers with their status, as an init event gives them."""


@record
class Build:
    """What one endpoint said about the running build at one moment; None is 'not said'."""

    source: str = ""
    health: Health | None = None
    version: str | None = None
    build: str | None = None
    """A commit id. A text that is no commit id (Meridian puts its version there) is not taken for one."""
    at: str | None = None
    started_at: str | None = None


@record
class Deployment:
    """The `deployed` layer: the build that was expected, and every sample of the one that answers."""

    expected: Build | None = None
    observed: Build | None = None
    """The samples merged: the first value that was said."""
    samples: tuple[Build, ...] = ()
    source: str = ""
    failure: Failure | None = None
    anomalies: tuple[Anomaly, ...] = ()
    notes: tuple[str, ...] = ()

"""The form of a playbook entry: what is known of one client, each statement with its source and its confidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from diagnose.clients.config_file import ConfigFile
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.rules import Rewriting

Confidence: TypeAlias = Literal["high", "medium", "low"]
"""high: official documentation or source; medium: a maintainer, several reports, an older version; low: one report."""
Answer: TypeAlias = Literal["yes", "no", "partly", "unknown"]
Transport: TypeAlias = Literal["stdio", "http", "sse", "ws"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that is known, in a sentence, with where it is from."""

    text: str
    source: str
    confidence: Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """Whether a client does something, since which of its versions, and how that is known."""

    answer: Answer
    since: str | None = None
    """The first version that does; None where it is not known or there is none."""
    text: str
    source: str
    confidence: Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Caps of a client; None is none known. ``statement`` says where they are from."""

    tools: int | None = None
    """How many tools it holds or offers at once, all servers together."""
    description: int | None = None
    """Where it cuts descriptions, in characters."""
    statement: Statement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A public way to see what the client holds, or where it writes what it did."""

    kind: Literal["command", "api", "screen", "log"]
    what: str
    """The command, request, place on the screen or path."""
    shows: str
    session: Literal["new", "running", "either"]
    """Whose list it is: that of a session made for the question, or of one that runs."""
    source: str
    confidence: Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client: how it is recognised, how fresh it keeps its list, how a person refreshes it, and what it shows."""

    id: str
    name: str
    wire_names: tuple[str, ...] = ()
    """The names that it gives itself as `clientInfo.name` or at the head of its user agent; compared without case."""
    hosted: bool = False
    """The list is kept by the vendor, and no file or process of the user's machine holds it."""
    transports: tuple[Transport, ...]
    list_changed: Behaviour
    cursors: Behaviour
    modern: Behaviour
    """Whether it speaks 2026-07-28."""
    refresh: tuple[Statement, ...]
    """What a person does for a current list, the least disturbing first."""
    verify: tuple[Statement, ...]
    """What shows afterwards that it has helped."""
    limits: Limits = field(default_factory=Limits)
    naming: Naming = field(default_factory=Naming)
    rewriting: Rewriting = field(default_factory=Rewriting)
    views: tuple[View, ...] = ()
    configuration: tuple[ConfigFile, ...] = ()
    notes: tuple[Statement, ...] = ()
    reports: tuple[str, ...] = ()
    """Public issues about stale tools in this client."""

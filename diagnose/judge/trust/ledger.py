"""Writes down, while a recording is read, what was read and changed through it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from diagnose.judge.timeline.asking import Ask
from diagnose.judge.timeline.deeds import Moment
from diagnose.judge.timeline.model import Session
from diagnose.judge.timeline.shelf import Shelf
from diagnose.judge.trust.deeds import Deed, ListPage, Manifest, Resource, Subscription, Update
from diagnose.judge.trust.digest import answer_digest, digest, text_of
from diagnose.statesync import is_manifest_uri, read_directive, tags_in
from diagnose.surface import JsonError, parse_json
from diagnose.wire.message import Message

UPDATED = "notifications/resources/updated"
#: The lists, and the name of the member that holds each.
LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
#: Answers that carry cache hints in the modern era (MCP 2026-07-28, server/utilities/caching).
HINTED = (*LISTS, "server/discover", "resources/read")
_KINDS: Mapping[str, Literal["call", "read", "prompt"]] = {
    "tools/call": "call",
    "resources/read": "read",
    # A prompt may call tools by itself, and nothing on the wire says so.
    "prompts/get": "prompt",
}
#: So many calls and reads are kept of one recording.
MOST_DEEDS = 20_000
_MOST_RESOURCES = 10_000
_WORD = re.compile(r"[A-Za-z0-9_.-]{1,64}")
#: What an error looks like when it is written as text: `<tool_error code=…>`, `<validation_error …>`.
_ERROR = re.compile(r"\s*<(?:[a-z]+_)?error[\s>]", re.IGNORECASE)


class Ledger:
    """A witness of one recording. ``key`` is that of the digests: nobody without it can try out what an answer was."""

    def __init__(self, key: bytes = b"") -> None:
        self._key = key
        self._open: dict[int, tuple[Ask, Deed | None, Mapping[str, Any]]] = {}
        self.deeds: Shelf[Deed] = Shelf(MOST_DEEDS)
        self.updates: Shelf[Update] = Shelf(MOST_DEEDS)
        self.subscriptions: Shelf[Subscription] = Shelf(MOST_DEEDS)
        self._unsubscribed: dict[tuple[int, str], Moment] = {}
        self.pages: Shelf[ListPage] = Shelf(MOST_DEEDS)
        self.manifests: Shelf[Manifest] = Shelf(1_000)
        self.resources: dict[str, Resource] = {}
        self.resource_lists: set[str] = set()

    def asked(self, ask: Ask, message: Message) -> None:
        """See a request; see `Witness`."""
        deed: Deed | None = None
        if message.method in _KINDS:
            deed = self.deeds.put(self._deed(ask, message))
        elif message.method not in {*HINTED, "resources/subscribe", "resources/unsubscribe"}:
            return
        if len(self._open) >= MOST_DEEDS:
            self._open.pop(next(iter(self._open)))
        self._open[id(ask)] = ask, deed, message.params

    def answered(self, ask: Ask, message: Message | None, at: Moment) -> None:
        """See an answer; see `Witness`."""
        known, deed, params = self._open.pop(id(ask), (None, None, {}))
        if known is None:
            return
        result = message.result if message is not None and message.kind == "result" else None
        taken = isinstance(result, Mapping)
        if deed is not None:
            self._end(deed, result, at)
        if ask.method == "resources/subscribe":
            self._subscribed(ask, params.get("uri"), at, accepted=taken)
        uri = params.get("uri")
        if ask.method == "resources/unsubscribe" and isinstance(uri, str):
            self._unsubscribed[id(ask.session), uri] = ask.at
        if isinstance(result, Mapping) and ask.method in HINTED:
            self._listed(ask, params, result, at)

    def unsubscribed(self, subscription: Subscription) -> Moment | None:
        """Return when a subscription was taken back for the last time; None while it stands."""
        at = self._unsubscribed.get((id(subscription.session), subscription.uri))
        return at if at is not None and at.frame > subscription.asked.frame else None

    def told(self, session: Session, message: Message, at: Moment) -> None:
        """See a notification; see `Witness`."""
        if message.method != UPDATED:
            return
        params = message.raw.get("params")
        uri = params.get("uri") if isinstance(params, Mapping) else None
        if _left_out(params) or _left_out(uri):
            return
        flaw = None
        if not isinstance(params, Mapping):
            flaw = f"its params are no object but {'missing' if params is None else type(params).__name__}"
        elif not isinstance(uri, str):
            flaw = "its uri is no text" if "uri" in params else "it has no uri"
        known, meant = (value if isinstance(value, str) else None for value in (uri, params))
        self.updates.put(Update(at=at, session=session, uri=known, flaw=flaw, meant=meant))

    def _deed(self, ask: Ask, message: Message) -> Deed:
        kind = _KINDS[message.method]
        is_call = kind == "call"
        name = message.params.get("uri" if kind == "read" else "name")
        tool = name[:500] if isinstance(name, str) else ""
        given = message.params.get("arguments")
        given = given if isinstance(given, Mapping) else {}
        definition = _definition(ask.session, tool) if is_call else None
        description = definition.get("description") if definition is not None else None
        return Deed(
            kind=kind,
            name=tool,
            session=ask.session,
            asked=ask.at,
            id=ask.id,
            choices=_choices(definition, given),
            arguments={str(key): digest(value, self._key) for key, value in list(given.items())[:100]},
            directive=read_directive(description) if isinstance(description, str) else None,
        )

    def _end(self, deed: Deed, result: Any, at: Moment) -> None:
        deed.answered = at
        if not isinstance(result, Mapping):
            deed.outcome = "refused"
            return
        if result.get("resultType", "complete") != "complete":
            deed.outcome = "unfinished"
        else:
            deed.outcome = "error" if result.get("isError") else "ok"
        deed.answer = answer_digest(result, self._key)
        if deed.kind != "call":
            deed.empty = result.get("contents") == []
            deed.ttl = _time(result.get("ttlMs"))
            return
        deed.tags = tags_in(result)
        deed.shaped_like_error = deed.outcome == "ok" and _looks_like_error(result, len(deed.tags[:1]))

    def _subscribed(self, ask: Ask, uri: Any, at: Moment, *, accepted: bool) -> None:
        if isinstance(uri, str):
            self.subscriptions.put(
                Subscription(uri=uri, session=ask.session, asked=ask.at, answered=at, accepted=accepted)
            )

    def _listed(self, ask: Ask, params: Mapping[str, Any], result: Mapping[str, Any], at: Moment) -> None:
        member = LISTS.get(ask.method)
        body = result.get(member) if member is not None else None
        principal = ask.session.principal
        self.pages.put(
            ListPage(
                method=ask.method,
                session=ask.session,
                principal=principal,
                asked=ask.at,
                answered=at,
                modern=ask.session.era == "modern",
                ttl=result.get("ttlMs"),
                scope=result.get("cacheScope"),
                missing=tuple(name for name in ("ttlMs", "cacheScope") if name not in result),
                digest=digest(body, self._key),
                cursor=params.get("cursor") is not None,
            )
        )
        if ask.method in {"resources/list", "resources/templates/list"}:
            self._resources(ask.method, body)
        if ask.method == "resources/read":
            self._manifest(ask, params.get("uri"), result, at)

    def _resources(self, method: str, body: Any) -> None:
        if not isinstance(body, list):
            return
        template = method == "resources/templates/list"
        self.resource_lists.add(method)
        for entry in body:
            uri = entry.get("uriTemplate" if template else "uri") if isinstance(entry, Mapping) else None
            if isinstance(uri, str) and len(self.resources) < _MOST_RESOURCES:
                self.resources[uri] = Resource(
                    uri=uri,
                    name=str(entry.get("name", "")),
                    description=str(entry.get("description", "")),
                    template=template or "{" in uri,
                )

    def _manifest(self, ask: Ask, uri: Any, result: Mapping[str, Any], at: Moment) -> None:
        if not isinstance(uri, str) or not (is_manifest_uri(uri) or self._is_manifest(uri)):
            return
        contents = result.get("contents")
        first = contents[0] if isinstance(contents, list) and contents else None
        text = first.get("text") if isinstance(first, Mapping) else None
        if _left_out(text) or _left_out(first) or _left_out(contents):
            return
        self.manifests.put(
            Manifest(
                uri=uri,
                session=ask.session,
                principal=ask.session.principal,
                answered=at,
                body=_parsed(text),
                digest=digest(text, self._key),
            )
        )

    def _is_manifest(self, uri: str) -> bool:
        """Tell whether a resource was listed as a manifest under a URI of the server's own."""
        listed = self.resources.get(uri)
        return listed is not None and listed.name.lower() in {"mcpfusion:manifest", "vurb manifest", "fusion manifest"}


def _time(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _left_out(value: Any) -> bool:
    """Tell whether a recorder left a value out, so that nothing is known of it."""
    return isinstance(value, Mapping) and "$omitted" in value


def _parsed(text: Any) -> Mapping[str, Any] | None:
    if not isinstance(text, str):
        return None
    try:
        value = parse_json(text).value
    except JsonError:
        return None
    return value if isinstance(value, Mapping) else None


def _definition(session: Session, tool: str) -> Mapping[str, Any] | None:
    held = session.held.surface if session.held is not None else None
    found = held.by_name.get(tool) if held is not None else None
    return found[0].raw if found else None


def _choices(definition: Mapping[str, Any] | None, given: Mapping[str, Any]) -> dict[str, str]:
    """Return the arguments that choose from an enumeration; without a definition, the one that is called `action`."""
    schema = definition.get("inputSchema") if definition is not None else None
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    chosen: dict[str, str] = {}
    for name, value in list(given.items())[:100]:
        if not isinstance(value, str) or not _WORD.fullmatch(value):
            continue
        described = properties.get(name) if isinstance(properties, Mapping) else None
        values = described.get("enum") if isinstance(described, Mapping) else None
        if (isinstance(values, list) and value in values) or (definition is None and name == "action"):
            chosen[name] = value
    return chosen


def _looks_like_error(result: Mapping[str, Any], skip: int) -> bool:
    content = result.get("content")
    rest = content[skip:] if isinstance(content, list) else []
    text = text_of(rest[0]) if rest else None
    return text is not None and _ERROR.match(text) is not None

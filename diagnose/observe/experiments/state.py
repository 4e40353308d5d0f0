"""The state trial: list, read, change, and read again, so that frames show what the server says of its state.

Nothing is judged here, and nothing kept but the recording. Tools that only read by their annotations are called; any
other is called only if the caller named it and allowed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Final

from diagnose.errors import ObservationError
from diagnose.observe.held import HeldSession
from diagnose.observe.listing import ListReader
from diagnose.observe.refusal import RpcError
from diagnose.observe.session import Session
from diagnose.record import record
from diagnose.statesync import is_manifest_uri, manifest_uri, stale_uri, tags_in
from diagnose.statesync.uris import RESOURCE_UPDATED, SCHEMES
from diagnose.transport.deadline import Deadline
from diagnose.wire.subscription import NONSENSE_URI, TOOLS_FILTER, subscription_of
from diagnose.wire.uri_template import may_fit

if TYPE_CHECKING:
    from diagnose.observe.heard import Heard

#: So many tools that need no arguments are read without having been named, and so many resources.
MOST_READS: Final = 20
MOST_RESOURCES: Final = 5
#: So many domains of the policy are subscribed to as stale URIs.
MOST_DOMAINS: Final = 20
#: What comes beside the last update that is waited for comes within so many seconds.
_MOMENT: Final = 0.1
_NONSENSE_ID: Final = "state-nonsense"


@record
class StateCall:
    """A call to make. ``reads`` tells that it only reads, so that it is made again after every change."""

    tool: str
    arguments: Mapping[str, Any]
    reads: bool


@record
class Waits:
    """How long to wait for updates, in seconds: after each change, and in the end for those that are missing."""

    settle: float
    patience: float


@record
class Lists:
    """What a server listed: the definitions of its tools by name, the URIs of its resources, and its templates."""

    tools: Mapping[str, Mapping[str, Any]]
    resources: tuple[str, ...]
    templates: tuple[str, ...] = ()

    def watched(self, domains: Sequence[str] = ()) -> tuple[str, ...]:
        """Return what to subscribe to: the first resources, and the stale URIs of domains that fit a template."""
        stale = [stale_uri(domain, scheme) for domain in dict.fromkeys(domains) for scheme in SCHEMES]
        known = [uri for uri in stale if any(may_fit(template, uri) for template in self.templates)]
        return (*self.resources[:MOST_RESOURCES], *known[:MOST_DOMAINS])


def read_lists(session: Session, *, now: Callable[[], str]) -> Lists:
    """Read all the lists that a server declares. Raises ObservationError where the tools could not be listed."""
    seen = ListReader(session, now=now).read()
    if seen.surface is None:
        said = seen.failure.message if seen.failure is not None else "the tools were not listed to the end"
        raise ObservationError(said, rule="list-error")
    capabilities = session.capabilities or {}
    found: list[str] = []
    templates: list[str] = []
    for method, capability in (
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resources"),
    ):
        if capability not in capabilities:
            continue
        with suppress(RpcError):
            result = session.request(method).result
            body = result if isinstance(result, Mapping) else {}
            found += (uri for uri in _texts(body.get("resources"), "uri") if "{" not in uri)
            templates += _texts(body.get("resourceTemplates"), "uriTemplate")
    tools = {tool.name: tool.raw for tool in seen.surface.tools}
    return Lists(tools=tools, resources=tuple(found), templates=tuple(templates))


def _texts(entries: Any, name: str) -> Iterator[str]:
    for entry in entries if isinstance(entries, list) else ():
        value = entry.get(name) if isinstance(entry, Mapping) else None
        if isinstance(value, str):
            yield value


def read_manifest(session: Session, lists: Lists) -> None:
    """Read the manifest under its listed address, or where it stands by default. A refusal is evidence, too."""
    listed = [uri for uri in lists.resources if is_manifest_uri(uri) or uri.endswith("manifest.json")]
    for uri in listed[:MOST_RESOURCES] or map(manifest_uri, SCHEMES):
        with suppress(RpcError):
            result = session.request("resources/read", {"uri": uri}).result
            if isinstance(result, Mapping) and result.get("contents"):
                return


def readable(tools: Mapping[str, Mapping[str, Any]]) -> Iterator[StateCall]:
    """Yield a call of each tool that only reads, by its annotations, and needs no arguments."""
    for name, tool in tools.items():
        schema = tool.get("inputSchema")
        required = schema.get("required") if isinstance(schema, Mapping) else None
        if only_reads(tool) and not required:
            yield StateCall(tool=name, arguments={}, reads=True)


def only_reads(tool: Mapping[str, Any]) -> bool:
    """Tell whether a tool says that it only reads (MCP, ToolAnnotations, readOnlyHint)."""
    notes = tool.get("annotations")
    return isinstance(notes, Mapping) and notes.get("readOnlyHint") is True


def listened_to(session: Session, uris: Sequence[str]) -> dict[str, Any]:
    """Return what to ask a server to tell of: the lists that it declares to tell of, and resources in any case.

    Who grants nothing although it says a great deal of its state is found out only by being asked. Empty for a server
    of the older era, where each list is told of or not, and nothing is asked.
    """
    declared = session.capabilities or {}
    fields = {"tools": "toolsListChanged", "prompts": "promptsListChanged", "resources": "resourcesListChanged"}
    wanted: dict[str, Any] = {field: True for name, field in fields.items() if _promises(declared, name, "listChanged")}
    if uris:
        wanted["resourceSubscriptions"] = list(uris)
    if session.era != "modern":
        return wanted if _promises(declared, "resources", "subscribe") else {}
    return wanted or dict(TOOLS_FILTER)


def _promises(declared: Mapping[str, Any], name: str, what: str) -> bool:
    capability = declared.get(name)
    return isinstance(capability, Mapping) and capability.get(what) is True


def state_trial(
    held: HeldSession | Session,
    lists: Lists,
    calls: Sequence[StateCall],
    *,
    waits: Waits,
    now: Callable[[], str],
    domains: Sequence[str] = (),
) -> None:
    """Read, make each change and read again, over a recorded session.

    A refusal is evidence like any answer. Raises CredentialRefusedError, and ObservationError where nobody answers.
    """
    session = held.session if isinstance(held, HeldSession) else held
    trial, reader = _Trial(held, session, lists, waits), ListReader(session, now=now)
    reader.read()
    with ExitStack() as open_until_the_end:
        # Some take subscriptions that they do not declare to take, and then announce changes in a form of their own.
        if "resources" in (session.capabilities or {}):
            trial.subscribe(open_until_the_end, lists.watched(domains))
        reads = [call for call in calls if call.reads]
        # Twice, so that what changes by itself, as a clock does, is known before anything is changed.
        trial.read(reads)
        trial.read(reads)
        for call in calls:
            if not call.reads:
                trial.wait(trial.call(call))
                trial.read(reads)
        trial.wait_for_what_is_owed()
        reader.read()


class _Trial:
    """One trial under way."""

    def __init__(self, held: HeldSession | Session, session: Session, lists: Lists, waits: Waits) -> None:
        self._held = held
        self._session = session
        self._lists = lists
        self._waits = waits
        self._taken: set[str] = set()
        self._seen: dict[str, Any] = {}
        self._told: set[str] = set()
        self._owed: set[str] = set()

    def subscribe(self, stack: ExitStack, uris: Sequence[str]) -> None:
        """Subscribe to these resources, and to one that nobody can have; in the modern era, the session listens already.

        That one is read as well, so that it is known whether anything stands behind it.
        """
        self._ask("resources/read", {"uri": NONSENSE_URI})
        if self._session.era == "modern":
            if isinstance(self._held, HeldSession):
                wanted = {"resourceSubscriptions": [NONSENSE_URI]}
                with suppress(ObservationError):
                    stack.enter_context(self._held.subscription(_NONSENSE_ID, wanted))
                    self._wait_for_acknowledgement()
            return
        for uri in (*uris, NONSENSE_URI):
            if self._ask("resources/subscribe", {"uri": uri}) is not None:
                self._taken.add(uri)

    def read(self, reads: Sequence[StateCall]) -> None:
        """Read every resource, and make every call that only reads."""
        for uri in self._lists.resources[:MOST_RESOURCES]:
            body = self._ask("resources/read", {"uri": uri})
            said = body.get("contents") if body is not None else None
            if self._seen.setdefault(uri, said) != said:
                self._seen[uri] = said
                (self._told.discard if uri in self._told else self._owed.add)(uri)
        for call in reads:
            self.call(call)

    def call(self, call: StateCall) -> frozenset[str]:
        """Call a tool; return the stale URIs that its tag names and that this session is to be told of."""
        params = {"name": call.tool, "arguments": dict(call.arguments)}
        result = self._ask("tools/call", params, tool=self._lists.tools.get(call.tool)) or {}
        told = {domain for tag in tags_in(result) for domain in tag.invalidation.domains}
        return frozenset(uri for uri in self._subscribed() for domain in told if uri.endswith(f"://stale/{domain}"))

    def wait(self, expected: Iterable[str] = ()) -> None:
        """Let updates come that belong to what was just done: until all that are expected have come, and a moment more."""
        if not isinstance(self._held, HeldSession):
            return
        missing, deadline = set(expected), Deadline(self._waits.settle)
        waited_for = bool(missing)
        while (heard := self._held.wait(deadline.remaining())) is not None:
            self._hear(heard)
            missing.discard(_updated(heard))
            if waited_for and not missing:
                waited_for, deadline = False, Deadline(min(_MOMENT, deadline.remaining()))

    def _wait_for_acknowledgement(self) -> None:
        assert isinstance(self._held, HeldSession)
        for heard in self._held.during(self._waits.settle):
            self._hear(heard)
            said = heard.notice.raw if heard.notice is not None else {}
            if heard.subscription == _NONSENSE_ID or subscription_of(said) == _NONSENSE_ID:
                return

    def _subscribed(self) -> set[str]:
        held = self._held if isinstance(self._held, HeldSession) else None
        granted = (held.granted or {}).get("resourceSubscriptions") if held is not None else None
        return {uri for uri in granted if isinstance(uri, str)} if isinstance(granted, list) else self._taken

    def wait_for_what_is_owed(self) -> None:
        """Wait longer for an update of what changed and was to be told of: some servers gather changes first."""
        if not isinstance(self._held, HeldSession):
            return
        owed = self._owed & self._subscribed()
        deadline = Deadline(self._waits.patience)
        while owed and (heard := self._held.wait(deadline.remaining())) is not None:
            owed.discard(_updated(heard))

    def _hear(self, heard: Heard) -> None:
        """Take note of an update: it is of a change that was seen already, or will be with the next reading."""
        uri = _updated(heard)
        (self._owed.discard if uri in self._owed else self._told.add)(uri)

    def _ask(
        self, method: str, params: Mapping[str, Any], tool: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any] | None:
        try:
            result = self._session.request(method, params, tool=tool).result
        except RpcError:
            return None  # The recording has it.
        except ObservationError as error:
            if "resultType" not in error.args_by_name:
                raise
            return None
        return result if isinstance(result, Mapping) else None


def _updated(heard: Heard) -> str:
    """Return the address that an update is of, in whichever form it comes; empty for anything else."""
    if heard.notice is None or heard.notice.method != RESOURCE_UPDATED:
        return ""
    params = heard.notice.raw.get("params")
    uri = params.get("uri") if isinstance(params, Mapping) else params
    return uri if isinstance(uri, str) else ""

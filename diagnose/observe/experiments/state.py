"""The state trial: list, read, change, and read again, so that frames show what the server says of its state.

Nothing is judged here, and nothing kept but the recording. Tools that only read by their annotations are called; any
other is called only if the caller named it and allowed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any, Final

from diagnose.errors import ObservationError
from diagnose.observe.held import HeldSession
from diagnose.observe.listing import ListReader
from diagnose.observe.refusal import RpcError
from diagnose.observe.session import Session
from diagnose.record import record
from diagnose.statesync import is_manifest_uri, manifest_uri, stale_uri
from diagnose.statesync.uris import SCHEMES
from diagnose.wire.subscription import NONSENSE_URI, TOOLS_FILTER
from diagnose.wire.uri_template import may_fit

#: So many tools that need no arguments are read without having been named, and so many resources.
MOST_READS: Final = 20
MOST_RESOURCES: Final = 5
#: So many domains of the policy are subscribed to as stale URIs.
MOST_DOMAINS: Final = 20
_NONSENSE_ID: Final = "state-nonsense"


@record
class StateCall:
    """A call to make. ``reads`` tells that it only reads, so that it is made again after every change."""

    tool: str
    arguments: Mapping[str, Any]
    reads: bool


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
    settle: float,
    now: Callable[[], str],
    domains: Sequence[str] = (),
) -> None:
    """Read, make each change and read again, over a recorded session. ``settle`` seconds are waited for updates.

    A refusal is evidence like any answer. Raises CredentialRefusedError, and ObservationError where nobody answers.
    """
    session = held.session if isinstance(held, HeldSession) else held
    trial, reader = _Trial(held, session, lists, settle), ListReader(session, now=now)
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
                trial.call(call)
                trial.wait()
                trial.read(reads)
        reader.read()


class _Trial:
    """One trial under way."""

    def __init__(self, held: HeldSession | Session, session: Session, lists: Lists, settle: float) -> None:
        self._held = held
        self._session = session
        self._lists = lists
        self._settle = settle

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
                    self.wait()
            return
        for uri in (*uris, NONSENSE_URI):
            self._ask("resources/subscribe", {"uri": uri})

    def read(self, reads: Sequence[StateCall]) -> None:
        """Read every resource, and make every call that only reads."""
        for uri in self._lists.resources[:MOST_RESOURCES]:
            self._ask("resources/read", {"uri": uri})
        for call in reads:
            self.call(call)

    def call(self, call: StateCall) -> None:
        """Call a tool."""
        params = {"name": call.tool, "arguments": dict(call.arguments)}
        self._ask("tools/call", params, tool=self._lists.tools.get(call.tool))

    def wait(self) -> None:
        """Let updates come that belong to what was just done."""
        if isinstance(self._held, HeldSession):
            for _ in self._held.during(self._settle):
                pass

    def _ask(self, method: str, params: Mapping[str, Any], tool: Mapping[str, Any] | None = None) -> None:
        try:
            self._session.request(method, params, tool=tool)
        except RpcError:
            return  # The recording has it.
        except ObservationError as error:
            if "resultType" not in error.args_by_name:
                raise

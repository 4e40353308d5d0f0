"""The tour of state sync: an answer that is trusted, what makes it stale, that it is dropped, and a fresh one."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.jobs.access import ConnectOptions, Surroundings
from diagnose.jobs.demo import Stop
from diagnose.jobs.embedded import embedded
from diagnose.jobs.statesync import StateRequest, check_server
from diagnose.jobs.target import DEMO, TargetSpec
from diagnose.reference.ledger import declaration
from diagnose.reference.options import ServeOptions

READ, CHANGE = "billing.get_invoice", "billing.refund"
_INVOICE = {"id": "inv_7"}
_LIMIT = 15.0


def state_tour(around: Surroundings) -> Iterator[Stop]:
    """Give the stops as they happen; the server is gone afterwards. Raises as `surface_tour`."""
    with embedded(ServeOptions(ledger=True), around.env) as server:
        yield Stop(
            title="A server whose answers go stale",
            words=f"A ledger runs at {server.url}. It says of each tool how long its answer holds, and with each change "
            "what that makes stale.",
        )
        request = StateRequest(
            spec=TargetSpec(id=DEMO, kind="http", url=server.url),
            options=ConnectOptions(auth="none", timeout=_LIMIT, deadline=_LIMIT),
            calls=((READ, _INVOICE), (CHANGE, _INVOICE)),
            allow_mutations=True,
        )
        look = check_server(request, declaration(), around)
    yield Stop(
        title="Read, refund, and read again",
        words="The invoice is read, refunded and read again, and everything the server says of that is held to what it does.",
        command=f"""diagnose statesync check URL --call '{READ}={{"id":"inv_7"}}' --call '{CHANGE}={{"id":"inv_7"}}' """
        "--allow-mutations",
        diagnosis=look.diagnosis,
    )
    yield Stop(
        title="What an agent may go by",
        words="The first answer was to be trusted until the refund named it; then it is dropped, and the fresh one holds.",
        command="diagnose statesync trust session.jsonl",
        trust=tuple(entry for entry in look.trust if entry["tool"] == READ),
    )

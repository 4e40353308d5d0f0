"""The tour of state sync: an answer that is trusted, what makes it stale, that it is dropped, and a fresh one."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from diagnose.jobs.access import ConnectOptions, Surroundings
from diagnose.jobs.demo import Stop
from diagnose.jobs.embedded import embedded
from diagnose.jobs.statesync import ManifestRequest, StateRequest, check_manifest, check_server
from diagnose.jobs.target import DEMO, TargetSpec
from diagnose.reference.ledger import declaration
from diagnose.reference.options import ServeOptions
from diagnose.statesync import format_invalidation

if TYPE_CHECKING:
    from diagnose.judge.diagnosis import Diagnosis

READ, CHANGE = "billing.get_invoice", "billing.refund"
_INVOICE = {"id": "inv_7"}
_LIMIT = 15.0
#: What the second caller is not shown.
_HIDDEN = "stock.adjust"


def state_tour(around: Surroundings) -> Iterator[Stop]:
    """Give the stops as they happen; the server is gone afterwards. Raises as `surface_tour`."""
    policy = declaration()
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
        look = check_server(request, policy, around)
    yield Stop(
        title="Read, refund, and read again",
        words="The invoice is read, refunded and read again, and everything the server says of that is held to what it does.",
        command=f"""diagnose statesync check URL --call '{READ}={{"id":"inv_7"}}' --call '{CHANGE}={{"id":"inv_7"}}' """
        "--allow-mutations",
        diagnosis=look.diagnosis,
    )
    resolution = policy.engine().resolve(CHANGE)
    tag = format_invalidation(CHANGE, resolution.invalidates if resolution is not None else ())
    yield Stop(
        title="What an agent may go by",
        words=f"What was read before the refund was to be trusted until that said {tag}. Then it is dropped and read "
        "again, and the fresh answer holds.",
        command="diagnose statesync trust session.jsonl",
        trust=tuple(entry for entry in look.trust if entry["tool"] == READ),
    )
    yield Stop(
        title="What the manifest shows, and to whom",
        words=f"Two callers read the list of all tools, and one of them is not to see {_HIDDEN}: neither in its list nor "
        "in its manifest.",
        command="diagnose statesync manifest URL --auth env:ADMIN --second-auth env:USER",
        diagnosis=_manifest(around),
    )


def _manifest(around: Surroundings) -> Diagnosis:
    """Read the manifest as the two callers of a ledger of their own."""
    tokens = {"LEDGER_ADMIN": secrets.token_urlsafe(), "LEDGER_USER": secrets.token_urlsafe()}
    options = ServeOptions(
        ledger=True, token=tokens["LEDGER_ADMIN"], second_token=tokens["LEDGER_USER"], second_without=_HIDDEN
    )
    with embedded(options, around.env) as server:
        request = ManifestRequest(
            spec=TargetSpec(id=DEMO, kind="http", url=server.url),
            options=ConnectOptions(auth="env:LEDGER_ADMIN", timeout=_LIMIT, deadline=_LIMIT),
            second_auth="env:LEDGER_USER",
        )
        return check_manifest(request, replace(around, env={**around.env, **tokens}))

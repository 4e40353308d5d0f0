"""`diagnose statesync` against the ledger with a fault in front of it: what is found, by whichever command finds it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from diagnose.reference.faults import FAULTS
from diagnose.reference.ledger import declaration
from diagnose.statesync import write_policies
from support.program import Ran, diagnose
from support.schemas import validated

TOKENS = {"ADMIN": "t0ken-of-an-admin", "USER": "t0ken-of-a-user"}
READ = 'billing.get_invoice={"id":"inv_7"}'
REFUND = 'billing.refund={"id":"inv_7"}'
ADJUST = 'stock.adjust={"sku":"nut","by":2}'
ADMIN, BOTH = ("--auth", "env:ADMIN"), ("--auth", "env:ADMIN", "--second-auth", "env:USER")

#: The calls that bring a fault out, by its rule, or by its own name; nothing has to be changed for the others.
CALLS = {
    "immutable-mutation:observed": (REFUND,),
    "invalidation-missing": (ADJUST,),
    "invalidation-misplaced": (ADJUST,),
    "invalidation-malformed": (ADJUST,),
    "invalidation-on-error": (REFUND, REFUND),
    "invalidation-reaches-nothing": (ADJUST,),
    "answer-changed-unannounced:uncovered": (READ, REFUND),
    "failed-call-changed-state": (READ, REFUND),
    "update-malformed": (REFUND,),
    "update-differs-from-tag": (REFUND,),
    "update-of-nothing": (REFUND,),
    "listen-inert:silent": (REFUND,),
}
#: What is seen without the policy is looked for without it: with it, one lack shows in two places.
WITH_POLICY = {"directive-differs", "invalidation-missing", "update-differs-from-tag", "invalidation-on-error"}
MANIFEST = {"manifest-leak", "manifest-malformed", "manifest-unfiltered", "fusion-lock-differs"}
#: The errors that follow from a fault by their own words.
FOLLOWING = {
    # A tag of another tool's names another cause.
    "invalidation-forged:content": {"invalidation-malformed"},
    # No tag without a domain is written to the letter.
    "invalidation-malformed:empty": {"invalidation-misplaced"},
    # What is not granted must not be sent.
    "update-of-nothing:unasked": {"stream-no-ack"},
    "update-of-nothing:unlisted": {"stream-no-ack"},
    # What the second caller should not see stands in what it reads.
    "manifest-unfiltered": {"manifest-leak"},
}
WARNINGS = {
    "directive-malformed",
    "directive-unstable:decorated",
    "fusion-lock-differs:added",
    "invalidation-malformed:twice",
    "invalidation-reaches-nothing",
    "list-kept-too-long:moving",
    "list-scope-differs",
}
STATE_FAULTS = {name: fault for name, fault in FAULTS.items() if fault.ledger}


def written_policy(folder: Path) -> str:
    path = folder / "policy.toml"
    path.write_text(write_policies(declaration()))
    return str(path)


GROUPS = {
    "reference": {"currencies": False},
    "billing": {"get_invoice": False, "refund": True},
    "dashboard": {"invoices": False},
    "stock": {"list": False, "adjust": True},
}


def locked(groups: dict[str, dict[str, bool]]) -> dict[str, Any]:
    """Make a lock file of actions, each destroying or not."""
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in groups}
    top = hashlib.sha256("\n".join(f"{name}:{digests[name]}" for name in sorted(digests)).encode()).hexdigest()
    tools = {
        name: {
            "integrityDigest": f"sha256:{digests[name]}",
            "surface": {"actions": list(actions)},
            "behavior": {
                "destructiveActions": [action for action, destroys in actions.items() if destroys],
                "readOnlyActions": [action for action, destroys in actions.items() if not destroys],
            },
        }
        for name, actions in groups.items()
    }
    return {
        "lockfileVersion": 1,
        "serverName": "ledger",
        "mcpfusionVersion": "5.0.7",
        "generatedAt": "2026-11-30T12:00:00.000Z",
        "integrityDigest": f"sha256:{top}",
        "capabilities": {"tools": tools},
    }


def written_lock(folder: Path) -> str:
    path = folder / "mcpfusion.lock"
    path.write_text(json.dumps(locked(GROUPS)))
    return str(path)


def looked(name: str, era: str, folder: Path, *target: str, callers: bool) -> Any:
    """Look for a fault in the way that brings it out; ``target`` is an address, or `--` and a command."""
    where, command = (target, ()) if target[0] != "--" else ((), target)
    rule = name.partition(":")[0]
    if rule in MANIFEST or name == "list-kept-too-long:public":
        lock = ("--lock", written_lock(folder)) if rule == "fusion-lock-differs" else ()
        return _document(
            diagnose(*_words("manifest", where, era), *(BOTH if callers else ()), *lock, *command, env=TOKENS)
        )
    calls = CALLS.get(name, CALLS.get(rule, ()))
    named = [word for call in calls for word in ("--call", call)]
    policy = ("--policy", written_policy(folder)) if rule in WITH_POLICY else ()
    auth = ADMIN if callers else ()
    words = (*_words("check", where, era), *auth, *policy, *named, "--allow-mutations", *command)
    return _document(diagnose(*words, env=TOKENS))


def _words(verb: str, where: tuple[str, ...], era: str) -> tuple[str, ...]:
    return "statesync", verb, *where, "--era", era, "--format", "json"


def _document(ran: Ran) -> Any:
    assert ran.out, ran.err
    return validated(ran.out)


def holds_to_its_name(document: Any, name: str) -> None:
    """Assert that a fault is found under its name, as grave as it is, and that no other error is."""
    rule = name.partition(":")[0]
    severity = "warning" if WARNINGS & {name, rule} else "error"
    found = [(finding["rule"], finding["severity"]) for finding in document["findings"]]
    assert (rule, severity) in found, found
    errors = {other for other, grave in found if grave == "error"}
    assert errors - {rule} <= FOLLOWING.get(name, set())

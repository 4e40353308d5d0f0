"""The trust in each answer of a session: as text, and as part of `diagnose.diagnosis/1`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import harmless
from diagnose.judge.words import counted
from diagnose.report.document import json_document
from diagnose.report.json_ import diagnosis_document
from diagnose.report.layout import Ink, Page, Safe

if TYPE_CHECKING:
    from diagnose.evidence.redact import Redactor
    from diagnose.jobs.statesync import TrustLook

_INKS: dict[str, Ink] = {"holds": "good", "stale": "doubt", "never-kept": "faint"}
_WORDS = {"holds": "holds", "stale": "stale", "never-kept": "never kept"}
_TOTALS = {"holds": "to be gone by", "stale": "went stale", "never-kept": "never to be kept"}
_HELD = {"immutable": "immutable", "ttl": "within its TTL"}
#: So many answers are shown as text; the JSON form has all of them.
MOST = 200


def trust_json(look: TrustLook, redactor: Redactor) -> str:
    """Return the diagnosis as a document, with `trust`: an entry for each answer."""
    document = {**diagnosis_document(look.diagnosis, redactor), "trust": [dict(entry) for entry in look.trust]}
    return json_document(document, redactor)


def trust_text(look: TrustLook, redactor: Redactor, *, width: int, colour: bool = False) -> str:
    """Return how many answers hold in the first line, then a line an answer with what told that it went stale."""
    page = Page(width=width, colour=colour)

    def safe(text: str) -> str:
        return harmless(redactor.text(text))

    lines = [*page.wrap(_summary(look), rest="  "), *page.wrap(safe(look.diagnosis.verdict.summary)), ""]
    for entry in look.trust[:MOST]:
        lines += entry_lines(entry, page, safe)
    if len(look.trust) > MOST:
        lines += page.wrap(f"and {len(look.trust) - MOST} more answers (--format json has them all)", first="  ")
    return "\n".join(lines)


def _summary(look: TrustLook) -> str:
    states = Counter(entry["state"] for entry in look.trust)
    told = [f"{states[state]} {words}" for state, words in _TOTALS.items() if states[state]]
    return f"{counted(len(look.trust), 'answer')} read: {', '.join(told)}" if told else "No answer was read."


def entry_lines(entry: Mapping[str, Any], page: Page, safe: Safe) -> Iterator[str]:
    """Yield the lines of one answer: whether it holds, and what told that it does not."""
    state = entry["state"]
    name = entry["tool"] if entry["action"] is None else f"{entry['tool']} ({entry['action']})"
    asked = "" if entry["request"] is None else f", id {entry['request']}"
    said = f"{name}{asked}, frame {entry['read']['frame']}: {_why(entry)}"
    first, *rest = page.wrap(safe(said), first=" " * 12, rest=" " * 14)
    yield page.ink(f"{_WORDS[state]:<10}", _INKS[state]) + "  " + first[12:]
    yield from rest


def _why(entry: Mapping[str, Any]) -> str:
    until, domain = entry["until"], entry["domain"]
    if entry["state"] == "never-kept":
        return "no-store" if entry["kind"] == "call" else "its TTL is 0"
    if until is None:
        return _HELD.get(entry["basis"], "nothing said that it is stale")
    by = {
        "tag": f"{entry['cause']} said that {domain} is stale",
        "notification": _notified(entry),
        "policy": f"{entry['cause']} makes {domain} stale by its policy, and did not say so",
        "changed": "the next answer differed, and nothing had said so",
        "expired": "its TTL was over",
    }[entry["endedBy"]]
    used = entry["usedStale"]
    more = f"; it was gone by in frame {used['frame']} nevertheless" if used is not None else ""
    return f"until frame {until['frame']}: {by}{more}"


def _notified(entry: Mapping[str, Any]) -> str:
    if entry["domain"] == entry["tool"]:
        return "an update of it was announced"
    return f"a stale URI named {entry['domain']}" + (f" ({entry['cause']})" if entry["cause"] else "")

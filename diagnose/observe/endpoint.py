"""One plain GET for JSON beside MCP: what came, and whether it was JSON at all."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Literal

from diagnose.errors import ObservationError
from diagnose.evidence.observation import Anomaly, Failure
from diagnose.observe.credential import REFUSALS, refusal
from diagnose.observe.failures import failure_of
from diagnose.record import record
from diagnose.surface import JsonError, parse_json
from diagnose.transport.answer import HttpAnswer
from diagnose.transport.http import HttpClient

Kind = Literal["json", "html", "text", "redirect", "error", "refused", "absent", "unreachable"]

_HTML = rb"(?i)\s*(<!doctype html|<html|<head|<body|<script)"
#: One endpoint gets one of so many shares of the time that is left.
SHARES = 3
_GONE = frozenset({404, 405, 410, 501})


@record
class Reply:
    """The answer to a GET. ``kind`` tells what it is, by what the body is rather than by what its header says."""

    path: str
    kind: Kind
    status: int | None = None
    value: Any = None
    """The parsed JSON; None unless `kind` is `json` (or an `error` whose body was JSON)."""
    text: str = ""
    """The body, where it is a short text."""
    anomalies: tuple[Anomaly, ...] = ()
    failure: Failure | None = None
    location: str | None = None
    credential_sent: bool = False
    """Whether the request carried a credential of ours."""

    @property
    def says(self) -> str:
        """A few words for a report: what this endpoint answered."""
        words = {
            "json": f"answered {self.status} with JSON",
            "html": f"answered {self.status} with an HTML page where JSON is due",
            "text": f"answered {self.status} with {'text that is no JSON' if self.text.strip() else 'an empty body'}",
            "redirect": f"answered {self.status}, a redirect to another place",
            "error": f"answered HTTP {self.status}",
            "refused": f"answered HTTP {self.status} and {refusal(self.status, sent=self.credential_sent)}",
            "absent": f"answered {self.status} (no such endpoint)",
            # The message is a sentence of its own.
            "unreachable": f"failed: {self.failure.message}" if self.failure else "failed",
        }
        return f"GET {self.path} {words[self.kind]}"


def get(http: HttpClient, url: str, path: str, *, max_bytes: int | None = None) -> Reply:
    """GET one address and tell what came; never raises for what a server does.

    It gets at most a share of the time that is left: the list, which matters more, is still to be read.
    """
    share = http.deadline.remaining() / SHARES
    accept = {"Accept": "application/json, text/plain;q=0.5"}
    try:
        answer = http.fetch(
            "GET", url, headers=accept, max_bytes=max_bytes, timeout=min(http.timeout, share), patience=share
        )
    except ObservationError as error:
        return Reply(path=path, kind="unreachable", failure=failure_of(error, where=f"GET {path}"))
    reply = _read(answer, path)
    if reply.kind != "refused":
        return reply
    sent = http.sends_credential(url)
    reply = replace(reply, credential_sent=sent)
    failure = Failure(
        rule="auth-blocked",
        message=reply.says,
        status=reply.status,
        where=f"GET {path}",
        args={"path": path, "credentialSent": sent},
    )
    return replace(reply, failure=failure)


def _read(answer: HttpAnswer, path: str) -> Reply:
    status = answer.status
    if status in REFUSALS:
        return Reply(path=path, kind="refused", status=status)
    if status in _GONE:
        return Reply(path=path, kind="absent", status=status)
    if 300 <= status < 400:
        return Reply(path=path, kind="redirect", status=status, location=answer.headers.get("location"))
    try:
        parsed = parse_json(answer.body)
    except JsonError:
        kind: Kind = (
            "html" if re.match(_HTML, answer.body) or "html" in (answer.headers.get("content-type") or "") else "text"
        )
        text = answer.body[:200].decode("utf-8", "replace")
        return Reply(path=path, kind=kind if status < 400 else "error", status=status, text=text)
    anomalies = tuple(
        Anomaly(kind=defect.kind, where=f"GET {path} {defect.pointer or ''}".strip(), detail=defect.detail)
        for defect in parsed.defects
    )
    return Reply(
        path=path, kind="json" if status < 400 else "error", status=status, value=parsed.value, anomalies=anomalies
    )

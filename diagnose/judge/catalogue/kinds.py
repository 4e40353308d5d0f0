"""What to do about a failure of one kind, where the rule that it goes under would send a person elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: By rule and kind (or reason) of the failure: the remedy, and the next step.
_KINDS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("unreachable", "busy"): (
        "Wait as long as the server asks, and ask less often.",
        "The server is there and cannot answer now: wait, and look at what limits or overloads it.",
    ),
    ("unreachable", "encoding"): (
        "Send bodies in the content coding that their headers name, and in none that was not asked for.",
        "Look at the body and its Content-Encoding as they leave the server, and behind each proxy.",
    ),
    ("unreachable", "cut"): (
        "Look into the logs of the server and of each proxy for what ended the connection.",
        "Look into the logs of the server and of each proxy for what broke this answer off.",
    ),
    ("unreachable", "redirects"): (
        "Give the address that the redirects are meant to lead to, or correct them.",
        "Follow the redirects of {target} one by one, and correct the one that leads back.",
    ),
    ("unreachable", "dns"): (
        "Spell the host as the name service knows it, or add it there.",
        "Look whether the host name is spelled right, and whether this machine resolves it.",
    ),
    ("unreachable", "tls"): (
        "Serve TLS there, with a certificate that is valid for this name and that clients trust.",
        "Look at the scheme, the port and the certificate of {target}; SSL_CERT_FILE names an authority of your own.",
    ),
    ("unreachable", "proxy"): (
        "Let the proxy pass this server, or go past it.",
        "Check HTTP_PROXY and HTTPS_PROXY, or name the server in NO_PROXY.",
    ),
    ("unreachable", "protocol"): (
        "Answer in HTTP: whole header lines, one length, right chunks.",
        "Look at what answers there: another service or port, https:// in the place of http://, or a hop that breaks HTTP.",
    ),
    ("unreachable", "exited"): (
        "Let the command run on and answer on stdout until its stdin ends.",
        "Run the command by itself, and look at what it says before it ends.",
    ),
    ("unreachable", "not-found"): (
        "Give the program by its path, or put its folder on PATH.",
        "Check the command behind --: a program that is not on PATH needs its path.",
    ),
    ("unreachable", "not-executable"): (
        "Make the program executable, and install the interpreter that its first line names.",
        "Run the command by itself, and look at why it does not start.",
    ),
    ("timed-out", "stream-cut"): (
        "Look into the logs of the server and of each proxy for what ended the stream before its answer.",
        "The stream broke off, and no more time would help: look for a proxy or a limit that ends streams, and for a crash.",
    ),
    ("handshake-failed", "version"): (
        "Have the server speak a version of the protocol that its clients speak.",
        "Bring {target} and those who ask it to one version: upgrade the older side.",
    ),
    ("handshake-failed", "redirect"): (
        "Give the address that the redirect leads to, if you trust it.",
        "Ask the address that the redirect leads to in the place of {target}, if you trust it.",
    ),
    ("handshake-failed", "modern-refusal"): (
        "Let the headers and the body of requests through as they are sent.",
        "Look for a proxy before {target} that drops or rewrites request headers; past it, ask again.",
    ),
    ("handshake-failed", "endpoint"): (
        "Name an endpoint on the origin that the event stream comes from.",
        "Correct the `endpoint` event of {target}, in the server or in the proxy before it: it must stay on that origin.",
    ),
    ("list-error", "result-type"): (
        "Answer tools/list with the list itself, as a result of type `complete`.",
        "In the server, answer tools/list with the list itself: a client has nothing to show of any other result.",
    ),
    ("list-error", "cursor-type"): (
        "Send nextCursor as a text, and leave it out of the last page.",
        "In the server, make nextCursor a text, and leave it out of the last page.",
    ),
    ("list-error", "tools"): (
        "Answer tools/list with an object whose `tools` is a list, an empty one where there are none.",
        "In the server, look at what answers tools/list: its result must be an object whose `tools` is a list.",
    ),
    ("cursor-rejected", "empty"): (
        "Leave nextCursor out of the last page: an empty string is a cursor, and clients follow it.",
        "In the server, leave nextCursor out of the last page: it sends an empty string and refuses it as a cursor.",
    ),
    ("wire-corrupt", "id"): (
        "Answer with the id of the request, in its type.",
        "In the server, answer each request with its very id: 3 stays a number, and no answer has another's.",
    ),
    ("limit-exceeded", "too-deep"): (
        "Find the definition that is nested so deep, and refer to a shared part (`$ref`) in place of writing it out.",
        "Find the definition that is nested so deep: clients have such bounds too.",
    ),
}


def remedy_of(rule: str, args: Mapping[str, Any]) -> str | None:
    """Return the remedy for this kind of failure; None where that of the rule fits."""
    found = _found(rule, args)
    return found[0] if found is not None else None


def steps_of(rule: str, args: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the next steps for this kind of failure; none where those of the rule fit."""
    found = _found(rule, args)
    return found[1:] if found is not None else ()


def _found(rule: str, args: Mapping[str, Any]) -> tuple[str, str] | None:
    names = (args.get("kind"), args.get("reason"))
    return next((_KINDS[rule, name] for name in names if isinstance(name, str) and (rule, name) in _KINDS), None)

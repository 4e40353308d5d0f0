"""What is said of a refused request fits whether a credential was sent with it."""

import pytest
from support.mcp_http import Said, answering, legacy
from support.site import Site, serving

from diagnose.errors import CredentialRefusedError
from diagnose.evidence.secret import Secret
from diagnose.observe.credential import refusal
from diagnose.observe.endpoint import get
from diagnose.observe.session import open_http
from diagnose.transport.binding import Binding
from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient
from diagnose.transport.origin import Origin


def client(url, headers):
    secrets = {name: Secret(value) for name, value in headers.items()}
    bound = Binding(origin=Origin.of(url), headers=secrets, source="--header")
    return HttpClient(timeout=5, deadline=Deadline(20), bindings=[bound])


SENT = [({"Authorization": "Bearer wrong-one"}, True), ({"X-Trace": "17"}, False), ({}, False)]


@pytest.mark.parametrize(("headers", "sent"), SENT)
@pytest.mark.parametrize("status", [401, 403])
def test_a_session_says_whether_a_credential_was_sent(headers, sent, status):
    refuse = Said(status=status)
    with (
        answering(legacy(initialize=refuse, server__discover=refuse)) as url,
        client(url, headers) as http,
        pytest.raises(CredentialRefusedError) as caught,
    ):
        open_http(http, url, era="auto", timeout=5)
    assert caught.value.args_by_name["credentialSent"] is sent
    assert refusal(status, sent=sent) in str(caught.value)
    assert ("sign in again" in caught.value.advice) is sent


@pytest.mark.parametrize(("headers", "sent"), SENT)
def test_an_endpoint_says_whether_a_credential_was_sent(headers, sent):
    with serving(Site({"/health": (401, "application/json", "{}")})) as base, client(base, headers) as http:
        reply = get(http, f"{base}health", "/health")
    assert reply.credential_sent is sent
    assert reply.says == f"GET /health answered HTTP 401 and {refusal(401, sent=sent)}"


def test_only_one_who_sent_none_is_asked_for_one():
    said = {(status, sent): refusal(status, sent=sent) for status in (401, 403) for sent in (True, False)}
    assert [key for key, words in said.items() if "this credential" in words] == [(401, True), (403, True)]

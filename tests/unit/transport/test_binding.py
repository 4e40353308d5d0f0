"""Where a credential may go."""

from __future__ import annotations

import pytest

from diagnose.errors import InputError
from diagnose.evidence.secret import Secret
from diagnose.transport.binding import Binding, may_carry_credentials
from diagnose.transport.origin import Origin


def bound_to(url):
    return Binding(origin=Origin.of(url), headers={"Authorization": Secret("x")}, source="keyring")


@pytest.mark.parametrize(
    ("given_for", "url", "may"),
    [
        ("https://a.test/mcp", "https://a.test/other?x", True),
        ("https://a.test/mcp", "https://user@A.test:443/", True),
        ("https://a.test/mcp", "https://a.test:444/", False),
        ("https://a.test/mcp", "https://b.a.test/", False),
        ("https://a.test/mcp", "https://a.test.evil.test/", False),
        ("https://a.test/mcp", "https://a.test@evil.test/", False),
        ("https://a.test/mcp", "http://a.test/", False),
        ("http://a.test/mcp", "http://a.test/", False),
        ("http://a.test/mcp", "https://a.test/", False),
        ("http://127.0.0.1:80/mcp", "http://127.0.0.1/", True),
        ("http://localhost:9/mcp", "http://localhost:9/", True),
        ("http://localhost:9/mcp", "http://127.0.0.1:9/", False),
    ],
)
def test_to_its_origin_over_tls_or_on_this_machine(given_for, url, may):
    assert bound_to(given_for).may_go_to(url) is may


def test_over_plain_http_to_an_origin_that_was_named():
    named = {Origin.of("http://a.test")}
    assert bound_to("http://a.test/mcp").may_go_to("http://a.test/x", named)
    assert not bound_to("http://a.test:81/mcp").may_go_to("http://a.test:81/x", named)
    assert not bound_to("http://b.test/mcp").may_go_to("http://a.test/x", named)


def test_what_is_no_credential_goes_to_its_origin_over_plain_http_too():
    headers = {
        "X-Farm": Secret("north"),
        "Authorization": Secret("x"),
        "X-Api-Key": Secret("y"),
        "X-Way": Secret("Bearer z"),
    }
    binding = Binding(origin=Origin.of("http://a.test"), headers=headers, source="--header")
    assert list(binding.headers_for("http://a.test/x")) == ["X-Farm"]
    assert binding.headers_for("http://a.test/x", {Origin.of("http://a.test")}) == headers
    assert binding.headers_for("http://b.test/x") == {}
    assert binding.headers_for("https://a.test/x") == {}


def test_a_url_that_is_none_gets_nothing():
    with pytest.raises(InputError):
        bound_to("https://a.test").may_go_to("a.test")


def test_which_origins_are_safe():
    assert may_carry_credentials(Origin.of("https://a.test"))
    assert may_carry_credentials(Origin.of("http://[::1]:1"))
    assert not may_carry_credentials(Origin.of("http://a.test"))

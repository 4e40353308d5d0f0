"""Which URLs are of one origin, which are of none, and what is loopback."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.errors import InputError
from diagnose.transport.origin import Origin, request_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.test/mcp?x#y", "https://example.test"),
        ("HTTPS://EXAMPLE.test:443", "https://example.test"),
        ("http://example.test:80/", "http://example.test"),
        ("http://example.test:443/", "http://example.test:443"),
        ("http://example.test:/", "http://example.test"),
        ("https://user:pass@example.test:8443/", "https://example.test:8443"),
        ("https://a@b@example.test/", "https://example.test"),
        ("https://example.test?@evil.test", "https://example.test"),
        ("https://example.test#@evil.test", "https://example.test"),
        ("http://127.0.0.1:7878/mcp", "http://127.0.0.1:7878"),
        ("http://[::1]:7878/mcp", "http://[::1]:7878"),
        ("http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::1]"),
        ("https://bücher.test/", "https://xn--bcher-kva.test"),
        ("https://BÜCHER.test/", "https://xn--bcher-kva.test"),
        ("https://faß.test/", "https://xn--fa-hia.test"),
        ("https://xn--bcher-kva.test/", "https://xn--bcher-kva.test"),
        ("http://a_b.test./", "http://a_b.test."),
    ],
)
def test_an_origin_has_one_spelling(url, shown):
    origin = Origin.of(url)
    assert str(origin) == shown
    assert Origin.of(str(origin)) == origin


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.test",
        "//example.test/",
        "example.test:8080",
        "ftp://example.test/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http:///path",
        "http://:80/",
        "http://user@/",
        "http://example.test:0/",
        "http://example.test:65536/",
        "http://example.test:-1/",
        "http://example.test:8o/",
        "http://exa mple.test/",
        "http://example.test\\@evil.test/",
        "http://example.test/\r\nX: y",
        "http://\x00example.test/",
        "http://%65xample.test/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://[not:an:address]/",
        "http://-example.test/",
        "http://example.test℀evil.test/",
        "http://" + "a" * 254,
        "http://\u200b/",
    ],
)
def test_what_is_no_url_is_refused_without_being_repeated(url):
    with pytest.raises(InputError) as caught:
        Origin.of(url)
    assert caught.value.exit_code == 2
    assert "evil" not in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.255.0.9", "[::1]", "[0:0:0:0:0:0:0:1]", "localhost", "LOCALHOST"])
def test_loopback_by_name(host):
    assert Origin.of(f"http://{host}/").is_loopback


@pytest.mark.parametrize(
    "host",
    [
        "example.test",
        "0.0.0.0",
        "128.0.0.1",
        "[::2]",
        "[::ffff:127.0.0.1]",
        "localhost.",
        "localhost.evil.test",
        "127.1",
        "2130706433",
    ],
)
def test_what_only_leads_there_is_not_loopback(host):
    assert not Origin.of(f"http://{host}/").is_loopback


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("HTTP://u:p@X.test:80?q#f", "http://x.test/?q"),
        ("https://x.test/a/../b;c?d=e%20f", "https://x.test/a/../b;c?d=e%20f"),
        ("https://x.test:8443/", "https://x.test:8443/"),
    ],
)
def test_what_is_asked_for_has_no_userinfo_and_no_fragment(url, asked):
    assert request_url(url) == asked


@given(st.text(max_size=60), st.sampled_from(["", "http://", "https://", "http://[", "https://a@"]))
def test_any_text_is_an_origin_or_an_input_error(text, prefix):
    try:
        origin = Origin.of(prefix + text)
    except InputError:
        return
    assert Origin.of(str(origin)) == origin
    assert origin.host.isascii()
    assert "@" not in str(origin)

import base64
import itertools
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from diagnose.evidence.redact import Redactor
from diagnose.evidence.secret import MASK, Secret

SPIKY = '/s3cr\\et/va"lue+ "'


def b64(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()


def escaped(text: str) -> str:
    return "".join(f"\\u{unit:04x}" for unit in memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H"))


SPELLINGS = {
    "plain": str,
    "json": lambda s: json.dumps(s)[1:-1],
    "json, not only ASCII": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "json in json": lambda s: json.dumps(json.dumps(s))[1:-1],
    "slashes escaped": lambda s: json.dumps(s)[1:-1].replace("/", "\\/"),
    "every character escaped": escaped,
    "url": lambda s: quote(s, safe="", errors="surrogatepass"),
    "url, slashes kept": lambda s: quote(s, errors="surrogatepass"),
    "url, lower case": lambda s: quote(s, safe="", errors="surrogatepass").replace("%2F", "%2f").replace("%2B", "%2b"),
    "every byte in the url": lambda s: "".join(f"%{byte:02x}" for byte in s.encode("utf-8", "surrogatepass")),
    "form": lambda s: quote_plus(s, errors="surrogatepass"),
    "url in json": lambda s: json.dumps("http://h/?q=" + quote(s, safe="", errors="surrogatepass")),
    "python": repr,
    "base64": b64,
    "base64 without padding": lambda s: b64(s).rstrip("="),
    "base64 for urls": lambda s: b64(s).replace("+", "-").replace("/", "_"),
    "user and secret": lambda s: b64("u:" + s),
    "user and secret, one further": lambda s: b64("us:" + s + "!"),
    "user and secret, two further": lambda s: b64("use:" + s + "!!"),
    "base64 in a url": lambda s: quote(b64("user:" + s), safe=""),
}


AROUND = {"url in json": '"http://h/?q={}"', "python": "'{}'", "json in json": '\\"{}\\"'}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_known_secret_is_found_in_every_spelling_and_nothing_beside_it(spelling):
    text = f"before <{SPELLINGS[spelling](SPIKY)}> after"
    shown = AROUND.get(spelling, "{}").format(MASK)
    assert Redactor([SPIKY]).text(text) == f"before <{shown}> after"


@pytest.mark.parametrize("length", range(4, 11))
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_so_is_a_short_one(spelling, length):
    secret = "x7Kq!9ZzW~"[:length]
    text = SPELLINGS[spelling](secret)
    assert Redactor([secret]).text(text) == AROUND.get(spelling, "{}").format(MASK)


def decoded_everywhere(text):
    """Return the text as every reader of it might undo its escapes, beside the base64 runs in it."""
    from diagnose.evidence.spellings import _views

    return [view.text for view in _views(text, frozenset(text))]


# Without what our own mask, or a mark of base64, is made of: a secret "***" cannot be told from its mask.
SECRETS = st.text(st.characters(exclude_characters="*", exclude_categories=("Cs",)), min_size=4, max_size=40)
OTHER = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


@given(SECRETS, OTHER, OTHER, st.sampled_from(sorted(SPELLINGS)))
def test_no_known_secret_survives(secret, before, after, spelling):
    spelled = SPELLINGS[spelling](secret)
    redacted = Redactor([Secret(secret)]).text(before + "|" + spelled + "|" + after)
    assert spelled not in redacted
    assert all(secret not in view for view in decoded_everywhere(redacted))


@given(
    st.lists(SECRETS, max_size=3),
    st.lists(
        SECRETS
        | OTHER
        | st.sampled_from(
            [
                "Bearer ",
                "Basic ",
                "token=",
                '"password": "',
                "sk_live_",
                "eyJabcdef.",
                "://u:p@h",
                "Cookie: a=b",
                "?key=",
                "\\",
                "%",
                "+",
            ]
        )
    ),
)
def test_a_second_reading_changes_nothing(secrets, pieces):
    redactor = Redactor(secrets)
    once = redactor.text("".join(pieces + secrets))
    assert redactor.text(once) == once


@given(OTHER, OTHER, OTHER)
def test_overlapping_secrets_leave_no_remainder(one, two, three):
    assume(len(one + two) >= 4 and len(two + three) >= 4 and "*" not in one + two + three)
    redacted = Redactor([one + two, two + three]).text(one + two + three)
    assert redacted == MASK


def test_what_is_uncovered_by_one_secret_is_found_as_well():
    assert Redactor(["SECRET"]).text("SECRETghp_0123456789abc") == MASK + MASK


def test_the_value_behind_a_scheme_is_learned_too():
    redactor = Redactor(["Bearer opaque-value"])
    assert redactor.text("got opaque-value!") == f"got {MASK}!"


def test_short_secrets_are_hidden_where_they_are_a_whole_value():
    redactor = Redactor(["abc"])
    assert redactor.text("abc") == MASK
    assert redactor.text("abcde") == "abcde"
    assert redactor.value({"x": ["abc", "abcde"]}) == {"x": [MASK, "abcde"]}


def test_an_empty_secret_hides_nothing():
    assert Redactor([""]).text("text") == "text"


SHAPES = [
    ("Authorization: Bearer abc", "Authorization: ***"),
    ("authorization: Strange scheme-value", "authorization: ***"),
    ("authorization: one two three four five six seven eight", "authorization: *** three four five six seven eight"),
    ("{'Authorization': 'Token x'}", "{'Authorization': '***'}"),
    ('Authorization: Digest username="u", response="abcdef"\nNext: x', "Authorization: ***\nNext: x"),
    ("sent Bearer abcdef.ghi", "sent Bearer ***"),
    ("curl -u x, Basic dXNlcjpwYXNz", "curl -u x, Basic ***"),
    ("basic basic dXNlcjpwYXNz", "basic basic ***"),
    ("Cookie: a=b; c=d", "Cookie: ***"),
    ("set-cookie: sid=abc; Path=/; HttpOnly", "set-cookie: ***"),
    ("mcp-session-id: abc", "mcp-session-id: ***"),
    ("X-API-Key: abc", "X-API-Key: ***"),
    ("MERIDIAN_TOKEN=abc next", "MERIDIAN_TOKEN=*** next"),
    ("password = hunter2", "password = ***"),
    ("token: password=hunter", "token: password=***"),
    ("password: hunter22", "password: ***"),
    ('{"client_secret": "a \\"b\\" c", "x": "y"}', '{"client_secret": "***", "x": "y"}'),
    ('{\\"refresh_token\\": \\"abc\\", \\"x\\": 1}', '{\\"refresh_token\\": \\"***\\", \\"x\\": 1}'),
    ("server --api-key abc --verbose", "server --api-key *** --verbose"),
    ("http://u:p@h/x?token=abc&x=1", "http://***@h/x?token=***&x=1"),
    ("http://h/?code=abc&key=d", "http://h/?code=***&key=***"),
    ("'user:hunter2@host/mcp' is no target", "'user:***@host/mcp' is no target"),
    ("sk_meridian_abcd, rt_meridian_efgh", "***, ***"),
    ("sk-proj-abcdefgh sk-a1b2c3d4e5f6 sk_a1b2c3d4e5f6", "*** *** ***"),
    ("ghp_0123456789abc gho_0123456789abc github_pat_0123456789abc", "*** *** ***"),
    ("xoxb-12345678-abc xoxp-12345678", "*** ***"),
    ("AKIAIOSFODNN7EXAMPLE", "***"),
    (f"npm_{'a1' * 18}, hf_{'b2' * 17}", "***, ***"),
    ("https://hooks.slack.com/services/T000/B000/abc123", "https://hooks.slack.com/***"),
    ("DB_PASS=hunter2 MYSQL_PWD=hunter2 API_KEY_2=hunter2 x", "DB_PASS=*** MYSQL_PWD=*** API_KEY_2=*** x"),
    ('{"dbPass": "hunter2", "passwords": "a b"}', '{"dbPass": "***", "passwords": "***"}'),
    ("pass: hunter22 AccountKey=abc==;", "pass: *** AccountKey=***"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "***"),
    ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx", "***\nx"),
    ("-----BEGIN PRIVATE KEY-----\ncut off", "***"),
]


@pytest.mark.parametrize(("text", "redacted"), SHAPES)
def test_unknown_secrets_are_known_by_their_shape(text, redacted):
    assert Redactor().text(text) == redacted
    assert Redactor().text(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "needs a Bearer token for access",
        "Basic usage of basic authentication",
        'WWW-Authenticate: Bearer realm="x", resource_metadata="https://h/.well-known/x"',
        "token: the one to use",
        '{"token": {"type": "string"}, "required": ["token", "secret"]}',
        '{"authorization": {"type": "object"}}',
        '{"password": null, "secret": 5}',
        "progressToken=5, nextPageToken=abc, maxTokens: 4000",
        "risk_assessment task-management rt_get_status_of_all rt_status_v2 sk_learn_v2_fit",
        "token=<your token>",
        "compass=north bypass=1, the first pass: 3 tests, keys: a, b",
        "npm_install_package_and_update_lock_file hf_search_models_2",
        "mailto:someone@example.test or someone@example.test",
        "AKIAlike words and eyJustice.",
        "authorization: fp:0123456789",
        '"token": "fp:0123456789"',
        "it's 10 tokens; cookies are fine",
    ],
)
def test_what_only_talks_about_secrets_stays(text):
    assert Redactor().text(text) == text


def test_urls():
    url = Redactor(["opaque"]).url
    assert url("https://u:p@Host:1/p?a=1&token=2&b=3#frag") == "https://Host:1/p?a=1&token=***&b=3#***"
    assert url("https://h/mcp/sse?session_id=abc") == "https://h/mcp/sse?session_id=***"
    assert url("https://h/opaque/x?q=opaque") == "https://h/***/x?q=***"
    assert url("https://a@b@c/") == "https://c/"
    assert url("u:p@host/x") == "host/x"
    assert url("u:p@host/x?key=abc#frag") == "host/x?key=***#***"
    for plain in ("https://h/p?a=1#", "@NAME", "demo", "http://[::1", "", "a b"):
        assert url(plain) == plain


@given(st.text())
@example(":@#0")
def test_any_text_is_taken_for_a_url(text):
    once = Redactor().url(text)
    assert Redactor().url(once) == once


def test_values_are_masked_for_their_names():
    assert Redactor().value(
        {
            "headers": {"Authorization": "x", "Accept": "y", "Set-Cookie": ["a", "b"], "mcp-session-id": "z"},
            "env": [{"name": "GITHUB_TOKEN", "value": "x"}, {"name": "HOME", "value": "/h"}],
            "pairs": [("cookie", "x"), ("accept", "y")],
            "secret": {"a": [1, "b", None, True]},
            "_meta": {"progressToken": 5},
            "token": "",
            "apiKey": None,
            "password": "fp:0123456789",
        }
    ) == {
        "headers": {"Authorization": MASK, "Accept": "y", "Set-Cookie": [MASK, MASK], "mcp-session-id": MASK},
        "env": [{"name": "GITHUB_TOKEN", "value": MASK}, {"name": "HOME", "value": "/h"}],
        "pairs": [("cookie", MASK), ("accept", "y")],
        "secret": {"a": [MASK, MASK, None, True]},
        "_meta": {"progressToken": 5},
        "token": "",
        "apiKey": None,
        "password": "fp:0123456789",
    }


SCHEMA = {
    "type": "object",
    "properties": {
        "token": {"type": "string", "minLength": 1, "enum": ["a", "b"]},
        "properties": {"type": "object", "properties": {"secret": True}},
        "password": {"$ref": "#/$defs/password"},
    },
    "$defs": {"password": {"type": "string"}},
    "required": ["token", "password"],
    "dependentRequired": {"token": ["password"]},
}


def test_a_schema_of_secret_fields_stays():
    assert Redactor().value(SCHEMA) == SCHEMA


def test_a_field_that_is_called_like_a_keyword_is_a_field():
    value = {"properties": {"properties": {"password": ["x"]}}}
    assert Redactor().value(value) == {"properties": {"properties": {"password": [MASK]}}}


def test_a_schema_gives_no_default_or_example_of_a_secret_field():
    field = {"type": "string", "default": "x", "examples": ["y"], "const": "z"}
    assert Redactor().value({"properties": {"token": field}}) == {
        "properties": {"token": {"type": "string", "default": MASK, "examples": [MASK], "const": MASK}}
    }


def test_secrets_are_found_in_names_and_numbers_and_no_member_is_lost():
    redactor = Redactor(["opaque", "1234567"])
    assert redactor.value({"opaque": 1, "xopaque": 1234567, "x***": 2}) == {
        MASK: 1,
        f"x{MASK}": MASK,
        f"x{MASK} (3)": 2,
    }
    assert redactor.value({"cookies": {"opaque": {"opaque": "x"}}}) == {"cookies": {MASK: {MASK: MASK}}}
    assert redactor.value(Secret("x")) == MASK


PLANTED = "Pl4nted-Secret/Value+1"
PLAIN_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def plant(value, spelled):
    """Yield the value with the secret put into each of its places, one at a time: in every text and every name."""
    yield spelled
    if isinstance(value, str):
        yield from (spelled + value, value + spelled)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from ([*value[:index], planted, *value[index + 1 :]] for planted in plant(item, spelled))
    elif isinstance(value, dict):
        for name, item in value.items():
            rest = {key: other for key, other in value.items() if key != name}
            yield {**rest, name + spelled: item}
            yield from ({**rest, name: planted} for planted in plant(item, spelled))


@given(PLAIN_JSON, st.sampled_from(sorted(SPELLINGS)))
def test_a_secret_planted_anywhere_in_a_value_is_gone(value, spelling):
    redactor = Redactor([PLANTED])
    spelled = SPELLINGS[spelling](PLANTED)
    for planted in itertools.islice(plant(value, spelled), 30):
        shown = json.dumps(redactor.value(planted), ensure_ascii=False)
        assert spelled not in shown
        assert json.dumps(spelled)[1:-1] not in shown
        assert all(PLANTED not in view for view in decoded_everywhere(shown))


@given(PLAIN_JSON)
def test_the_shape_stays(value):
    def shape(value):
        if isinstance(value, dict):
            return [shape(item) for item in value.values()]
        return [shape(item) for item in value] if isinstance(value, list) else None

    assert shape(Redactor(["opaque"]).value(value)) == shape(value)


@pytest.mark.parametrize(
    "unit",
    ["eyJ", "token:", "cookie:", "cookie=a;", "sk_", "rt_a_", "//a@", "a:b@", "authorization: ", "-----BEGIN PRIVATE KEY-----",
     "\\", "%41", "\\u0041", 'token="', "bearer ", "basic ", "--token ", "?key=", "a", b64(SPIKY).rstrip("=")],
)  # fmt: skip
def test_time_grows_with_the_text_and_not_with_its_square(unit):
    # A square would take hours at this size; the limit of a test ends it.
    Redactor([SPIKY]).text(unit * (1_000_000 // len(unit)))


def test_very_many_names_that_become_one_take_no_square_of_time():
    assert len(Redactor().value({f"ghp_{number:016}": None for number in range(50_000)})) == 50_000


def test_what_is_learned_later_is_hidden_from_then_on():
    redactor = Redactor()
    assert redactor.value(["opaque"]) == ["opaque"]
    redactor.learn("opaque")
    assert redactor.value(["opaque"]) == [MASK]


def test_letters_that_change_their_length_do_not_move_what_is_hidden():
    assert Redactor().text("İİİİİİİİ Token=abc, x") == "İİİİİİİİ Token=*** x"

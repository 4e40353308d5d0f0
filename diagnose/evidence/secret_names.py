"""Which names (of headers, variables, JSON members, query parameters) announce a secret value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

_PUNCTUATION = re.compile(r"[^a-z0-9]+")

#: Endings of names, without case and punctuation: `Authorization`, `x-api-key`, `MERIDIAN_TOKEN`, `clientSecret`.
_ENDINGS = (
    "authorization",
    "token",
    "secret",
    "password",
    "passwd",
    "passwords",
    "passphrase",
    "passcode",
    "secrets",
    "apikey",
    "apikeys",
    "accesskey",
    "accountkey",
    "masterkey",
    "secretkey",
    "privatekey",
    "authkey",
    "signingkey",
    "encryptionkey",
    "credential",
    "credentials",
    "cookie",
    "cookies",
    "jwt",
    "sessionid",
)
_WHOLE = frozenset({"pwd", "pass", "creds", "bearer", "otp", "csrf", "xsrf"})
#: Short words that announce one only where they are the last word of a name: `DB_PASS` and `dbPass`, not `compass`.
_LAST_WORD = re.compile(r"(?:[^A-Za-z0-9](?i:pass|pwd|creds)|[a-z0-9](?:Pass|Pwd|Creds))\Z")
#: What tells several of a kind apart, as in `API_KEY_2`.
_DIGITS = "0123456789"

#: Tokens of a protocol that open nothing: where to go on, what a progress message belongs to.
_HARMLESS = frozenset(
    {"progresstoken", "nexttoken", "pagetoken", "nextpagetoken", "continuationtoken", "cancellationtoken", "synctoken"}
)

#: Query parameters that are secret in a URL, though the same word means nothing elsewhere.
QUERY_NAMES = (
    "key",
    "code",
    "sig",
    "signature",
    "auth",
    "sid",
    "session",
    "assertion",
    "ticket",
    "x-amz-signature",
    "x-amz-credential",
    "x-goog-signature",
    "x-goog-credential",
)

#: Headers whose unquoted value after a colon is taken as it stands; of other names prose might be meant.
_HEADERS = frozenset({"xapikey", "apikey", "mcpsessionid", "xauthtoken", "xaccesstoken", "xcsrftoken", "privatetoken"})


def is_secret_name(name: str) -> bool:
    """Return whether a value under ``name`` is to be hidden, whatever it looks like."""
    plain = _plain(name)
    if plain in _WHOLE or _LAST_WORD.search(name[-_LONGEST:]):
        return True
    return plain.rstrip(_DIGITS).endswith(_ENDINGS) and plain not in _HARMLESS


def is_secret_header(name: str) -> bool:
    """Return whether ``name`` is a header that only ever carries a secret."""
    return _plain(name) in _HEADERS


def is_secret_parameter(name: str) -> bool:
    """Return whether the value of the query parameter ``name`` is to be hidden."""
    return name.lower() in QUERY_NAMES or is_secret_name(name)


def secret_values(named: Mapping[str, str]) -> list[str]:
    """Return the values, of an environment for instance, whose names announce a secret."""
    return [value for name, value in named.items() if value and is_secret_name(name)]


def secret_arguments(command: Sequence[str]) -> list[str]:
    """Return what follows a name that announces a secret, as in `--api-key K`, `TOKEN=T` and `--header 'X-Key: K'`."""
    words: list[str] = []
    for option, following in pairwise([*command, ""]):
        name, equals, value = option.partition("=")
        if is_secret_name(name.lstrip("-")) and (equals or option.startswith("-")):
            words.append(value if equals else following)
        field, colon, value = option.partition(":")
        if colon and is_secret_name(field):
            words.append(value.strip())
    return [word for word in words if word]


#: Longer names end as their last characters do; nothing longer is kept for a second question.
_LONGEST = 64


def _plain(name: str) -> str:
    return _plain_tail(name[-_LONGEST:])


@lru_cache(maxsize=4096)
def _plain_tail(name: str) -> str:
    return _PUNCTUATION.sub("", name.lower())

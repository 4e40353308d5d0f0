"""Secrets that nobody told us of, known by how they look; each search takes time linear in the text.

To stay so under hostile text, a quantifier that could run over the same characters from many starting points is
bounded, or held by a lookbehind to the start of a word.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator

from diagnose.evidence.secret_names import QUERY_NAMES, is_secret_header, is_secret_name

Span = tuple[int, int]

# A secret that was already replaced by its keyed fingerprint (`Secret.fingerprint`) tells nothing and is worth keeping.
_FINGERPRINT = re.compile(r"fp:[0-9a-f]{10,64}")


def shape_spans(text: str) -> Iterator[Span]:
    """Yield where ``text`` holds something that looks like a secret; spans may overlap."""
    lower = text.lower()
    for needles, pattern in _SHAPES:
        for needle in needles:
            if needle in lower:
                yield from (match.span("s") for match in re.finditer(pattern, text))
                break
    if "basic" in lower:
        yield from _basic_spans(text)
    if ":" in text or "=" in text:
        yield from _assigned_spans(text, lower if len(lower) == len(text) else _lower_in_place(text))


def is_fingerprint(text: str) -> bool:
    """Return whether ``text`` is a keyed fingerprint in place of a secret."""
    return _FINGERPRINT.fullmatch(text) is not None


# Words after "Bearer" that make it prose or a challenge (RFC 6750, section 3) and not a credential.
_PROSE = (
    r"(?!(?:tokens?|auth\w{0,20}|schemes?|credentials?|headers?|prefix|challenges?|access|value|string|format|key)\b"
    r"|[A-Za-z_]{1,30}=[\"\\])"
)
_SEPARATOR = r"""\\{0,8}["']?\s{0,4}[:=]\s{0,4}\\{0,8}["']?"""

# Lower-case words of which a text must hold one (a plain search, much quicker than the pattern), and the pattern, whose
# group `s` is what is hidden. The patterns here and below are texts: `re` compiles each when it is first needed, and
# remembers it. Most runs need few, and all of them take as long as twenty modules to load.
_SHAPES: tuple[tuple[tuple[str, ...], str], ...] = (
    (  # Of two words after the name the first may be the scheme, also one that we do not know.
        ("authorization",),
        (
            rf"(?i)authorization{_SEPARATOR}"
            r"""(?P<s>(?:digest|aws4-hmac-sha256)[ \t][^\r\n]+|(?!fp:|\*\*\*)[^\s"'<>\\{\[][^\s"'<>\\]*(?:[ \t]+[^\s"'<>\\]+)?)"""
        ),
    ),
    (("bearer",), rf"(?i)bearer[ \t]+{_PROSE}(?P<s>[A-Za-z0-9._~+/-]{{6,}}=*)"),
    (
        ("cookie",),
        (
            rf"(?i)cookie2?{_SEPARATOR}"
            r"""(?P<s>[^\s=;,"'\\]{1,256}=[^\s;"'\\]*(?:;[ \t]*[^\s=;,"'\\]+(?:=[^\s;"'\\]*)?)*)"""
        ),
    ),
    (("?", "&"), rf"""(?i)[?&](?:{"|".join(QUERY_NAMES)})=(?P<s>[^\s"'&<>\\#]+)"""),
    (  # an option and its value on a command line
        ("--",),
        r"(?i)(?<!\S)--[a-z-]{0,32}(?:token|secret|password|passphrase|api-?key)[ \t]+(?P<s>[^\s\"'<>-][^\s\"'<>]*)",
    ),
    (("@",), r"""//(?P<s>[^\s/?#"'<>\\@]{1,512}(?:@[^\s/?#"'<>\\@]{1,512}){0,4})@"""),
    (  # userinfo where somebody forgot the scheme
        ("@",),
        (
            r"(?<![^\s\"'(<])(?!(?:mailto|npm|acct|xmpp|sips?):)[A-Za-z0-9._~%+-]{1,64}:(?P<s>[^\s/@\"'<>]{1,256})@"
            r"(?=[A-Za-z0-9.-]{1,253}(?:[:/?#\s\"'),]|$))"
        ),
    ),
    (
        ("sk_", "sk-", "rt_", "rt-"),
        (
            r"(?<![A-Za-z0-9])(?P<s>(?:sk|rt)[_-](?:(?:meridian|live|test|proj|ant|svcacct|admin)[_-][A-Za-z0-9_-]{4,}"
            # Without a known word it must look random, for `rt_get_status_v2` may be a tool.
            r"|(?:[A-Za-z0-9]{1,20}[_-]){0,3}(?:(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{10,}|[A-Za-z0-9]{24,})[A-Za-z0-9_-]*))"
        ),
    ),
    (
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?<![A-Za-z0-9])(?P<s>(?:gh[opusr]|github_pat)_[A-Za-z0-9_]{10,})",
    ),
    (  # Names of tools have such beginnings, too, but hardly thirty letters and digits without a break.
        ("npm_", "hf_", "gsk_", "shpat_", "lin_api_", "dop_v1_"),
        r"(?<![A-Za-z0-9_])(?P<s>(?:npm|hf|gsk|shpat|lin_api|dop_v1)_[A-Za-z0-9]{30,})",
    ),
    (("ya29.",), r"(?<![A-Za-z0-9])(?P<s>ya29\.[A-Za-z0-9_-]{15,})"),
    (("hooks.slack.com/",), r"hooks\.slack\.com/(?P<s>[A-Za-z0-9/_-]{10,})"),
    (("glpat-",), r"(?<![A-Za-z0-9])(?P<s>glpat-[A-Za-z0-9_-]{10,})"),
    (("xox", "xapp-"), r"(?<![A-Za-z0-9])(?P<s>(?:xox[a-z]|xapp)-[A-Za-z0-9-]{8,})"),
    (("akia", "asia"), r"(?<![A-Za-z0-9])(?P<s>A[KS]IA[0-9A-Z]{12,})(?![a-z])"),
    (("aiza",), r"(?<![A-Za-z0-9])(?P<s>AIza[0-9A-Za-z_-]{30,})"),
    (("eyj",), r"(?<![A-Za-z0-9_-])(?P<s>eyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){2,4})"),
    (
        ("private key",),
        (
            r"(?s)(?P<s>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:.*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|.*))"
        ),
    ),
)

_BASIC = r"(?i)basic[ \t]+(?P<s>[A-Za-z0-9+/_-]{4,}=*)"


def _basic_spans(text: str) -> Iterator[Span]:
    """Yield credentials of RFC 7617, told from "Basic usage" by the colon of ``user:password`` once decoded."""
    pattern, at = re.compile(_BASIC), 0
    while match := pattern.search(text, at):
        at = match.start("s")
        if _holds_colon(match["s"]):
            yield match.span("s")


def _holds_colon(encoded: str) -> bool:
    standard = encoded.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    try:
        return b":" in binascii.a2b_base64(standard + "=" * (-len(standard) % 4))
    except binascii.Error:
        return False


# What `_HEAD` starts with: found by plain searches, which are much quicker than the pattern.
_WORDS = ("token", "secret", "pass", "pwd", "key", "cred", "cookie", "jwt", "session", "bearer")
_HEAD = (
    r"(?i)(?P<word>(?:token|secrets?|pass(?:words?|wd|phrase|code)?|pwd|keys?|cred(?:ential)?s?|cookies?|jwt"
    r"|session[_-]?id|bearer)(?:[_-]?[0-9]{1,3})?)"
    r"""(?P<closed>\\{0,8}["'])?\s{0,4}(?P<sep>[:=])(?!=)\s{0,4}(?P<escaped>\\{1,8}(?=["']))?(?P<quote>["'])?"""
)
_BARE_VALUE = r"""(?:[^\s"'&<>\\{\[]|\\(?![\\"'nrt]))(?:[^\s"'&<>\\]|\\(?![\\"'nrt]))*"""
_QUOTED_VALUE = {'"': r'(?s)(?:[^"\\]|\\.)+', "'": r"(?s)(?:[^'\\]|\\.)+"}
_ESCAPED_VALUE = r"""[^"'\\]+"""
_NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_NAME_REACH = 64
_WORD_REACH = 64
_SHORTEST_WORD = 6


def _assigned_spans(text: str, lower: str) -> Iterator[Span]:
    """Yield the values of ``NAME=value``, ``"name": "value"`` and ``name: value`` for names that announce a secret."""
    done = 0
    for at in sorted(at for word in _WORDS for at in _occurrences(lower, word)):
        head = re.compile(_HEAD).match(text, at) if at >= done else None
        if head is None:
            continue
        name = _name_before(text, at) + head["word"]
        if is_secret_name(name) and (value := _assigned_value(text, head, name)):
            done = value[1]
            if not is_fingerprint(text[slice(*value)]):
                yield value


def _occurrences(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _lower_in_place(text: str) -> str:
    """Lower each character that stays one character, so that positions stay (a few, such as U+0130, become two)."""
    return "".join(lower if len(lower := char.lower()) == 1 else char for char in text)


def _name_before(text: str, end: int) -> str:
    window = text[max(0, end - _NAME_REACH) : end]
    return window[len(window.rstrip(_NAME_CHARACTERS)) :]


def _assigned_value(text: str, head: re.Match[str], name: str) -> Span | None:
    if head["quote"]:
        pattern = _ESCAPED_VALUE if head["escaped"] else _QUOTED_VALUE[head["quote"]]
    elif head["closed"]:
        return None  # a quoted name with an object, a list or a number: JSON, which has to stay JSON
    elif head["sep"] == "=" or is_secret_header(name) or _is_no_prose(text, head.end()):
        pattern = _BARE_VALUE
    else:
        return None
    match = re.compile(pattern).match(text, head.end())
    return match.span() if match else None


def _is_no_prose(text: str, at: int) -> bool:
    """Tell "password: hunter22" from "token: the one to use"."""
    word = re.split(r"\s", text[at : at + _WORD_REACH], maxsplit=1)[0]
    return len(word) >= _SHORTEST_WORD and any(char.isdigit() for char in word)

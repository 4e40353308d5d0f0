"""The one redactor: what may leave the program goes through it, then through `harmless`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from diagnose.evidence.secret import MASK, Secret
from diagnose.evidence.secret_names import is_secret_name, is_secret_parameter
from diagnose.evidence.secret_shapes import is_fingerprint, shape_spans
from diagnose.evidence.spellings import SHORTEST, Known

# Replacing one secret may uncover another (`SECRETsk_live_...`), so a changed text is read again; each further pass
# needs a secret that the last one uncovered.
_PASSES = 8

# RFC 3986, appendix B: total, where `urllib.parse` raises on what a person may well have typed.
_URL = re.compile(
    r"(?s)(?P<scheme>[^:/?#]+:)?(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?"
)
_BARE_USERINFO = re.compile(r"[^/?#@\s]*:[^/?#\s]*@")
_SCHEME_AND_VALUE = re.compile(r"(?i)(?:bearer|basic|token|apikey|negotiate|dpop)\s+(?P<value>\S.*)")

# The longest text whose redaction is remembered: the names and keywords that JSON repeats.
_WORD = 64

# So many characters has a value that is hidden wherever it stands, though nobody said that it is a secret.
_HARDLY_A_WORD = 8

_NUMBER = re.compile(r"-?[0-9]{2,1000}")

# Keywords of JSON Schema whose members are named by the schema's author, and those that hold values.
_NAME_MAPS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired", "dependencies"}
)
_SCHEMA_VALUES = frozenset({"default", "const", "example", "examples"})
_SCHEMA_WORDS = frozenset(
    {"type", "$ref", "properties", "items", "enum", "anyOf", "oneOf", "allOf", "not", "format", "description", "title"}
)


class Redactor:
    """Replaces secrets by ``***``: those it was told of in every spelling, others by their name or shape.

    A secret of fewer than four characters is replaced only where it is a whole text or JSON value. Applying a redactor
    to its own output changes nothing. Text must come here before `harmless` or a JSON encoder cuts or wraps it.
    """

    def __init__(self, secrets: Iterable[Secret | str] = ()) -> None:
        self._whole: frozenset[str] = frozenset()
        self._known = Known()
        self._numbers: frozenset[int] = frozenset()
        self._word = self._remembering()
        for secret in secrets:
            self.learn(secret)

    def learn(self, secret: Secret | str) -> None:
        """Hide ``secret`` from now on; of a value such as ``Bearer abc`` also the part after the scheme."""
        value = secret.reveal() if isinstance(secret, Secret) else secret
        if not value or value in self._whole:
            return
        # Replaced, never changed: another thread may be reading.
        self._whole |= {value}
        if len(value) >= SHORTEST:
            self._known = self._known.with_secret(value)
        if _NUMBER.fullmatch(value):
            self._numbers |= {int(value)}
        self._word = self._remembering()
        if match := _SCHEME_AND_VALUE.fullmatch(value):
            self.learn(match["value"])

    def learn_long(self, values: Iterable[str]) -> None:
        """Hide those of some values that are hardly a word of a text: what only a name gives away may be `test`."""
        for value in values:
            if len(value) >= _HARDLY_A_WORD:
                self.learn(value)

    def text(self, text: str) -> str:
        """Return ``text`` without secrets."""
        for _ in range(_PASSES):
            redacted = self._once(text)
            if redacted == text:
                break
            text = redacted
        return text

    def url(self, url: str) -> str:
        """Return ``url`` without userinfo, and with the fragment and the values of secret parameters masked.

        Anything is accepted, also what is no URL.
        """
        match = _URL.fullmatch(url)
        while match is not None and match["authority"] is None and (userinfo := _BARE_USERINFO.match(url)):
            # A person may leave out the scheme; what then follows is the rest of a URL all the same.
            url = url[userinfo.end() :]
            match = _URL.fullmatch(url)
        if match is None:
            return self.text(url)
        authority, query, fragment = match["authority"], match["query"], match["fragment"]
        parts = [match["scheme"] or ""]
        if authority is not None:
            parts.append("//" + authority.rpartition("@")[2])
        parts.append(match["path"])
        if query is not None:
            parts.append("?" + "&".join(map(self._parameter, query.split("&"))))
        if fragment is not None:
            parts.append("#" + (MASK if fragment else ""))
        return self.text("".join(parts))

    def value(self, value: Any) -> Any:
        """Return JSON ``value`` in the same shape without secrets, in names and in values.

        A value is masked for its name, too (`is_secret_name`), also in ``{"name": ..., "value": ...}`` and in a tuple
        of name and value. A JSON Schema that describes a field of such a name stays, but for its default and examples.
        """
        if isinstance(value, str):
            return self._word(value) if len(value) <= _WORD else self.text(value)
        if isinstance(value, Mapping):
            return self._object(value)
        if isinstance(value, tuple):
            return self._header(value) or tuple(map(self.value, value))
        if isinstance(value, list):
            return [self.value(item) for item in value]
        is_known = isinstance(value, Secret) or (isinstance(value, int) and value in self._numbers)
        return MASK if is_known else value

    def _remembering(self) -> Callable[[str], str]:
        """Return `text` for short texts, of which JSON repeats most; made anew when there is more to hide."""
        return lru_cache(maxsize=4096)(self.text)

    def _once(self, text: str) -> str:
        if text in self._whole:
            return MASK
        return _masked(text, [*self._known.spans(text), *shape_spans(text)])

    def _parameter(self, parameter: str) -> str:
        name, equals, value = parameter.partition("=")
        return f"{name}={MASK}" if equals and value and is_secret_parameter(name) else parameter

    def _object(self, members: Mapping[Any, Any], *, names_are_fields: bool = False) -> dict[Any, Any]:
        """Redact an object; ``names_are_fields`` says that its names are those of fields that schemas describe."""
        result: dict[Any, Any] = {}
        subject = members.get("name")
        names_its_value = isinstance(subject, str) and is_secret_name(subject)
        for name, value in members.items():
            announces = isinstance(name, str) and (is_secret_name(name) or (names_its_value and name == "value"))
            if announces:
                redacted = self._announced(value, is_field=names_are_fields)
            elif isinstance(value, Mapping) and name in _NAME_MAPS and not names_are_fields:
                redacted = self._object(value, names_are_fields=True)
            else:
                redacted = self.value(value)
            result[self._name(name, result)] = redacted
        return result

    def _announced(self, value: Any, *, is_field: bool) -> Any:
        """Redact a value whose name announces a secret; ``is_field``: where a schema is expected."""
        if isinstance(value, Mapping) and (is_field or not _SCHEMA_WORDS.isdisjoint(value)):
            return self._object(
                {name: _hidden(item) if name in _SCHEMA_VALUES else item for name, item in value.items()}
            )
        if is_field and isinstance(value, list):
            return self.value(value)  # dependentRequired: names
        return self.value(_hidden(value))

    def _header(self, pair: tuple[Any, ...]) -> tuple[Any, ...] | None:
        match pair:
            case (str(name), str(value)) if is_secret_name(name):
                return self.text(name), _hidden(value)
        return None

    def _name(self, name: Any, taken: Mapping[Any, Any]) -> Any:
        if not isinstance(name, str):
            return name
        redacted = unique = self.value(name)
        number = len(taken)  # not 1: a server may send very many names that become one
        while unique in taken:
            number += 1
            unique = f"{redacted} ({number})"
        return unique


def _hidden(value: Any) -> Any:
    """Mask every text and number in ``value``; a truth value, null or a fingerprint gives nothing away."""
    if isinstance(value, Mapping):
        return {name: _hidden(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(item) for item in value]
    if value is None or isinstance(value, bool) or value == "" or (isinstance(value, str) and is_fingerprint(value)):
        return value
    return MASK


def _masked(text: str, found: list[tuple[int, int]]) -> str:
    """Replace all ``found`` spans of ``text``; those that touch become one mask."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(found):
        if start > done or not pieces:
            pieces += (text[done:start], MASK)
        done = max(done, end)
    return "".join(pieces) + text[done:]

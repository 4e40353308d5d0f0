"""A definition as the store keeps it: its JSON text, and the hash that the text is found by."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from diagnose.surface import Tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from diagnose.evidence.redact import Redactor


@dataclass(frozen=True, slots=True)
class Body:
    """One entry of a tool list: its JSON text, with every field and the order of keys, and the SHA-256 of that text.

    The hash is not the RFC 8785 digest, so that two definitions that differ only in what no caller sees are both kept as
    they were received.
    """

    hash: str
    text: str

    @classmethod
    def of(cls, entry: Any) -> Body:
        """Return the body of an entry, whatever JSON it is."""
        text = json_text(entry)
        return cls(hash_of(text), text)

    @classmethod
    def without_credentials(cls, entry: Any, redactor: Redactor) -> Body:
        """Return the body of an entry as `without_credentials` leaves it."""
        return cls.of(without_credentials(entry, redactor))

    @property
    def intact(self) -> bool:
        """Whether the text is the one that the hash was made of."""
        return isinstance(self.text, str) and self.hash == hash_of(self.text)


def without_credentials(entry: Any, redactor: Redactor) -> Any:
    """Return an entry as received; one that held a credential is marked, beside the digest that it had.

    A server could write that mark itself, to pass for a definition that it is not. The digest beside it is ours then, too.
    """
    clean = redactor.value(entry)
    if isinstance(clean, dict) and (clean != entry or "$redacted" in clean):
        return {**clean, "$redacted": True, "$digest": Tool.of(entry).digest}
    return clean


def json_text(value: Any) -> str:
    """Return a JSON value as text that has a UTF-8 form and reads back as the same value.

    What is not ASCII stays readable, unless the value holds a lone surrogate: then all of it is escaped. Numbers that are
    not finite are written as Python reads them (`NaN`), which strict JSON has not.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 form, in lower-case hex."""
    return sha256(text.encode()).hexdigest()


def list_hash(bodies: Iterable[Body]) -> str:
    """Return the hash of a list of bodies in their order."""
    return hash_of("\n".join(body.hash for body in bodies))

"""A value that must never be seen."""

from __future__ import annotations

import hashlib
import hmac
from typing import NoReturn, final

#: What stands in place of a secret wherever something is shown, stored or sent on.
MASK = "***"


@final
class Secret:
    """A credential that prints as ``***``; only `reveal` gives it away, so that each use of it can be found by name.

    It cannot be pickled and JSON encoders refuse it, copies are the object itself, and comparing takes the same time
    however much of the two values agrees.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the value itself: for the request that needs it, for a keyring, for nothing else."""
        return self._value

    def fingerprint(self, key: bytes) -> str:
        """Return ``fp:`` and ten hex digits that tell equal secrets of one machine apart from others.

        It is an HMAC-SHA256 under the machine's ``key``: without that key no guess at the value can be tested.
        """
        return "fp:" + hmac.new(key, self._encoded(), hashlib.sha256).hexdigest()[:10]

    def _encoded(self) -> bytes:
        return self._value.encode("utf-8", "surrogatepass")

    def __repr__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return MASK

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._encoded(), other._encoded())

    def __hash__(self) -> int:
        return hash(self._value)

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Secret:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a Secret is never pickled")

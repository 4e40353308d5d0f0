"""What came back over HTTP, as received."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.record import record


@record
class Headers:
    """Header fields in the order in which they came; names are compared without regard to case."""

    pairs: tuple[tuple[str, str], ...] = ()

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return the first value of ``name``, or ``default``."""
        return next(iter(self.all(name)), default)

    def all(self, name: str) -> tuple[str, ...]:
        """Return every value of ``name``."""
        wanted = name.lower()
        return tuple(value for key, value in self.pairs if key.lower() == wanted)

    @property
    def media_type(self) -> str:
        """The content type in lower case and without parameters; empty if none was given."""
        return (self.get("content-type") or "").partition(";")[0].strip().lower()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)


@record
class HttpAnswer:
    """A whole answer: any status, the body already decoded (gzip, deflate) and within its bound."""

    status: int
    headers: Headers
    body: bytes
    url: str
    """What was asked for in the end, without userinfo and fragment."""
    elapsed_ms: float
    """From the start of the last attempt to the end of the body."""
    redirects: tuple[str, ...] = ()
    """The URLs that were left for another, oldest first."""
    http_version: str = "HTTP/1.1"

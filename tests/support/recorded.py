"""Recorders for tests, and a way to read what they kept."""

from diagnose.observe.recorder import Recorder


def recorder(transport="http", **options):
    return Recorder(transport=transport, started_at="2026-11-30T12:00:00.000Z", key=b"k" * 32, **options)


def told(recording):
    """Return each event in a few words: who, what, and what it says."""
    return [" ".join(word for word in _words(event) if word) for event in recording.events]


def _words(event):
    message = event.message if isinstance(event.message, dict) else {}
    yield event.sender
    yield event.kind if event.kind != "message" else ""
    yield event.method or message.get("method", "")
    yield event.purpose or ""
    yield str(event.status or "")
    yield event.event or event.reason or ""
    if event.kind == "stream-close":
        yield "clean" if event.clean else "cut"
    if event.kind == "raw":
        yield repr(event.data)

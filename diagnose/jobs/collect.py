"""The evidence of `triage` as a bundle that may leave the machine: credentials are taken out here, before anything is written."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diagnose.errors import UsageError
from diagnose.evidence.bundle_document import bundle_files
from diagnose.evidence.imprint import Imprint
from diagnose.evidence.recording_document import recording_document
from diagnose.evidence.secret_names import secret_values
from diagnose.jobs.evidence import MAX_RECORDING, read_recording
from diagnose.jobs.triage import TriageRequest, gather
from diagnose.judge.words import counted
from diagnose.store.body import json_text, without_credentials
from diagnose.store.files import read_bounded
from diagnose.surface import JsonError, Tool, parse_json
from diagnose.tap.captures import is_recording

if TYPE_CHECKING:
    from diagnose.evidence.bundle import Bundle
    from diagnose.evidence.redact import Redactor
    from diagnose.jobs.access import Surroundings

_LABELS = ("session", "principal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What is to be written: files by name, and what is in each, for people."""

    bundle: Bundle
    files: Mapping[str, bytes]
    contents: tuple[str, ...]


def collect(request: TriageRequest, around: Surroundings, key: bytes) -> Collected:
    """Gather the evidence and take credentials out of it; ``key`` fingerprints what must stay tellable.

    Raises `DiagnoseError` for what cannot be read.
    """
    redactor = around.redactor
    redactor.learn_long(secret_values(around.env))
    bundle = gather(request, around)
    recordings = [
        clean_recording(_lines(path, request.beside.server_key), redactor, key) for path in request.beside.recordings
    ]
    files = bundle_files(
        bundle,
        recordings,
        entry=lambda entry: without_credentials(entry, redactor),
        value=redactor.value,
    )
    if not any(name != "bundle.json" for name in files):
        raise UsageError(
            "there is nothing to collect", advice="Name a TARGET, or files with --recording or --registry."
        )
    return Collected(bundle=bundle, files=files, contents=tuple(_contents(bundle, files)))


def _contents(bundle: Bundle, files: Mapping[str, bytes]) -> list[str]:
    """Return a line for each file: its size, and what it holds."""
    said = []
    for name, data in sorted(files.items()):
        seen = getattr(bundle, name.removesuffix(".json"), None)
        surface = getattr(seen, "surface", None)
        tools = "" if surface is None else f", {counted(surface.count, 'tool')}"
        lines = f", {counted(data.count(bytes([10])), 'line')}" if name.endswith(".jsonl") else ""
        said.append(f"{name}: {counted(len(data), 'byte')}{tools}{lines}")
    return said


def _lines(path: str, server_key: str | None) -> bytes:
    """Return a recording as lines; what another program keeps of a session becomes one of ours, without payloads."""
    data = read_bounded(path, MAX_RECORDING)
    if is_recording(data):
        return data
    told = (json_text(entry) for entry in recording_document(read_recording(path, server_key)))
    return "".join(f"{line}\n" for line in told).encode("utf-8", "surrogatepass")


def clean_recording(data: bytes, redactor: Redactor, key: bytes) -> bytes:
    """Return the lines of a recording without credentials; a line that is no JSON was cut, and is left out."""
    lines = []
    imprint = Imprint(key, redactor)
    for line in data.split(b"\n"):
        try:
            value = parse_json(line).value if line.strip() else None
        except JsonError:
            continue
        if isinstance(value, dict):
            lines.append(json_text(_clean_event(value, redactor, imprint)))
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def _clean_event(event: dict[str, Any], redactor: Redactor, imprint: Imprint) -> Any:
    """Return one event as our own tap would keep it, whoever made it; everything else goes through the redactor."""
    told = redactor.value(event) | {name: imprint.fingerprint(label) for name, label in _texts(event, *_LABELS)}
    told |= {name: imprint.path(path) for name, path in _texts(event, "path")}
    if "message" in event:
        told["message"] = _clean_message(event["message"], redactor)
    headers = event.get("headers")
    if isinstance(headers, Mapping):
        told["headers"] = imprint.headers((str(name), str(value)) for name, value in headers.items())
    for _, raw in _texts(event, "base64"):
        told |= _clean_bytes(raw, redactor)
        told = {name: value for name, value in told.items() if value is not None}
    return told


def _clean_message(message: Any, redactor: Redactor) -> Any:
    """Return a message or batch; a definition that is changed by it counts by the digest that it had."""
    if isinstance(message, list):
        return [_clean_message(each, redactor) for each in message]
    clean = redactor.value(message)
    result = message.get("result") if isinstance(message, dict) else None
    if isinstance(result, dict) and isinstance(result.get("tools"), list):
        clean["result"]["tools"] = [_clean_definition(tool, redactor) for tool in result["tools"]]
    return clean


def _clean_definition(tool: Any, redactor: Redactor) -> Any:
    # The mark of whoever recorded it is kept: the definition that its digest is of has not been seen since.
    if isinstance(tool, dict) and Tool.recorded(tool) is not None:
        return redactor.value(tool)
    return without_credentials(tool, redactor)


def _texts(event: dict[str, Any], *names: str) -> list[tuple[str, str]]:
    return [(name, value) for name in names if isinstance(value := event.get(name), str) and value]


def _clean_bytes(raw: str, redactor: Redactor) -> dict[str, Any]:
    """Return bytes that are no message: as text where a credential was taken out of them."""
    try:
        text = base64.b64decode(raw).decode("utf-8", "backslashreplace")
    except ValueError:
        return {"base64": None, "text": ""}
    clean = redactor.text(text)
    return {} if clean == text else {"base64": None, "text": clean}

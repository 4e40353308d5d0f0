"""A document as JSON text, in the one way in which all of ours are written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from diagnose.evidence.harmless import harmless_json
from diagnose.evidence.strict_json import finite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnose.evidence.redact import Redactor


def json_document(document: Mapping[str, Any], redactor: Redactor) -> str:
    """Return a document as strict JSON: redacted, its keys in the order given, and nothing in it that could act."""
    clean = finite(redactor.value(document))
    return harmless_json(json.dumps(clean, ensure_ascii=False, indent=2, allow_nan=False))


def json_line(document: Mapping[str, Any], redactor: Redactor) -> str:
    """Return a document as the same on one line, for a stream of lines."""
    clean = finite(redactor.value(document))
    return harmless_json(json.dumps(clean, ensure_ascii=False, allow_nan=False))

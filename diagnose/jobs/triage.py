"""The whole ladder: from a bundle, from a live server, or from both, with everything that was named beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.errors import UsageError
from diagnose.evidence.bundle import Bundle, Target
from diagnose.jobs.evidence import LIVE, Beside, with_client, with_files, with_path

if TYPE_CHECKING:
    from diagnose.jobs.access import Surroundings
    from diagnose.jobs.surface import SurfaceRequest

_LIVE = ("deployed", "manifest", "origin", "path", "baseline")


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageRequest:
    """What is looked at. ``live`` makes the request to a server, and is None where a bundle is all there is."""

    bundle: str | None = None
    live: Callable[[], SurfaceRequest] | None = None
    beside: Beside
    wait: float
    here: bool = False
    """Whether the client is one of this machine, so that its configuration can be read here."""


def is_bundle(operand: str | None) -> bool:
    """Tell whether an operand is a bundle: an existing file or folder is; it never causes a connection."""
    return operand is not None and Path(operand).exists()


def gather(request: TriageRequest, around: Surroundings) -> Bundle:
    """Return all the evidence. Raises `DiagnoseError` for a file or an option that is not what it should be."""
    from diagnose.store.bundles import read_bundle

    known = read_bundle(request.bundle) if request.bundle is not None else None
    bundle = known
    if request.live is None and request.beside.registry == LIVE:
        raise UsageError("--registry live asks the client, and a bundle alone connects to nobody")
    if request.live is not None:
        from diagnose.jobs.surface import observe_surface

        asked = request.live()
        seen = with_path(observe_surface(asked, around).bundle, request.beside, asked.options, around)
        seen = with_client(seen, request.beside, asked.options, around)
        bundle = seen if known is None else _joined(known, seen)
    if bundle is None:
        bundle = Bundle(created_at=around.now(), target=Target(id="unknown", transport="http", endpoint=""))
    whole = replace(with_files(bundle, request.beside), wait=request.wait)
    if not request.here:
        return whole
    from diagnose.jobs.policies import with_policies

    return with_policies(whole, around)


def _joined(known: Bundle, seen: Bundle) -> Bundle:
    """Return what a bundle holds with what was seen live: of the server's side, what was seen goes before."""
    layers = {layer: getattr(seen, layer) or getattr(known, layer) for layer in _LIVE}
    why = {layer: text for layer, text in seen.unobserved.items() if not getattr(known, layer, None)}
    return replace(
        seen,
        **layers,
        wire=known.wire,
        registry=seen.registry or known.registry,
        model=known.model,
        client=known.client,
        path_prefix=known.path_prefix,
        expected_tools=known.expected_tools,
        unobserved=why,
        notes=(*seen.notes, *known.notes),
    )

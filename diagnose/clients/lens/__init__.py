"""How clients and gateways show a surface: names always mapped forward, and rewritings that explain a definition."""

from __future__ import annotations

from diagnose.clients.lens.gateway import GatewayLens, find_prefix, gateway_lens
from diagnose.clients.lens.lens import Lens
from diagnose.clients.lens.namemap import Collision, NameMap
from diagnose.clients.lens.naming import Naming
from diagnose.clients.lens.reading import Reading
from diagnose.clients.lens.rules import MODEL_CARRIES, Rewriting
from diagnose.clients.lens.words import is_cut

__all__ = [
    "MODEL_CARRIES",
    "Collision",
    "GatewayLens",
    "Lens",
    "NameMap",
    "Naming",
    "Reading",
    "Rewriting",
    "find_prefix",
    "gateway_lens",
    "is_cut",
]

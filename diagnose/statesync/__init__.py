"""When an agent may trust what it read: globs, policies, directives, invalidation tags, stale URIs. Pure.

The scheme is MCP Fusion's, to the letter where the wire shows it, and exact where that is not. An integrator's own
client or server can use all of it: it opens nothing, and imports nothing heavy.

>>> policy = Declaration(separator=".", default="no-store")
>>> _ = policy.query("billing.get_invoice").cached()
>>> _ = policy.mutation("billing.refund").invalidates("billing.*", "dashboard.invoices")
>>> engine = policy.engine()
>>> decorated_tool({"name": "billing.get_invoice", "description": "One invoice"}, engine.resolve("billing.get_invoice"))
{'name': 'billing.get_invoice', 'description': 'One invoice [Cache-Control: immutable]'}
>>> result = decorated_result({"content": []}, "billing.refund", engine.resolve("billing.refund"))
>>> tags_in(result)[0].invalidation.domains
('billing.*', 'dashboard.invoices')
>>> [domain for domain in ("billing.*", "dashboard.invoices") if matches(domain, "billing.get_invoice")]
['billing.*']
"""

from __future__ import annotations

from diagnose.statesync.analysis import PolicyFlaw, analyse
from diagnose.statesync.contract import ContractChange, ContractLook, look_at_contract
from diagnose.statesync.declare import Declaration, Mutation, Query
from diagnose.statesync.decorate import PlacedTag, decorated_result, decorated_tool, tags_in
from diagnose.statesync.directive import (
    Directive,
    DirectiveFlaw,
    directive_flaws,
    find_directives,
    read_directive,
    strip_directives,
    write_directive,
)
from diagnose.statesync.engine import PolicyEngine, Resolution
from diagnose.statesync.globs import PatternError, SegmentLimitError, check_pattern, is_pattern, matches
from diagnose.statesync.lock import FusionLock, LockedTool, read_fusion_lock
from diagnose.statesync.names import Reading, is_reading, readings, resolve_wire_name
from diagnose.statesync.overlap import common_name, covers
from diagnose.statesync.policy import CacheControl, Policy, PolicyError
from diagnose.statesync.tag import Invalidation, TagError, format_invalidation, parse_invalidation
from diagnose.statesync.toml_form import read_policies, write_policies
from diagnose.statesync.uris import (
    StaleUri,
    is_manifest_uri,
    manifest_uri,
    parse_stale_uri,
    stale_params,
    stale_uri,
)

__all__ = [
    "CacheControl",
    "ContractChange",
    "ContractLook",
    "Declaration",
    "Directive",
    "DirectiveFlaw",
    "FusionLock",
    "Invalidation",
    "LockedTool",
    "Mutation",
    "PatternError",
    "PlacedTag",
    "Policy",
    "PolicyEngine",
    "PolicyError",
    "PolicyFlaw",
    "Query",
    "Reading",
    "Resolution",
    "SegmentLimitError",
    "StaleUri",
    "TagError",
    "analyse",
    "check_pattern",
    "common_name",
    "covers",
    "decorated_result",
    "decorated_tool",
    "directive_flaws",
    "find_directives",
    "format_invalidation",
    "is_manifest_uri",
    "is_pattern",
    "is_reading",
    "look_at_contract",
    "manifest_uri",
    "matches",
    "parse_invalidation",
    "parse_stale_uri",
    "read_directive",
    "read_fusion_lock",
    "read_policies",
    "readings",
    "resolve_wire_name",
    "stale_params",
    "stale_uri",
    "strip_directives",
    "tags_in",
    "write_directive",
    "write_policies",
]

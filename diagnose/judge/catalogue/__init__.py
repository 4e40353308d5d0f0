"""Every cause and what is known of it, as data. `causes.md` of the project decides what stands here."""

from __future__ import annotations

from diagnose.judge.catalogue import client, past, path, promises, rules, server, session
from diagnose.judge.catalogue.row import Row

__all__ = ["CATALOGUE", "CAUSES", "RULES", "Row"]

_FILES = (server, promises, path, session, client, past, rules)

#: In this order: what stands earlier goes first where evidence, layer and state decide nothing.
CATALOGUE: dict[str, Row] = {row.name: row for file in _FILES for row in file.ROWS}
CAUSES = tuple(row for row in CATALOGUE.values() if row.kind == "cause")
RULES = tuple(row for row in CATALOGUE.values() if row.kind == "rule")

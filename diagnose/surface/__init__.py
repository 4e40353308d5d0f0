"""Tools, surfaces and what sets two apart. Pure values: raw JSON in, hashes and changes out."""

from __future__ import annotations

from diagnose.surface.canonical import Unhashable
from diagnose.surface.change import ABSENT, IMPACTS, Change, Detail, Impact, Relation, worst
from diagnose.surface.difference import difference, relation, relation_of
from diagnose.surface.jsondefect import JsonDefect
from diagnose.surface.jsontext import JsonError, ParsedJson, parse_json
from diagnose.surface.revision import ALGORITHM, digest, revision
from diagnose.surface.surface import Surface
from diagnose.surface.tool import Tool

__all__ = [
    "ABSENT",
    "ALGORITHM",
    "IMPACTS",
    "Change",
    "Detail",
    "Impact",
    "JsonDefect",
    "JsonError",
    "ParsedJson",
    "Relation",
    "Surface",
    "Tool",
    "Unhashable",
    "difference",
    "digest",
    "parse_json",
    "relation",
    "relation_of",
    "revision",
    "worst",
]

"""The URIs of the scheme, under each of its names."""

from __future__ import annotations

import pytest

from diagnose.statesync import (
    PatternError,
    StaleUri,
    is_manifest_uri,
    manifest_uri,
    parse_stale_uri,
    stale_params,
    stale_uri,
)
from diagnose.statesync.uris import SCHEMES


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("pattern", ["billing.*", "**", "dashboard.invoices"])
def test_a_stale_uri_is_read_as_it_was_written(scheme, pattern):
    uri = stale_uri(pattern, scheme)
    assert uri == f"{scheme}://stale/{pattern}"
    assert parse_stale_uri(uri) == StaleUri(scheme=scheme, pattern=pattern)
    assert parse_stale_uri(uri).legal


def test_the_parameters_are_an_object():
    assert stale_params("billing.*") == {"uri": "mcpfusion://stale/billing.*"}


def test_an_illegal_pattern_is_read_but_not_written():
    assert not parse_stale_uri("mcpfusion://stale/billing.get_*\n").legal
    with pytest.raises(PatternError):
        stale_uri("billing.get_*")


@pytest.mark.parametrize(
    "uri", ["", "mcpfusion://stale/", "mcpfusion://manifest.json", "x://stale/a", "file:///stale/a"]
)
def test_other_uris(uri):
    assert parse_stale_uri(uri) is None


def test_manifests():
    assert manifest_uri() == "mcpfusion://manifest.json"
    assert all(is_manifest_uri(manifest_uri(scheme)) for scheme in SCHEMES)
    assert not is_manifest_uri("mcpfusion://manifest.json\n")
    assert not is_manifest_uri("MCP Fusion://manifest.json")

"""The scenes of the bench: a server that does well until it is told otherwise, and definitions that are spoilt."""

from __future__ import annotations

import pytest

from diagnose.reference.orchard import orchard
from diagnose.reference.scenes import FORGET, SCENES, SPOILS, SPOILT

from .conftest import Client


def test_sessions_are_forgotten_when_it_is_said_and_new_ones_are_kept(behind):
    client = Client(behind(SCENES["scene:sessions-forgotten"]), "legacy")
    client.handshake()
    assert client.rpc("tools/list")["result"]["tools"]
    assert client.http("POST", "/control", FORGET).status == 200
    assert client.post("tools/list").status == 404
    client.session = None
    client.handshake()
    assert client.post("tools/list").status == 200


@pytest.mark.parametrize("kind", SPOILS)
def test_a_spoilt_definition_stands_behind_the_good_ones(behind, kind):
    client = Client(behind(SCENES[f"scene:schema-{kind}"]), "legacy")
    client.handshake()
    *good, bad = client.rpc("tools/list")["result"]["tools"]
    assert good == orchard()
    assert bad["name"] == SPOILT
    assert {name: bad.get(name) for name in SPOILS[kind]} == SPOILS[kind]

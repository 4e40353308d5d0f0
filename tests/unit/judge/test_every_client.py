"""Every client of the playbook in the same scenes: what it shows under its own names is read by its own lens."""

from __future__ import annotations

import pytest
from unit.judge.looks import PICK, PRESS, PRUNE, RIPEN, bundle, origin, tool
from unit.judge.test_views import model, registry

from diagnose.clients import CLIENTS, lens_for
from diagnose.evidence.bundle import ClientEntry
from diagnose.evidence.observation import Page
from diagnose.judge import diagnose

KEY = "orchard"
FOUR = [PICK, PRUNE, RIPEN, PRESS]
BARE = {"name": "bare", "description": "Bare.", "inputSchema": {"oneOf": [{"type": "object"}]}}
MANY = [tool(f"grow_{number:02d}") for number in range(12)]
PAGES = tuple(
    Page(
        cursor=f"c{start}" if start else None,
        next_cursor=f"c{start + 5}" if start + 5 < len(MANY) else None,
        names=tuple(each["name"] for each in MANY[start : start + 5]),
    )
    for start in range(0, len(MANY), 5)
)


def shown(client, tools):
    lens = lens_for(client, KEY, ())
    return [{**each, "name": lens.forward(each["name"])} for each in tools]


SCENES = {
    "holds the list": (lambda c: {"registry": registry(shown(c, FOUR))}, "in-sync"),
    "offers the list": (lambda c: {"model": model(shown(c, FOUR))}, "in-sync"),
    "lacks one": (
        lambda c: {"registry": registry(shown(c, [PICK, RIPEN, PRESS]))},
        "stale/registry/client-registry-stale",
    ),
    "has old words": (
        lambda c: {"registry": registry(shown(c, [{**PICK, "description": "Old."}, PRUNE, RIPEN, PRESS]))},
        "stale/registry/client-registry-stale",
    ),
    "offers less than it holds": (
        lambda c: {"registry": registry(shown(c, FOUR)), "model": model(shown(c, FOUR[1:]))},
        "stale/model/client-index-stale",
    ),
    "drops one": (
        lambda c: {"origin": origin([*FOUR, BARE]), "registry": registry(shown(c, FOUR))},
        "broken/registry/schema-rejects-one",
    ),
    "drops all": (
        lambda c: {"origin": origin([*FOUR, BARE]), "registry": registry([])},
        "broken/registry/schema-rejects-all",
    ),
    "reads one page": (
        lambda c: {"origin": origin(MANY, pages=PAGES), "registry": registry(shown(c, MANY[:5]))},
        "stale/registry/page-truncated",
    ),
}


@pytest.mark.parametrize("client", [*(each.id for each in CLIENTS), "farmhand"])
def test_each_scene_is_told_alike(client):
    for scene, (layers, verdict) in SCENES.items():
        given = {"origin": origin(FOUR), **layers(client)}
        found = diagnose(bundle(client=ClientEntry(id=client, server_key=KEY), **given)).verdict
        named = "/".join(filter(None, (found.state, found.layer, found.cause)))
        assert named in {verdict, verdict.replace("client-registry-stale", "hosted-snapshot")}, (scene, found.summary)

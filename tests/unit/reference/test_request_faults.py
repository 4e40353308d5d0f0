"""Every fault of hints, definitions, cursors and refusals breaks what it is named after, and nothing else."""

from __future__ import annotations

import pytest

from diagnose.reference.faults import ERAS, FAULTS
from diagnose.reference.orchard import orchard

from .asked import ask_around
from .conftest import Client
from .look import look

FAMILIES = {
    "cache-hints-legacy",
    "cache-hints-missing-elsewhere",
    "cache-scope-invalid",
    "cursor-unchecked",
    "cursor-unstable",
    "definition-too-large",
    "discover-incomplete",
    "discover-overclaims",
    "header-annotation-invalid",
    "header-mismatch-accepted",
    "initialize-unhelpful",
    "invisible-characters",
    "list-too-large",
    "name-case-twins",
    "name-unusual",
    "number-precision",
    "page-scope-differs",
    "page-sizes",
    "private-identical",
    "private-without-credential",
    "removed-method-wrong",
    "revision-places-differ",
    "schema-invalid",
    "ttl-misuse",
    "ttl-on-varying-list",
    "ttl-too-long",
    "ttl-unit",
    "tunnel-degraded",
}
OF_REQUESTS = [(fault.name, era) for fault in FAULTS.values() if fault.rule in FAMILIES for era in fault.eras]
#: On the wire these are one thing; who else gets the list tells them apart.
PRIVATE = {"private-identical", "private-without-credential"}
#: What the other judge would have to say to these, too: they move, and their handshake cannot know how the next list is.
MOVING = {"ttl-misuse:changed-inside", "ttl-on-varying-list"}


@pytest.mark.parametrize("era", ERAS)
def test_the_honest_server_answers_as_it_should(server, era) -> None:
    server.change({"restore": True})
    assert ask_around(Client(server.url, era)) == set()


@pytest.mark.parametrize(("name", "era"), OF_REQUESTS)
def test_a_fault_breaks_what_it_is_named_after_and_nothing_else(behind, name: str, era: str) -> None:
    client = Client(behind(FAULTS[name]), era)
    assert ask_around(client) == {"private" if name in PRIVATE else FAULTS[name].rule}
    if name not in MOVING and name != "revision-places-differ":
        assert look(client).wrong == set()


def holding(url: str, token: str, era: str = "modern") -> Client:
    return Client(url, era, headers={"authorization": f"Bearer {token}"})


@pytest.mark.parametrize(
    ("name", "scope", "second"),
    [
        ("scope-leak", "public", orchard()[:2]),
        ("auth-view-diff", "private", orchard()[:2]),
        ("private-identical", "private", orchard()),
    ],
)
def test_principals_are_told_apart_by_their_credential(behind, name, scope, second) -> None:
    url = behind(FAULTS[name])
    for token, shown in [("one", orchard()), ("other", second), ("one", orchard())]:
        client = holding(url, token)
        assert look(client).wrong == set()
        (page,) = client.pages()
        assert (page["tools"], page["cacheScope"]) == (shown, scope)


def test_the_eras_are_shown_different_lists(behind) -> None:
    url = behind(FAULTS["eras-differ"])
    seen = {era: look(Client(url, era)) for era in ERAS}
    assert [seen[era].wrong for era in ERAS] == [set(), set()]
    assert seen["modern"].tools == orchard()
    assert seen["legacy"].tools == orchard()[:-1]


@pytest.mark.parametrize("era", ERAS)
def test_a_list_depends_on_the_connection_and_on_nothing_else(behind, era) -> None:
    client = Client(behind(FAULTS["list-varies-by-connection"]), era)
    client.handshake()
    with client.held() as one, client.held() as other:
        lists = [held.rpc("tools/list")["result"]["tools"] for held in (one, other, one, other, one)]
    assert lists[0] == lists[2] == lists[4]
    assert lists[1] == lists[3]
    assert {len(tools) for tools in lists} == {2, 3}


@pytest.mark.parametrize("era", ERAS)
def test_a_list_depends_on_what_was_asked_before_over_its_connection(behind, era) -> None:
    client = Client(behind(FAULTS["list-varies-by-connection:other-requests"]), era)
    client.handshake()
    with client.held() as one, client.held() as other:
        lists = []
        for held, method in ((one, "prompts/list"), (other, "resources/list"), (one, "resources/list")):
            held.rpc(method)
            lists.append(len(held.rpc("tools/list")["result"]["tools"]))
    assert lists == [2, 3, 2]

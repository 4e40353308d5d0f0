"""The ledger as a server of the scheme shows it: hints in both eras, resources by template, and subscribers who are slow."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from types import SimpleNamespace

import pytest

from diagnose.jobs.embedded import embedded
from diagnose.reference.legacy_sessions import LegacySessions
from diagnose.reference.options import ServeOptions

from .conftest import Client

LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


@pytest.fixture(scope="module")
def ledger():
    with embedded(ServeOptions(ledger=True)) as server:
        yield server


@pytest.fixture(scope="module")
def unkept():
    with embedded(ServeOptions(ledger=True, ttl_ms=0)) as server:
        yield server


def hints(url: str, era: str) -> set[tuple[object, object]]:
    client = Client(url, era)
    if era == "legacy":
        client.handshake()
    results = [client.rpc(method)["result"] for method in LISTS]
    return {(result.get("ttlMs"), result.get("cacheScope")) for result in results}


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_all_four_lists_are_private_and_kept_for_five_minutes(ledger, era: str) -> None:
    assert hints(ledger.url, era) == {(300_000, "private")}


def test_a_ttl_of_nothing_is_said_in_the_new_era_alone(unkept) -> None:
    assert hints(unkept.url, "legacy") == {(None, None)}
    assert hints(unkept.url, "modern") == {(0, "private")}


@pytest.mark.parametrize(
    ("uri", "there"),
    [
        ("ledger://invoice/inv_7", "text"),
        ("ledger://invoice/inv%5F7", "text"),
        ("ledger://invoice/inv_7/more", None),
        ("ledger://invoice/", None),
        ("ledger://stamp", "blob"),
        ("mcpfusion://stale/billing.*", "text"),
        ("mcpfusion://stale/billing.get_*", None),
    ],
)
def test_a_resource_is_read_by_its_address(ledger, uri: str, there: str | None) -> None:
    answer = Client(ledger.url, "modern").rpc("resources/read", {"uri": uri})
    assert ("error" in answer) if there is None else (there in answer["result"]["contents"][0])


def test_one_who_does_not_take_updates_in_loses_them_and_delays_nobody() -> None:
    told: list[tuple[str, str]] = []

    class Session:
        def __init__(self, name: str, door: asyncio.Event) -> None:
            self.name, self.door = name, door
            self._connection = SimpleNamespace(exit_stack=AsyncExitStack())

        async def send_resource_updated(self, uri: str) -> None:
            await self.door.wait()
            told.append((self.name, uri))

    async def play() -> None:
        sessions, shut, open_ = LegacySessions(), asyncio.Event(), asyncio.Event()
        open_.set()
        contexts = [SimpleNamespace(session=Session(name, door)) for name, door in (("slow", shut), ("quick", open_))]
        for ctx in contexts:
            sessions.remember(ctx)
            sessions.subscribe(ctx, "a")
            sessions.subscribe(ctx, "b")
        await sessions.tell_updated(("a", "b", "c"))
        await sessions.tell_updated(("b",))
        assert told == [("quick", "a"), ("quick", "b"), ("quick", "b")]
        shut.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert told[3:] == [("slow", "a"), ("slow", "b")]
        sessions.unsubscribe(contexts[1], "b")
        await sessions.tell_updated(("b",))
        assert told[5:] == [("slow", "b")]
        await contexts[0].session._connection.exit_stack.aclose()  # the server's own way to end a session
        await sessions.tell_updated(("a",))
        assert told[6:] == [("quick", "a")]

    asyncio.run(play())

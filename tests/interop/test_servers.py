"""`diagnose surface` against the servers of others: real programs, over pipes and loopback, in each era they speak."""

import json
import subprocess
from contextlib import contextmanager, nullcontext

import pytest
from interop import rows
from support.program import diagnose


@pytest.fixture
def world(tmp_path, monkeypatch):
    """An environment in which nothing is configured, for us and for the children."""
    for name in ("home", "data"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return {"HOME": str(tmp_path / "home"), "DIAGNOSE_DATA": str(tmp_path / "data")}


@pytest.fixture
def reach(launch, listening, tmp_path, world):
    """Return a context manager that makes a row's server reachable, and gives how a person would name it."""

    @contextmanager
    def reached(row):
        launched = launch(row)
        world.update(launched.env)
        with listening(launched, tmp_path / "said") if row.transport != "stdio" else nullcontext() as port:
            yield ["--", *launched.command] if port is None else [f"http://127.0.0.1:{port}{row.path}"]

    return reached


def look(target, world, *options):
    """Run `surface`; the exit code of the program must be that of its document."""
    ran = diagnose("surface", "--format", "json", "--deadline", "110", *options, *target, env=world)
    assert ran.out, ran.err
    seen = json.loads(ran.out)
    assert ran.code == seen["exitCode"]
    return seen


def newest(world):
    """Return what was stored last: the snapshot, and the names of its tools."""
    stored = json.loads(diagnose("snapshot", "export", env=world).out)
    snapshot = stored["snapshots"][-1]
    return snapshot, [stored["definitions"][entry]["body"]["name"] for entry in snapshot["entries"]]


def layer(seen, name):
    return next(each for each in seen["layers"] if each["layer"] == name)


SPOKEN = [(row, era) for row in rows.ALL for era in ("auto", *(("legacy",) if row.best == "modern" else ()))]


@pytest.mark.parametrize(("row", "era"), SPOKEN, ids=[f"{row.id}-{era}" for row, era in SPOKEN])
def test_a_server_is_seen_as_it_is(row, era, reach, world):
    spoken = row.best if era == "auto" else era
    with reach(row) as target:
        seen = look(target, world, "--era", era, "--save")
    origin, verdict = layer(seen, "origin"), seen["verdict"]
    assert (verdict["state"], verdict["cause"], seen["exitCode"]) == ("in-sync", None, 0)
    assert seen["findings"] == []
    assert (origin["era"], origin["protocolVersion"]) == (spoken, row.versions[spoken])
    assert (origin["count"], origin["listChanged"]) == (row.count, row.list_changed[spoken])
    assert (origin["ttlMs"], origin["cacheScope"]) == row.ttl.get(spoken, (None, None))
    snapshot, names = newest(world)
    assert snapshot["serverInfo"]["name"] == row.info
    assert (snapshot["complete"], len(names)) == (True, row.count)
    assert set(row.names) <= set(names)


#: What these get before `initialize` they neither answer nor refuse.
SILENT = {"mcp-1-0-stdio"}
LEGACY_ONLY = [row for row in rows.ALL if row.best == "legacy"]


@pytest.mark.parametrize("row", LEGACY_ONLY, ids=[row.id for row in LEGACY_ONLY])
def test_a_legacy_server_is_not_taken_for_a_modern_one(row, reach, world):
    with reach(row) as target:
        seen = look(target, world, "--era", "modern")
    assert (seen["verdict"]["state"], seen["exitCode"]) == ("inconclusive", 3)
    rule = "timed-out" if row.id in SILENT else "handshake-failed"
    assert [finding["rule"] for finding in seen["findings"]] == [rule]


@pytest.mark.parametrize("row", rows.FOREIGN, ids=[row.id for row in rows.FOREIGN])
def test_the_list_is_the_one_that_another_client_gets(row, reach, world, peer):
    python = str(peer("mcp-1").python)
    with reach(row) as target:
        look(target, world, "--save")
        words = target[1:] if row.transport == "stdio" else target
        client = [python, str(rows.HERE / "sdk_client.py"), row.transport, *words]
        done = subprocess.run(client, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    other = json.loads(done.stdout)
    snapshot, names = newest(world)
    assert other["info"] == snapshot["serverInfo"]["name"]
    assert other["names"] == names


CHANGING = [row for row in rows.OURS if row.transport == "stdio" and row.peer != "mcp-1-0"]


@pytest.mark.parametrize("row", CHANGING, ids=[row.id for row in CHANGING])
def test_a_tool_more_than_last_time_is_told(row, reach, world):
    with reach(row) as target:
        look(target, world, "--save")
        world["ORCHARD_LATER"] = "1"
        seen = look(target, world)
    verdict = seen["verdict"]
    assert (verdict["state"], verdict["cause"], seen["exitCode"]) == ("stale", "surface-changed", 1)
    changes = [change for comparison in seen["comparisons"] for change in comparison["changes"]]
    assert [(change["tool"], change["kind"], change["impact"]) for change in changes] == [
        ("press_cider", "added", "compatible")
    ]

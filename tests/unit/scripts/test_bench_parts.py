"""The benches measure what they say: the lists have the traits that they are named for, and a missed limit is told."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from diagnose.surface import Surface, difference
from diagnose.surface.canonical import _plain

BENCH = Path(__file__).parents[3] / "scripts" / "bench"


def load(name, monkeypatch):
    spec = importlib.util.spec_from_file_location(f"bench_{name}", BENCH / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def manifest(monkeypatch):
    return load("manifest", monkeypatch)


@pytest.fixture
def ratios(monkeypatch):
    return load("ratios", monkeypatch)


def test_ordinary_tools_go_the_short_way_and_the_others_do_not(manifest):
    assert all(_plain(tool, 1) for tool in manifest.ordinary(20))
    assert not any(_plain(tool, 1) for tool in [*manifest.worst(20), *manifest.hostile(20)])


def test_every_hundredth_tool_is_changed(manifest):
    tools = manifest.ordinary(300)
    changes = difference(tools, manifest.with_changes(tools))
    assert [change.tool for change in changes] == ["tool_00000", "tool_00100", "tool_00200"]
    assert Surface.of(tools).count == 300


@pytest.mark.parametrize(
    ("bound", "limit", "met"),
    [("at most", 2.0, True), ("at most", 1.9, False), ("at least", 2.1, False), ("at least", None, True)],
)
def test_a_limit_is_met_or_missed(ratios, capsys, monkeypatch, bound, limit, met):
    monkeypatch.setattr(sys, "argv", ["bench"])
    figure = ratios.Figure(what="this / that", ratio=2.0, bound=bound, limit=limit)
    assert ratios.main(lambda: [figure]) == (0 if met else 1)
    assert ("MISSED" in capsys.readouterr().out) is not met


def test_jobs_take_turns(ratios):
    order = []
    medians = ratios.cpu_medians({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, rounds=2)
    assert "".join(order) == "ababab"
    assert medians.keys() == {"a", "b"}


def test_the_stub_answers_what_the_benches_ask(monkeypatch):
    stub = load("stub", monkeypatch)
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    assert stub.answer(hello)["result"]["protocolVersion"] == "2025-11-25"
    assert stub.answer({"id": 1, "method": "tools/list"})["result"]["tools"] == stub.TOOLS
    assert stub.answer({"id": 1, "method": "prompts/list"})["error"]["code"] == -32601
    assert stub.answer({"method": "notifications/initialized"}) is None


def test_a_tap_that_adds_more_than_a_peer_misses_its_limit(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    bench = load("bench_tap_peers", monkeypatch)
    times = {"direct": [1.0] * 3, "the tap": [1.5] * 3, "slow": [3.0] * 3, "quick": [1.1] * 3}
    figures = list(bench.beside("HTTP", times, dict.fromkeys(("the tap", "slow", "quick"), "direct")))
    met = {figure.what: figure.met for figure in figures if figure.limit is not None}
    assert met == {"HTTP: added by the tap / by slow": True, "HTTP: added by the tap / by quick": False}


def test_the_long_recording_holds_what_a_real_one_does(monkeypatch, tmp_path):
    from diagnose.evidence.recording import RecordingReader
    from diagnose.judge.timeline import Reader

    events = load("events", monkeypatch)
    assert events.write(tmp_path / "s.jsonl", 20_500, rounds=120) == (tmp_path / "s.jsonl").stat().st_size
    with (tmp_path / "s.jsonl").open("rb") as lines:
        reading = RecordingReader(lines)
        reader = Reader(reading.header)
        for event in reading.events():
            reader.feed(event)
    line = reader.timeline()
    assert reading.notes == []
    assert line.events == 20_501
    assert len(line.sessions) > events.CLIENTS
    first = line.sessions[1]
    assert first.exposures.total == 2
    assert (first.signals.total, first.streams.total, first.tallies["orchard_3"].count > 3) == (1, 1, True)
    assert all(len(walk.pages) == 2 for walk in first.walks)

"""The guided tour: what it shows is what the main job says, and nothing is left behind."""

from __future__ import annotations

import io
import os

import psutil
import pytest

from diagnose.cli import run
from diagnose.jobs import demo


@pytest.fixture
def tour(tmp_path):
    def go(*args: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        env = {**os.environ, "DIAGNOSE_DATA": str(tmp_path), "COLUMNS": "80"}
        return run(["demo", *args], out, err, env=env), out.getvalue(), err.getvalue()

    return go


def test_the_tour_shows_the_change_and_takes_it_back(tour, tmp_path) -> None:
    code, out, err = tour()
    assert (code, err) == (0, "")
    titles = [line[0] for line in out.splitlines() if line[1:3] == ". "]
    assert titles == ["1", "2", "3", "4", "5", "6"]
    assert out.count("IN SYNC") == 2
    assert "STALE at baseline: surface-changed (proven)" in out
    assert "BROKEN at origin: server-no-signal (likely)" in out
    assert out.endswith("IN SYNC: diagnose last read the list that the server has now (3 tools).\n")
    assert "ripen  removed" in out
    assert max(map(len, out.splitlines())) <= 80
    assert list(tmp_path.iterdir()) == []
    assert not [child for child in psutil.Process().children() if "diagnose.reference" in child.cmdline()]


def test_a_tour_that_goes_astray_is_no_success(tour, monkeypatch) -> None:
    monkeypatch.setattr(demo, "RELEASE", ())
    code, out, err = tour()
    assert code == 70
    assert "the tour went astray at its stop 4: stale surface-changed was due" in err
    assert "IN SYNC" in out


def test_the_tour_can_go_to_a_file(tour, tmp_path) -> None:
    code, out, _ = tour("surface", "--output", str(tmp_path / "tour.txt"))
    assert (code, out) == (0, "")
    assert (tmp_path / "tour.txt").read_text().startswith("1. A server and a client\n")


@pytest.mark.parametrize(
    ("args", "says"),
    [(("fruit",), "no demonstration 'fruit'; there is surface"), (("--format", "json"), "its only format is text")],
)
def test_what_is_no_tour_is_wrong_usage(tour, args, says) -> None:
    code, out, err = tour(*args)
    assert (code, out) == (2, "")
    assert says in err

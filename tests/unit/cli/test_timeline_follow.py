"""`timeline --follow`: news as they come, and the report at the end, however that comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.program import diagnose
from support.schemas import validated
from unit.judge.timeline.test_recordings import SESSIONS

from diagnose.cli import timeline_live

IGNORED = SESSIONS / "02-codex-ignores-signal.jsonl"


def test_what_is_there_is_told_and_then_reported():
    ran = diagnose("timeline", "--follow", str(IGNORED))
    assert ran.code == 1
    news, _, report = ran.out.partition("\n\n")
    assert "OVERDUE" in news
    assert report.startswith("STALE at wire: client-ignores-signal")
    assert report == diagnose("timeline", str(IGNORED)).out


def test_as_json_every_line_is_a_document():
    ran = diagnose("timeline", "--follow", str(IGNORED), "--format", "json")
    *news, report = [validated(line) for line in ran.out.splitlines()]
    assert {each["schema"] for each in news} == {"diagnose.live/1"}
    assert [each["frame"] for each in news if each["event"] == "signal"] == [15]
    assert report == json.loads(diagnose("timeline", str(IGNORED), "--format", "json").out)


def test_a_report_that_goes_elsewhere_leaves_the_news_on_stderr(tmp_path):
    ran = diagnose("timeline", "--follow", str(IGNORED), "--format", "html", "-o", str(tmp_path / "a.html"))
    assert (ran.code, ran.out) == (1, "")
    assert "OVERDUE" in ran.err
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("operands", [["-"], [str(IGNORED), str(IGNORED)]])
def test_one_file_is_followed(operands):
    assert diagnose("timeline", "--follow", *operands).code == 2


def test_it_ends_when_the_tap_has_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(timeline_live, "PAUSE", 0.01)
    (tmp_path / "s.jsonl").write_bytes(b"".join(IGNORED.read_bytes().splitlines(keepends=True)[:12]))
    ran = diagnose("timeline", "--follow", str(tmp_path / "s.jsonl"), "--until-stdin-ends", stdin="")
    assert ran.code == 3
    assert "cut off" in ran.out
    empty = diagnose("timeline", "--follow", str(tmp_path / "none.jsonl"), "--until-stdin-ends", stdin="")
    assert (empty.code, empty.out) == (3, "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_it_with_the_report(tmp_path):
    recording = tmp_path / "s.jsonl"
    recording.write_bytes(b"".join(IGNORED.read_bytes().splitlines(keepends=True)[:-1]))
    env = {**os.environ, "COLUMNS": "80"}
    command = [sys.executable, "-m", "diagnose", "timeline", "--follow", str(recording)]
    follower = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env, cwd=Path(__file__).parents[3])
    assert follower.stdout is not None
    while "the client ended it" not in (line := follower.stdout.readline()):
        assert line, "it ended by itself"
    follower.send_signal(signal.SIGINT)
    rest = follower.stdout.read()
    assert follower.wait(timeout=60) == 130
    assert "STALE at wire: client-ignores-signal" in rest

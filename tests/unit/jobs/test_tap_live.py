"""The view beside a tap: of the recording, never on the session's own streams, and gone with the tap."""

from __future__ import annotations

import io
import json
import os
import sys

import pytest
from unit.judge.looks import PICK
from unit.judge.timeline.play import Play

from diagnose.cli.invocation import Invocation
from diagnose.cli.tap import live_view
from diagnose.jobs.tap_live import LiveView


class Recorded:
    """A recording that is there, or never will be."""

    def __init__(self, path):
        self.path = path

    def wait_until_open(self, timeout):
        return self.path is not None


@pytest.fixture
def recording(tmp_path):
    play = Play().handshake().lists(PICK).signals().wait(20).calls("pick_apples")
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in play.lines), encoding="utf-8")
    return path


def invocation():
    return Invocation(stdout=io.StringIO(), stderr=io.StringIO(), stdin=io.StringIO(), env={})


def test_what_is_recorded_is_shown_and_the_view_ends_with_the_tap(tmp_path, recording):
    said = []
    with (tmp_path / "shown").open("wb") as there:
        view = LiveView(there, said.append)
        view.start(Recorded(str(recording)), os.environ)
        view.close(wait=True)  # no `end` stands in the recording: the tap is gone, and that is enough
    shown = (tmp_path / "shown").read_text()
    assert "OVERDUE" in shown
    assert "client-ignores-signal" in shown
    assert said == []


def test_without_a_recording_nothing_is_started():
    view = LiveView(sys.stderr, lambda _: None)
    view.start(Recorded(None), {})
    view.close(wait=True)
    view.close(wait=False)


def test_where_there_is_no_terminal_that_is_said():
    inv = invocation()
    assert live_view(inv, None, shown=None) is None
    assert inv.stderr.getvalue() == ""
    assert live_view(inv, None, shown=io.StringIO()) is None
    assert "--live-to FILE" in inv.stderr.getvalue()


def test_a_place_that_cannot_be_written_harms_nothing(tmp_path):
    inv = invocation()
    assert live_view(inv, str(tmp_path / "none" / "here"), shown=None) is None
    assert "nothing can be shown" in inv.stderr.getvalue()
    assert live_view(inv, str(tmp_path / "here"), shown=None) is not None
    assert (tmp_path / "here").stat().st_mode & 0o777 == 0o600

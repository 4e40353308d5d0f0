"""A recording read while it grows: cut lines, later parts, another file in its place, and the end."""

from __future__ import annotations

import json

import pytest
from unit.judge.looks import PICK, PRUNE
from unit.judge.timeline.play import Play

from diagnose.errors import InputError
from diagnose.evidence.recording import Header
from diagnose.jobs.follow import Follower


def line(value):
    return json.dumps(value).encode() + b"\n"


class Desk:
    """A folder, and a follower whose every pause is the next thing that is done to the file."""

    def __init__(self, folder, *deeds, name="s.jsonl"):
        self.path = folder / name
        self.deeds = list(deeds)
        self.notes = []
        self.follower = Follower(self.path, self.pause, self.notes.append)

    def pause(self):
        if not self.deeds:
            return False
        self.deeds.pop(0)()
        return True

    def put(self, data, path=None):
        def write():
            with (path or self.path).open("ab") as file:
                file.write(data)

        return write

    def steps(self):
        return [step for step in self.follower.steps() if step is not None]


@pytest.fixture
def lines():
    play = Play().handshake().lists(PICK).signals().lists(PICK, PRUNE).wait(20).ends("closed")
    return play.lines


def frames(steps):
    return [step.frame for step in steps if not isinstance(step, Header)]


def test_a_file_that_is_not_there_yet_is_waited_for(tmp_path, lines):
    desk = Desk(tmp_path)
    desk.deeds = [lambda: None, desk.put(b"".join(map(line, lines)))]
    assert frames(desk.steps()) == list(range(2, len(lines) + 1))


def test_every_byte_may_come_alone(tmp_path, lines):
    desk = Desk(tmp_path)
    data = b"".join(map(line, lines))
    desk.deeds = [desk.put(data[place : place + 1]) for place in range(len(data))]
    steps = desk.steps()
    assert isinstance(steps[0], Header)
    assert frames(steps) == list(range(2, len(lines) + 1))
    assert desk.follower.notes == ()


def test_it_ends_with_the_recording(tmp_path, lines):
    desk = Desk(tmp_path, lambda: pytest.fail("it has ended"))
    desk.put(b"".join(map(line, lines)))()
    assert desk.steps()[-1].reason == "closed"


def test_when_it_is_to_stop_what_is_there_is_still_read(tmp_path, lines):
    desk = Desk(tmp_path)
    desk.put(b"".join(map(line, lines[:4])) + line(lines[4]).rstrip())()
    assert frames(desk.steps()) == [2, 3, 4, 5]


def test_a_recording_goes_on_in_its_next_part(tmp_path, lines):
    header, *events = lines
    limit = {"t": 1, "from": "tap", "kind": "end", "reason": "limit"}
    desk = Desk(tmp_path)
    second = line({**header, "part": 2, "after": "s.jsonl"}) + b"".join(map(line, events[3:]))
    desk.put(b"".join(map(line, [header, *events[:3], limit])))()
    desk.deeds = [lambda: None, desk.put(second, tmp_path / "s-2.jsonl")]
    steps = desk.steps()
    assert [step for step in steps if isinstance(step, Header)] == steps[:1]
    assert frames(steps) == [2, 3, 4, *range(7, 7 + len(events) - 3)]
    assert any("s-2.jsonl: take 5 away" in note for note in desk.follower.notes)


def test_a_limit_after_which_nothing_comes_is_the_end(tmp_path, lines):
    limit = {"t": 1, "from": "tap", "kind": "end", "reason": "limit"}
    desk = Desk(tmp_path, *[lambda: None] * 100)
    desk.put(b"".join(map(line, [*lines[:4], limit])))()
    assert desk.steps()[-1].reason == "limit"
    assert desk.deeds  # it did not wait for ever


@pytest.mark.parametrize("how", ["moved", "cut"])
def test_another_file_in_its_place_begins_anew(tmp_path, lines, how):
    other = Play(client="press-panel").handshake().lists(PRUNE).ends("closed").lines
    desk = Desk(tmp_path)
    desk.put(b"".join(map(line, lines[:-1])))()

    def renew():
        if how == "moved":
            desk.path.rename(tmp_path / "old.jsonl")
            desk.put(b"".join(map(line, other)))()
        else:
            desk.path.write_bytes(b"".join(map(line, other))[:-1])

    desk.deeds = [renew, *[lambda: None] * 12, desk.put(b"\n") if how == "cut" else lambda: None]
    steps = desk.steps()
    assert len([step for step in steps if isinstance(step, Header)]) == 2
    assert desk.notes == ["s.jsonl begins anew"]
    assert steps[-1].reason == "closed"


def test_what_is_no_recording_is_refused(tmp_path):
    desk = Desk(tmp_path)
    desk.put(b"{}\n")()
    with pytest.raises(InputError, match="no recording"):
        desk.steps()

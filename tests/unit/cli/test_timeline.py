"""`timeline`: from recordings to a report in every format, with the exit code of its verdict."""

from __future__ import annotations

import io
import json
import os
import threading
from xml.etree import ElementTree as ET

import pytest
from support.program import diagnose
from support.schemas import validated
from unit.judge.looks import PICK, PRESS, PRUNE
from unit.judge.timeline.play import Play
from unit.judge.timeline.test_recordings import EXPECTED, SESSIONS
from unit.report.browsed import browsed

from diagnose.cli import run
from diagnose.report.timeline_formats import TIMELINE_FORMATS
from diagnose.tap.writer import Limits, Writer

CODES = {"stale": 1, "broken": 1, "in-sync": 0, "inconclusive": 3}
IGNORED = SESSIONS / "02-codex-ignores-signal.jsonl"


def told(path, *args):
    return validated(diagnose("timeline", str(path), "--format", "json", *args).out)


def written(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recorded_session_is_answered_in_every_format(name, tmp_path):
    state, _, cause = EXPECTED[name][0]
    also = [word for form in TIMELINE_FORMATS[1:] for word in ("--also", f"{form}={tmp_path / form}")]
    ran = diagnose("timeline", str(SESSIONS / f"{name}.jsonl"), *also)
    assert ran.code == CODES[state], ran.err
    assert ran.out.startswith(state.upper().replace("IN-SYNC", "IN SYNC"))
    document = validated((tmp_path / "json").read_text())
    assert document["verdict"]["cause"] == cause
    assert document["exitCode"] == ran.code
    page = browsed((tmp_path / "html").read_text())
    assert "table" in page.elements
    assert page.elements.count("svg") >= 1
    assert ET.fromstring((tmp_path / "svg").read_text()).tag == "{http://www.w3.org/2000/svg}svg"


def test_the_report_tells_of_a_session_what_the_frames_show():
    (session,) = told(IGNORED)["sessions"]
    assert (session["client"]["name"], session["era"], session["protocolVersion"]) == (
        "codex-mcp-client",
        "legacy",
        "2025-06-18",
    )
    (catalogue,) = session["catalogues"]["shown"]
    assert (catalogue["name"], catalogue["count"], catalogue["pages"]) == ("A", 3, 1)
    assert catalogue["first"]["frame"] == 12
    (signal,) = session["signals"]["shown"]
    assert (signal["frame"], signal["heeded"], signal["list"]) == (15, False, None)
    (call,) = session["calls"]
    assert (call["tool"], call["standing"], call["catalogue"], call["list"]["frame"]) == (
        "press_cider",
        "unlisted",
        "A",
        12,
    )
    (span,) = session["stale"]
    assert (span["from"]["frame"], span["why"]) == (15, "client-ignores-signal")


def test_a_call_names_the_definition_that_was_in_force(tmp_path):
    play = Play().handshake().lists(PICK, PRUNE).calls("pick_apples").signals().lists(PICK, PRESS)
    play.asks("tools/call", {"name": "prune_tree"}).error(-32602, "Unknown tool").wait(20)
    (session,) = told(written(tmp_path / "a.jsonl", play.lines))["sessions"]
    picked, pruned = session["calls"]
    assert len(picked["definitions"]) == 1
    assert (pruned["standing"], pruned["catalogue"], pruned["definitions"]) == ("removed", "B", [])
    changes = session["catalogues"]["shown"][1]["changes"]
    assert {(change["tool"], change["kind"]) for change in changes} == {
        ("prune_tree", "removed"),
        ("press_cider", "added"),
    }


def test_the_answer_comes_first_and_every_frame_of_the_evidence_is_told():
    text = diagnose("timeline", str(IGNORED), columns=200).out
    assert text.splitlines()[0] == "STALE at wire: client-ignores-signal (proven)"
    for frames in ("2,4", "9,12", "15", "20,22"):
        assert f"  {frames} " in text
    assert "What this does not prove" in text


def test_evidence_on_the_page_leads_to_the_row_of_its_frame():
    page = browsed(diagnose("timeline", str(IGNORED), "--format", "html").out)
    assert {"wire-2", "wire-15", "wire-20"} <= set(page.links)


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_page(columns):
    text = diagnose("timeline", str(IGNORED), columns=columns).out
    assert max(map(len, text.splitlines())) <= columns


def test_a_terminal_without_unicode_gets_a_picture_of_ascii():
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii", errors="backslashreplace")
    assert run(["timeline", str(IGNORED)], out, io.StringIO(), env={"COLUMNS": "80"}) == 1
    out.flush()
    assert "\\u" not in raw.getvalue().decode()
    assert "A---" in raw.getvalue().decode()


def test_standard_input_is_a_recording_too():
    ran = diagnose("timeline", "-", stdin=IGNORED.read_text())
    assert ran.code == 1
    assert "standard input" in ran.out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_read_as_it_comes(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(IGNORED.read_bytes(),))
    writer.start()
    ran = diagnose("timeline", str(tmp_path / "pipe"))
    writer.join()
    assert (ran.code, "a stream" in ran.out) == (1, True)


def test_a_har_file_is_a_recording_too(tmp_path):
    (tmp_path / "a.har").write_text('{"log": {"entries": []}}')
    ran = diagnose("timeline", str(tmp_path / "a.har"))
    assert (ran.code, "INCONCLUSIVE" in ran.out) == (3, True)


def test_what_is_no_recording_is_refused(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    for operand in (str(tmp_path / "a.json"), str(tmp_path / "none.jsonl"), str(tmp_path)):
        ran = diagnose("timeline", operand)
        assert (ran.code, ran.out) == (2, ""), ran.err
    assert diagnose("timeline", "-", "-").code == 2
    assert diagnose("timeline", str(IGNORED), "--format", "png").code == 2


def gateway():
    up = Play("http", hop="gateway-server", client="gateway").handshake().listens().lists(PICK, PRUNE).wait(20)
    up.signals().lists(PICK, PRUNE, PRESS).wait(100)
    down = Play("http", hop="client-gateway").handshake().listens().lists(PICK, PRUNE).wait(60)
    return down, up


def test_two_hops_are_laid_side_by_side(tmp_path):
    files = [
        written(tmp_path / name, play.ends().lines)
        for name, play in zip(("down.jsonl", "up.jsonl"), gateway(), strict=True)
    ]
    ran = diagnose("timeline", *map(str, files), "--format", "json")
    document = validated(ran.out)
    assert (ran.code, document["verdict"]["cause"], document["verdict"]["layer"]) == (1, "proxy-drops-signal", "path")
    assert [each["name"] for each in document["recordings"]] == ["wire", "wire#2"]
    assert {session["recording"] for session in document["sessions"]} == {"wire", "wire#2"}
    text = diagnose("timeline", *map(str, files)).out
    assert text.index("server") < text.index("gateway") < text.index("orchard-desk")


def parts(folder):
    """One session over three files, of which each names the one before it, as the tap turns them."""
    play = Play().handshake().lists(PICK).signals().wait(1).lists(PICK, PRUNE).wait(20).ends("closed")
    header, *events = play.lines
    limit = {"t": 0, "from": "tap", "kind": "end", "reason": "limit"}
    cuts = [events[:4], events[4:5], events[5:]]
    for number, cut in enumerate(cuts, 1):
        part = {} if number == 1 else {"part": number, "after": f"s-{number - 1}.jsonl" if number > 2 else "s.jsonl"}
        last = [] if number == 3 else [{**limit, "t": cut[-1]["t"]}]
        written(folder / ("s.jsonl" if number == 1 else f"s-{number}.jsonl"), [{**header, **part}, *cut, *last])
    return play


def test_the_parts_of_a_recording_are_read_as_one(tmp_path):
    play = parts(tmp_path)
    whole = told(written(tmp_path / "whole.jsonl", play.lines))
    joined = told(tmp_path / "s.jsonl")
    assert joined["verdict"]["state"] == whole["verdict"]["state"] == "in-sync"
    assert joined["recordings"][0]["events"] == whole["recordings"][0]["events"]
    assert any("s-2.jsonl" in note for note in joined["recordings"][0]["notes"])
    named_too = told(tmp_path / "s.jsonl", str(tmp_path / "s-2.jsonl"))
    assert len(named_too["recordings"]) == 1


def test_triage_reads_the_parts_of_a_recording_as_one_too(tmp_path):
    parts(tmp_path)
    ran = diagnose("triage", "--recording", str(tmp_path / "s.jsonl"), "--format", "json")
    document = validated(ran.out)
    assert (ran.code, document["verdict"]["state"]) == (0, "in-sync")
    (tmp_path / "s-2.jsonl").unlink()
    (tmp_path / "s-3.jsonl").unlink()
    assert diagnose("triage", "--recording", str(tmp_path / "s.jsonl")).code == 3


def test_a_part_that_is_gone_is_told_of(tmp_path):
    parts(tmp_path)
    (tmp_path / "s-2.jsonl").unlink()
    document = told(tmp_path / "s.jsonl")
    assert any("1 part of the recording before s-3.jsonl" in note for note in document["recordings"][0]["notes"])


def test_the_files_that_a_tap_turns_are_read_as_one_and_those_it_dropped_are_told(tmp_path):
    play = Play().handshake().lists(PICK).signals().wait(1).lists(PICK, PRUNE)
    for _ in range(900):
        play.calls("pick_apples", row="x" * 100)
    header, *events = play.ends("closed").lines
    for parts, missing in ((8, False), (2, True)):
        folder = tmp_path / str(parts)
        folder.mkdir()
        writer = Writer(folder / "s.jsonl", header, Limits(size=1, parts=parts))
        for event in events:
            writer.write(event["t"], {key: value for key, value in event.items() if key != "t"})
        writer.close()
        assert len(list(folder.iterdir())) > 1
        document = told(folder / "s.jsonl")
        notes = " ".join(document["recordings"][0]["notes"])
        assert ("not there" in notes) is missing
        assert document["recordings"][0]["ended"] == "closed"
        if not missing:
            assert document["recordings"][0]["events"] == len(events)
            assert document["sessions"][0]["callsMade"] == 900


def test_a_redacted_definition_is_known_by_its_digest(tmp_path):
    def kept(text, digest):
        return {"name": "pick_apples", "description": text, "$redacted": True, "$digest": digest * 64}

    play = Play().handshake().lists(kept("of ***", "a")).signals().lists(kept("for ***", "a")).wait(20)
    document = told(written(tmp_path / "same.jsonl", play.lines))
    assert document["sessions"][0]["catalogues"]["total"] == 1
    play = Play().handshake().lists(kept("of ***", "a")).signals().lists(kept("of ***", "b")).wait(20)
    document = told(written(tmp_path / "other.jsonl", play.lines))
    assert [each["name"] for each in document["sessions"][0]["catalogues"]["shown"]] == ["A", "B"]

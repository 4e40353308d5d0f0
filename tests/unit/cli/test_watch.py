"""`diagnose watch` as a person types it, against the reference server: output, exit codes, and Ctrl-C."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from support.mcp_http import Said, answering, legacy
from support.program import diagnose

from diagnose.cli import run
from diagnose.cli.foot import foot
from diagnose.evidence.redact import Redactor
from diagnose.jobs.embedded import embedded
from diagnose.reference.options import ServeOptions

ERAS = ["legacy", "modern"]


@pytest.fixture(scope="module")
def server():
    with embedded(ServeOptions(control=True)) as running:
        yield running


@pytest.fixture
def restored(server):
    server.change({"restore": True}, notify=False)
    return server


class Listening(io.StringIO):
    """An output that does something once a word has been written to it."""

    def __init__(self, word, then):
        super().__init__()
        self.word, self.then = word, then

    def write(self, text):
        written = super().write(text)
        if self.then is not None and self.word in self.getvalue():
            then, self.then = self.then, None
            threading.Thread(target=then).start()
        return written


def changing(server, **options):
    """An output that changes the surface as soon as the first list has been shown."""
    return Listening("listed", lambda: server.change({"add": "press_cider"}, **options))


def watch(out, *args):
    err = io.StringIO()
    return run(["watch", *args], out, err, env={"COLUMNS": "100"}), err.getvalue()


@pytest.mark.parametrize("era", ERAS)
def test_it_ends_with_1_at_an_announced_change(restored, era):
    out = changing(restored)
    code, _ = watch(out, restored.url, "--era", era, "--until-change", "--for", "20")
    assert code == 1
    assert [line.split()[1] for line in out.getvalue().splitlines() if re.match(r"\d", line)] == [
        "connected",
        "listening",
        "listed",
        "signal",
        "CHANGED",
        "ended",
    ]
    assert "1 tool added (compatible), announced" in out.getvalue()


def test_it_finds_a_change_that_nobody_told_of(restored):
    out = changing(restored, notify=False)
    code, _ = watch(out, restored.url, "--until-change", "--for", "20", "--poll", "0.2")
    assert code == 1
    assert "NOT announced" in out.getvalue()


def test_over_stdio_it_is_a_watch_too():
    serve = [sys.executable, "-P", "-m", "diagnose", "serve", "--stdio"]
    out = io.StringIO()
    code, _ = watch(out, "--for", "6", "--poll", "0.5", "--", *serve)
    assert code == 0
    assert "the same list, read by asking again" in out.getvalue()


def test_without_a_change_it_ends_with_0(restored):
    ran = diagnose("watch", restored.url, "--for", "0.5")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].endswith("the time is over")


def test_a_change_counts_also_where_it_ends_by_time(restored):
    out = changing(restored)
    assert watch(out, restored.url, "--for", "2")[0] == 1


def test_json_is_one_document_a_line(restored):
    out = changing(restored)
    assert watch(out, restored.url, "--for", "20", "--until-change", "--format", "json")[0] == 1
    documents = [json.loads(line) for line in out.getvalue().splitlines()]
    assert {document["schema"] for document in documents} == {"diagnose.event/1"}
    assert documents[-2]["event"] == "changed"
    assert documents[-2]["changes"][0]["tool"] == "press_cider"
    assert "tick" not in {document["event"] for document in documents}


def test_a_file_is_written_whole_at_the_end(restored, tmp_path):
    file = tmp_path / "watch.jsonl"
    ran = diagnose("watch", restored.url, "--for", "0.5", "--format", "json", "--output", str(file))
    assert (ran.code, ran.out) == (0, "")
    assert [json.loads(line)["event"] for line in file.read_text().splitlines()][-1] == "ended"


def test_on_a_terminal_the_standing_is_drawn_over_and_over(restored):
    class Terminal(Listening):
        def isatty(self):
            return True

    out = Terminal("listed", lambda: restored.change({"add": "press_cider"}))
    code, _ = watch(out, restored.url, "--for", "2", "--color", "never")
    assert code == 1
    shown = _screen(out.getvalue())
    assert shown[-4].startswith("── 127.0.0.1")
    assert "4 tools" in shown[-3]
    assert "1 signal" in shown[-2]
    assert "1 tool added" in shown[-1]
    assert sum(line.startswith("── ") for line in shown) == 1


def test_the_width_can_be_asked_for_while_it_is_drawn(monkeypatch):
    """Who stands in the place of stdout has no width, and lines then break in the middle of a word."""
    terminal = io.StringIO()
    monkeypatch.setattr(sys, "stdout", terminal)
    with foot(SimpleNamespace(stdout=terminal, redactor=Redactor(), width=lambda: 60), colour=False):
        assert sys.stdout is terminal


def _screen(text):
    """Play what was written on a terminal that knows lines, moving up a line, and erasing one."""
    lines, row = [""], 0
    for piece in re.split(r"(\x1b\[1A|\x1b\[2K|\x1b\[\?25[hl]|\r|\n)", text):
        if piece == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif piece == "\x1b[1A":
            row -= 1
        elif piece == "\x1b[2K":
            lines[row] = ""
        elif piece and piece != "\r" and not piece.startswith("\x1b[?"):
            assert "\x1b" not in piece
            lines[row] += piece
    return [line for line in lines if line]


def test_where_nothing_can_be_asked_nothing_is_said_to_be_unchanged():
    with answering(legacy()) as url:
        pass
    ran = diagnose("watch", url, "--for", "1")
    assert ran.code == 3
    assert ran.out == ""


def test_a_list_that_was_never_had_is_no_unchanged_list():
    with answering(legacy(GET=Said(status=405), tools__list=Said(status=500))) as url:
        ran = diagnose("watch", url, "--for", "0.5")
    assert ran.code == 3
    assert "failed" in ran.out


def test_a_refused_credential_is_4():
    with answering(legacy(GET=Said(status=405), tools__list=Said(status=401))) as url:
        assert diagnose("watch", url, "--for", "5").code == 4


@pytest.mark.parametrize("args", [("--for", "0"), ("--poll", "x"), ("--for", "-1"), ("--format", "sarif")])
def test_wrong_usage_is_2(args):
    assert diagnose("watch", "http://127.0.0.1:9/mcp", *args).code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_is_130_and_leaves_nothing_behind(restored):
    command = [sys.executable, "-m", "diagnose", "watch", restored.url]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ))
    try:
        while b"listed" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.communicate()

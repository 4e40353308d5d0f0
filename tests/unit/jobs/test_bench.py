"""The bench with a client of our own: what it does is what is measured, and the frames are there to see."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.program import diagnose
from support.schemas import validated

from diagnose.evidence.recording import Recording
from diagnose.jobs.benching.plays import PLAYS
from diagnose.judge.bench import MEASURES

CLIENT = str(Path(__file__).resolve().parents[2] / "support" / "bench_client.py")


def run(*ways, only, lines=True, options=(), columns=80):
    named = [word for name in only for word in ("--only", name)]
    spoken = ["--lines"] if lines else []
    # A short wait: this client never does anything that it was not asked to do.
    waits = ["--wait", "1"]
    command = [sys.executable, CLIENT, "{url}", *ways]
    return diagnose("clients", "bench", *named, *spoken, *waits, *options, "--", *command, columns=columns)


def answers(document):
    return {each["name"]: each["answer"] for each in document["measurements"]}


def test_every_measure_has_a_trial_that_is_played():
    assert {each.trial for each in MEASURES.values()} == set(PLAYS)


def test_a_client_is_measured_by_what_it_does(tmp_path):
    ran = run(only=["pages", "lost-session"], options=["--format", "json", "--recordings", str(tmp_path)])
    document = validated(ran.out)
    assert ran.code == 0, ran.err
    assert document["client"] == {"id": None, "name": "hoe", "version": "3.1.4", "runner": None, "era": "default"}
    assert answers(document) == {"era": "no", "pages": "yes", "aggregates": "yes", "lost-session": "no"}
    pages = next(each for each in document["measurements"] if each["name"] == "pages")
    recording = Recording.of_lines((tmp_path / "pages.jsonl").read_bytes().splitlines())
    asked = {event.frame: (event.message or {}).get("method") for event in recording.events}
    frames = [int(place.partition(":")[2]) for place in pages["evidence"]]
    assert [asked[frame] for frame in frames[::2]] == ["tools/list"] * 3


def test_another_way_of_the_same_client_is_measured_otherwise_and_told_as_the_one_that_was_named():
    named = ["--client", "goose", "--client-version", "9.9", "--format", "json"]
    ran = run("forgetful", "strict", only=["lost-session", "schema-no-schema"], options=named)
    document = validated(ran.out)
    assert answers(document) == {"lost-session": "yes", "schema-no-schema": "no"}
    assert (document["client"]["id"], document["client"]["version"]) == ("goose", "9.9")


def test_a_command_that_ends_shows_what_it_printed_and_nothing_of_what_comes_later():
    ran = run("once", "first-page", only=["pages", "declared"], lines=False)
    assert ran.code == 0, ran.err
    words = " ".join(ran.out.split())
    assert "no Does it follow nextCursor to the end of the list? 1 of 3 pages" in words
    assert "it holds 1 of 3 tools" in words
    assert "not shown Does it list again when a change is told, as declared? it ended" in words


def test_a_command_that_never_connects_shows_nothing_and_is_not_started_again():
    ran = diagnose(
        "clients",
        "bench",
        "--only",
        "pages",
        "--only",
        "declared",
        "--timeout",
        "5",
        "--",
        sys.executable,
        "-c",
        "raise SystemExit('no map')",
    )
    assert ran.code == 3
    assert "It never reached the server. It said: no map" in ran.out
    assert "\n1 trial, " in ran.out
    assert "no further trial is made" in ran.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "no client was named"),
        (("--runner", "hoe"), "there is no runner named 'hoe'"),
        (("--runner", "inspector", "--era", "modern"), "--era modern cannot be told to inspector"),
        (("--only", "weather", "--", "true"), "--only takes the name of a measurement"),
        (("--era", "legacy", "--", "true"), "--era is for built-in runners"),
        (("--recordings", "/nowhere/at/all", "--", "true"), "is no folder"),
        (("--wait", "0", "--", "true"), "--wait takes seconds"),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_starts(args, said):
    ran = diagnose("clients", "bench", *args)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_command_that_cannot_be_started_is_named():
    ran = diagnose("clients", "bench", "--only", "pages", "--", "/nowhere/client")
    assert ran.code == 3
    assert "/nowhere/client" in ran.err

"""`diagnose explain` from the command line."""

import io
import json

import pytest

from diagnose.cli import run


def explained(*args):
    out, err = io.StringIO(), io.StringIO()
    code = run(["explain", *args], out, err, env={"COLUMNS": "60"})
    return code, out.getvalue(), err.getvalue()


def test_a_cause_is_explained_in_words():
    code, out, err = explained("manifest-gated")
    assert (code, err) == (0, "")
    assert out.startswith("manifest-gated (cause, check)\n\nIt means\n  The manifest endpoint answers")
    assert all(len(line) <= 60 for line in out.splitlines())


def test_an_explanation_is_json_too():
    code, out, _ = explained("3", "--format", "json")
    document = json.loads(out)
    assert code == 0
    assert list(document) == ["schema", "tool", "name", "kinds", "facts"]
    assert (document["schema"], document["kinds"]) == ("diagnose.explain/1", ["exit code"])


@pytest.mark.parametrize("format_", ["text", "json"])
def test_without_a_name_everything_is_listed(format_):
    code, out, _ = explained("--format", format_)
    assert code == 0
    for name in ("surface-changed", "wrong-id", "baseline", "inconclusive", "130"):
        assert name in out


def test_an_unknown_name_is_exit_2_with_what_was_meant():
    code, out, err = explained("manifest-gate")
    assert (code, out) == (2, "")
    assert "manifest-gated" in err


def test_colour_where_it_is_asked_for():
    assert "\x1b[1m" in explained("stale", "--color", "always")[1]
    assert "\x1b" not in explained("stale")[1]

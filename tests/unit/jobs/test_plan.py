"""The words of `plan pin`: which step relies on what."""

from __future__ import annotations

import pytest

from diagnose.errors import UsageError
from diagnose.jobs.plan import step_requests


def test_steps_are_numbered_in_their_order() -> None:
    steps = step_requests(["render", "upload", "render"], [])
    assert [(step.step, step.tool) for step in steps] == [("1", "render"), ("2", "upload"), ("3", "render")]


@pytest.mark.parametrize("step", ["upload", "2"])
def test_a_step_is_named_by_its_number_or_its_tool(step: str) -> None:
    _, upload, _ = step_requests(["render", "upload", "render"], [f"{step}:argument=a=b", f"{step}:step=3"])
    assert upload.relies_on == {"argument": ["a=b"], "step": ["3"]}


def test_a_single_step_need_not_be_named() -> None:
    (one,) = step_requests(["a:b"], ["limit=/inputSchema/maxProperties", "media-type=image/svg+xml", "a:b:argument=x"])
    assert one.relies_on == {
        "limit": ["/inputSchema/maxProperties"],
        "media-type": ["image/svg+xml"],
        "argument": ["x"],
    }


@pytest.mark.parametrize(
    ("tools", "relies_on", "words"),
    [
        ([], [], "at least one step"),
        (["a"], ["argument"], "takes"),
        (["a"], ["argument="], "takes"),
        (["a"], ["word=x"], "KIND one of argument, media-type, limit, step"),
        (["a"], ["b:argument=x"], "neither"),
        (["a"], ["2:argument=x"], "neither"),
        (["a", "b"], ["argument=x"], "must name the step"),
        (["a", "a"], ["a:argument=x"], "its number"),
        (["a", "b"], ["1:step=c"], "neither"),
        (["a"], ["step=1"], "itself"),
    ],
)
def test_what_names_no_step_is_refused(tools: list[str], relies_on: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        step_requests(tools, relies_on)

"""Plan pins: what becomes of a step when its tool changes."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.errors import UsageError
from diagnose.freshness import PlanPin, StepNotReadyError, check_plan, relying
from diagnose.surface import Surface

RENDER: dict[str, Any] = {
    "name": "render",
    "description": "Render a scene to image/png or image/webp.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "scene": {"type": "string", "maxLength": 100},
            "width": {"type": "integer", "minimum": 16, "maximum": 4096},
            "quality": {"type": "integer", "default": 80, "description": "Of the picture."},
            "format": {"enum": ["png", "webp"]},
        },
        "required": ["scene"],
    },
    "outputSchema": {"type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"]},
}
UPLOAD: dict[str, Any] = {
    "name": "upload",
    "inputSchema": {"type": "object", "properties": {"uri": {"type": "string"}}},
}


def changed(path: str, value: Any = None) -> dict[str, Any]:
    """Return RENDER with one place set, or taken out."""
    definition = copy.deepcopy(RENDER)
    *way, last = path.split("/")
    place: Any = definition
    for token in way:
        place = place[token]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return definition


def pinned(**relies_on: Any) -> PlanPin:
    reliance = relying(RENDER, **relies_on) if relies_on else None
    return PlanPin.of(Surface.of([RENDER, UPLOAD]), "render", step="1", relies_on=reliance)


def outcome(pin: PlanPin, *tools: dict[str, Any]) -> str:
    return pin.check(Surface.of(tools)).outcome


IN = "inputSchema/properties"


@pytest.mark.parametrize(
    ("now", "word"),
    [
        ([RENDER, UPLOAD], "unchanged"),
        ([UPLOAD, dict(reversed(RENDER.items()))], "unchanged"),
        ([changed(f"{IN}/width/maximum", 8192)], "compatible"),
        ([changed(f"{IN}/extra", {"type": "string"})], "compatible"),
        ([changed("icons", [])], "compatible"),
        ([changed("inputSchema/required", ["scene", "width"])], "re-plan"),
        ([changed(f"{IN}/format", {"enum": ["png"]})], "re-plan"),
        ([changed("outputSchema")], "re-plan"),
        ([changed("annotations", {"readOnlyHint": True})], "re-plan"),
        ([changed(f"{IN}/quality/default", 60)], "re-plan"),
        ([changed("description", "Draw.")], "re-plan"),
        ([UPLOAD], "gone"),
        ([], "gone"),
        ([{**RENDER, "name": "Render"}, {**RENDER, "name": "render2"}], "gone"),
        ([RENDER, RENDER], "re-plan"),
        ([changed("description", "\ud800")], "re-plan"),
        ([changed("icons", [float("nan")])], "compatible"),
    ],
)
def test_without_more_the_whole_definition_counts(now: list[dict[str, Any]], word: str) -> None:
    assert outcome(pinned(), *now) == word


@pytest.mark.parametrize(
    ("now", "word"),
    [
        (changed(f"{IN}/format", {"enum": ["png"]}), "compatible"),
        (changed(f"{IN}/format"), "compatible"),
        (changed(f"{IN}/quality/description", "Words."), "compatible"),
        (changed("inputSchema/additionalProperties", False), "compatible"),
        (changed("inputSchema/required", ["width", "scene"]), "compatible"),
        (changed("inputSchema/required", ["scene", "format"]), "re-plan"),
        (changed(f"{IN}/width/maximum", 100), "re-plan"),
        (changed(f"{IN}/width"), "re-plan"),
        (changed(f"{IN}/scene/maxLength", 10), "re-plan"),
        (changed(f"{IN}/quality/default", 60), "re-plan"),
        (changed("inputSchema/minProperties", 3), "re-plan"),
        (changed("outputSchema/required", []), "re-plan"),
        (changed("inputSchema", {"type": "object", "properties": []}), "re-plan"),
    ],
)
def test_a_step_that_says_what_it_sends_is_touched_by_nothing_else(now: dict[str, Any], word: str) -> None:
    pin = pinned(arguments=["width"])
    assert pin.relies_on.arguments == ("scene", "width")
    assert outcome(pin, now) == word


def test_re_plan_comes_with_the_change_and_nothing_beside_it() -> None:
    definition = changed(f"{IN}/width/maximum", 100)
    definition["inputSchema"]["properties"]["format"] = {"enum": ["png"]}
    check = pinned(arguments=["width"]).check(Surface.of([definition]))
    assert check.change is not None
    assert [(detail.path, detail.was, detail.now) for detail in check.change.details] == [
        ("/inputSchema/properties/width/maximum", 4096, 100)
    ]
    assert [(each.kind, each.what) for each in check.obstacles] == [("definition", "render")]


def test_a_media_type_that_the_definition_no_longer_speaks_of() -> None:
    pin = pinned(arguments=["scene"], media_types=["image/webp"])
    assert outcome(pin, changed("icons", [])) == "compatible"
    check = pin.check(Surface.of([changed("description", "Render a scene to image/png.")]))
    assert (check.outcome, [each.kind for each in check.obstacles]) == ("re-plan", ["definition", "media-type"])


@pytest.mark.parametrize(
    ("pointer", "now", "word"),
    [
        (f"/{IN}/width/maximum", changed(f"{IN}/width/maximum", 5000), "compatible"),
        (f"/{IN}/width/maximum", changed(f"{IN}/width/maximum"), "compatible"),
        (f"/{IN}/width/maximum", changed(f"{IN}/width/maximum", 4095), "re-plan"),
        (f"/{IN}/width/minimum", changed(f"{IN}/width/minimum", 1), "compatible"),
        (f"/{IN}/width/minimum", changed(f"{IN}/width/minimum", 17), "re-plan"),
        (f"/{IN}/width/maximum", changed(f"{IN}/width/maximum", "4096"), "re-plan"),
        (f"/{IN}/quality/default", changed(f"{IN}/quality/default", 81), "re-plan"),
        (f"/{IN}/quality/default", changed(f"{IN}/quality/default"), "re-plan"),
        (f"/{IN}/width/maximum", changed(f"{IN}/width", True), "compatible"),
        (f"/{IN}/width/maximum", changed(f"{IN}/width"), "re-plan"),
    ],
)
def test_limits_that_a_step_relies_on(pointer: str, now: dict[str, Any], word: str) -> None:
    check = pinned(arguments=["scene"], limits=[pointer]).check(Surface.of([now]))
    assert check.outcome == word
    assert (word == "re-plan") == any(each.what == pointer for each in check.obstacles) or "default" in pointer


def test_the_case_of_a_media_type_does_not_count() -> None:
    pin = pinned(media_types=["IMAGE/WEBP"])
    assert [each.kind for each in pin.check(Surface.of([changed("description", "To Image/WebP")])).obstacles] == [
        "definition"
    ]


def test_what_a_step_does_not_send_may_be_beyond_hashing() -> None:
    assert outcome(pinned(arguments=["width"]), changed(f"{IN}/quality/description", "\ud800")) == "compatible"


def test_a_limit_beside_the_schemas_counts_because_the_step_says_so() -> None:
    capped = {**RENDER, "_meta": {"maxBytes": 1000}}
    pin = PlanPin.of(
        Surface.of([capped]),
        "render",
        step="1",
        relies_on=relying(capped, arguments=["scene"], limits=["/_meta/maxBytes"]),
    )
    assert outcome(pin, {**RENDER, "_meta": {"maxBytes": 999}}) == "re-plan"


@pytest.mark.parametrize(
    ("relies_on", "words"),
    [
        ({"arguments": ["heigth"]}, "no argument 'heigth'"),
        ({"media_types": ["image/gif"]}, "says nothing of image/gif"),
        ({"media_types": ["image/web"]}, "says nothing of image/web"),
        ({"media_types": ["mage/png"]}, "says nothing of mage/png"),
        ({"limits": ["/inputSchema/nowhere"]}, "no number"),
        ({"limits": ["/inputSchema/type"]}, "no number"),
    ],
)
def test_what_the_definition_does_not_say_cannot_be_relied_on(relies_on: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        relying(RENDER, **relies_on)


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ([UPLOAD], "0 tools named 'render'"),
        ([RENDER, RENDER], "2 tools named 'render'"),
        ([{**RENDER, "description": "\ud800"}], "lone surrogate"),
    ],
)
def test_what_cannot_be_pinned(tools: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        PlanPin.of(Surface.of(tools), "render", step="1")


def test_a_tool_that_is_not_there_brings_those_that_are_named_like_it() -> None:
    with pytest.raises(UsageError) as caught:
        PlanPin.of(Surface.of([RENDER, UPLOAD]), "rendr", step="1")
    assert caught.value.diagnostics() == "There is render."


def test_names_alone_are_no_definition() -> None:
    with pytest.raises(UsageError, match="only its name is known"):
        PlanPin.of(Surface.of(["render"], names_only=True), "render", step="1")
    assert pinned().check(Surface.of(["render"], names_only=True)).outcome == "re-plan"


def test_a_step_starts_with_the_definition_of_the_moment_and_stays_with_it() -> None:
    wider = changed(f"{IN}/width/maximum", 8192)
    running = pinned().start(Surface.of([wider]))
    assert (running.state, running.digest) == ("running", Surface.of([wider]).tools[0].digest)
    for later in ([], [changed("outputSchema")]):
        check = running.check(Surface.of(later))
        assert (check.may_run, check.outcome) == (True, "gone" if not later else "re-plan")
        assert running.start(Surface.of(later)) == running


def test_a_step_that_is_to_be_planned_anew_does_not_start() -> None:
    with pytest.raises(StepNotReadyError, match="gone") as caught:
        pinned().start(Surface.of([]))
    assert (caught.value.check.outcome, caught.value.exit_code) == ("gone", 1)


def test_what_is_composed_of_a_lost_step_is_planned_anew_with_it() -> None:
    surface = Surface.of([RENDER, UPLOAD])
    one = PlanPin.of(surface, "render", step="1")
    two = PlanPin.of(surface, "upload", step="2", relies_on=relying(UPLOAD, steps=["1"]))
    three = PlanPin.of(surface, "upload", step="3", relies_on=relying(UPLOAD, steps=["2"]))
    other = PlanPin.of(surface, "upload", step="4")
    later = Surface.of([UPLOAD])
    checks = check_plan([three, one, two, other], later)
    assert [check.outcome for check in checks] == ["re-plan", "gone", "re-plan", "unchanged"]
    assert [(each.kind, each.what) for each in checks[0].obstacles] == [("step", "2")]
    running = one.start(surface)
    assert [check.outcome for check in check_plan([running, two], later)] == ["gone", "unchanged"]


def test_steps_in_a_circle_end() -> None:
    surface = Surface.of([RENDER, UPLOAD])
    one = PlanPin.of(surface, "render", step="1", relies_on=relying(RENDER, steps=["2"]))
    two = PlanPin.of(surface, "upload", step="2", relies_on=relying(UPLOAD, steps=["1"]))
    assert [check.outcome for check in check_plan([one, two], Surface.of([UPLOAD]))] == ["gone", "re-plan"]


def test_a_redacted_definition_is_known_by_its_digest() -> None:
    digest = Surface.of([RENDER]).tools[0].digest
    redacted = {**changed("description", "***"), "$redacted": True, "$digest": digest}
    pin = PlanPin.of(Surface.recorded([redacted]), "render", step="1")
    assert outcome(pin, RENDER) == "unchanged"
    assert outcome(pin, changed("icons", [])) == "re-plan"


def test_of_what_was_redacted_nobody_knows_what_changed() -> None:
    digest = Surface.of([{**RENDER, "icons": ["secret"]}]).tools[0].digest
    redacted = {**RENDER, "icons": ["***"], "$redacted": True, "$digest": digest}
    pin = PlanPin.of(Surface.recorded([redacted]), "render", step="1")
    assert outcome(pin, {**RENDER, "icons": ["other"]}) == "re-plan"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["scene", "type", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    field=st.sampled_from(["inputSchema", "outputSchema", "annotations", "description"]),
    inner=st.sampled_from([None, "properties", "required", "additionalProperties"]),
    value=JSON,
    arguments=st.sampled_from([[], ["width"]]),
)
def test_no_definition_of_any_shape_breaks_a_check(
    field: str, inner: str | None, value: Any, arguments: list[str]
) -> None:
    definition = copy.deepcopy(RENDER)
    if inner is None or not isinstance(definition.get(field), dict):
        definition[field] = value
    else:
        definition[field][inner] = value
    check = pinned(arguments=arguments, media_types=["image/png"]).check(Surface.of([definition]))
    assert check.outcome in {"unchanged", "compatible", "re-plan"}
    assert (check.outcome == "re-plan") == bool(check.obstacles)

"""The build: what health and version endpoints say, and the traps that real ones hold."""

import pytest
from support.site import HTML, Site, json_answer, serving

from diagnose.observe.deployed import DeployedObserver, Endpoints

HEALTH = '{"status": "ok", "service": "meridian", "git_sha": "0a1b2c3d4e5f", "version": "0.1.9"}'


def look(http, routes, *, again=False, server_info=None):
    with serving(Site(routes)) as base:
        observer = DeployedObserver(
            http=http, endpoints=Endpoints(base_url=base), now=lambda: "2026-11-30T11:22:33.123Z"
        )
        observer.before()
        if again:
            observer.after()
        return observer, observer.deployment(server_info, None)


def test_health_tells_version_and_build(http):
    observer, seen = look(http, {"/health": json_answer(HEALTH)})
    assert (seen.observed.health, seen.observed.version, seen.observed.build) == ("ok", "0.1.9", "0a1b2c3d4e5f")
    assert observer.is_meridian
    assert seen.source == "GET /health"


def test_a_build_that_is_no_commit_id_is_unknown_and_said(http):
    _, seen = look(http, {"/health": json_answer(HEALTH.replace("0a1b2c3d4e5f", "0.1.9"))})
    assert seen.observed.build is None
    assert "no commit id" in seen.notes[0]


def test_html_instead_of_json_is_no_health(http):
    observer, seen = look(http, {"/health": (200, "text/html", HTML)})
    assert seen.observed.health == "absent"
    assert not observer.answered_json
    assert "HTML page" in seen.notes[0]


def test_html_that_calls_itself_json_is_still_html(http):
    _, seen = look(http, {"/health": json_answer(HTML)})
    assert seen.observed.health == "absent"


def test_a_server_without_endpoints_is_no_error(http):
    observer, seen = look(http, {})
    assert (seen.observed.health, seen.observed.version, seen.failure) == ("absent", None, None)
    assert not observer.notes


def test_a_deep_check_that_fails_makes_it_degraded(http):
    deep = json_answer('{"ok": false, "db": false, "hosted_mode": false, "version": "0.1.7"}', 503)
    _, seen = look(http, {"/health": json_answer(HEALTH), "/health/deep": deep})
    assert seen.observed.health == "degraded"


def test_meridians_other_version_is_a_note_and_no_second_build(http):
    deep = json_answer('{"ok": true, "db": true, "version": "0.1.7"}')
    _, seen = look(http, {"/health": json_answer(HEALTH), "/health/deep": deep})
    assert {sample.version for sample in seen.samples} == {"0.1.9", None}
    assert any("0.1.7" in note for note in seen.notes)


def test_another_servers_deep_version_is_a_sample(http):
    health = '{"status": "ok", "version": "2.0.0"}'
    deep = json_answer('{"status": "ok", "version": "1.9.0"}')
    _, seen = look(http, {"/health": json_answer(health), "/health/deep": deep})
    assert {sample.version for sample in seen.samples} == {"2.0.0", "1.9.0"}


def test_two_builds_behind_one_address_show_in_the_samples(http):
    def health(earlier):
        return json_answer(HEALTH if earlier == 0 else HEALTH.replace("0a1b2c3d4e5f", "ffffffffffff"))

    _, seen = look(http, {"/health": health}, again=True)
    assert [sample.build for sample in seen.samples] == ["0a1b2c3d4e5f", "ffffffffffff"]


def test_a_version_endpoint_may_be_plain_text(http):
    _, seen = look(http, {"/version": (200, "text/plain", "v1.4.2\n")})
    assert seen.observed.version == "v1.4.2"


def test_a_page_at_version_is_no_version(http):
    _, seen = look(http, {"/version": (200, "text/html", HTML)})
    assert seen.observed.version is None


def test_server_info_tells_the_version_where_nothing_else_does(http):
    _, seen = look(http, {}, server_info={"name": "orchard", "version": "3.1.0"})
    assert (seen.observed.version, seen.source) == ("3.1.0", "serverInfo")
    _, seen = look(http, {"/health": json_answer(HEALTH)}, server_info={"name": "orchard", "version": "1.30.0"})
    assert seen.observed.version == "0.1.9"


def test_a_server_that_is_down_is_unreachable(http):
    with serving(Site({})) as base:
        pass
    observer = DeployedObserver(http=http, endpoints=Endpoints(base_url=base), now=lambda: "t")
    observer.before()
    seen = observer.deployment(None, None)
    assert seen.observed.health == "unreachable"
    assert seen.failure.rule == "unreachable"


@pytest.mark.parametrize(
    ("answer", "health"),
    [
        ((200, "text/plain", "OK\n"), "ok"),
        (json_answer('"healthy"'), "ok"),
        ((200, "text/plain", "hello"), "absent"),
        (json_answer("[1, 2]"), "absent"),
        (json_answer("7"), "absent"),
        ((401, "application/json", "{}"), None),
        ((403, "text/html", HTML), None),
        ((500, "text/plain", "OK"), "degraded"),
    ],
)
def test_health_is_a_report_or_one_word_and_a_refusal_is_neither(http, answer, health):
    _, seen = look(http, {"/health": answer})
    assert seen.observed.health == health
    assert bool(seen.notes) is (health != "ok")
    assert seen.source == ("GET /health" if health in {"ok", "degraded"} else "")


def test_a_refusal_is_told_with_the_request_that_it_answered(http):
    _, seen = look(http, {"/health": (401, "application/json", "{}")})
    assert (seen.failure.rule, seen.failure.status, seen.failure.where) == ("auth-blocked", 401, "GET /health")
    assert seen.failure.args["credentialSent"] is False

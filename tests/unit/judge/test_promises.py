"""The checks that `check` runs beside those of the main job: each with evidence that passes it and evidence that fails it."""

from dataclasses import replace

import pytest
from unit.judge.looks import AT, ORCHARD, advertised, bundle, origin, tool

from diagnose.evidence.observation import Page
from diagnose.evidence.probes import Answered, Beside, BesideRound, CursorAgain, Hinted, Probes, VersionTried
from diagnose.judge import diagnose
from diagnose.judge.checks import ALL, CHECKS
from diagnose.surface import Surface

MODERN = {"era": "modern", "protocol_version": "2026-07-28"}
GOOD = {"ttlMs": 60_000, "cacheScope": "public"}
FIRST, SECOND = "fp:aaaaaaaaaa", "fp:bbbbbbbbbb"


def page(**members):
    return Page(cursor=None, ttl_ms=members.get("ttlMs"), cache_scope=members.get("cacheScope"), hints=members)


def sized(tools):
    return Page(
        cursor=None,
        names=tuple(f"tool_{number}" for number in range(tools)),
        hints=GOOD,
        ttl_ms=60_000,
        cache_scope="public",
    )


def listing(tools=ORCHARD, /, *pages, capabilities=None, instructions=None, **rest):
    surface = Surface.of(tools, instructions, capabilities)
    seen = origin(tools, pages=pages or (page(**GOOD),), capabilities=capabilities or {"tools": {}}, **MODERN | rest)
    return replace(seen, surface=surface)


def hinted(**members):
    return listing(ORCHARD, page(**members))


def walked(*walks, **rest):
    samples = tuple(replace(walk, samples=()) for walk in walks)
    return replace(samples[-1], samples=samples, **rest)


def by(principal, *tools, scope="private"):
    return listing(tools or ORCHARD, page(ttlMs=0, cacheScope=scope), principal=principal)


def later(walk, second):
    return replace(walk, at=AT.replace("33.123", f"{33 + second}.123"))


def refused(method, code, *, status=400, what="", message="", data=None):
    return Answered(method=method, what=what, status=status, code=code, refused=True, message=message, data=data)


def taken(method, *, what="", status=200, **members):
    return Answered(method=method, what=what, status=status, result=members)


def tried(version, *, named, accepted, era="legacy"):
    answer = taken("initialize", protocolVersion=version) if accepted else refused("initialize", -32022)
    return VersionTried(version=version, era=era, named=named, accepted=accepted, answer=answer)


def beside(*rounds, era="modern"):
    """Walks before and after other requests, each pair over a session of its own."""
    return Probes(
        beside=Beside(
            rounds=tuple(
                BesideRound(before=listing(before, era=era), asked=("prompts/list",), after=listing(after, era=era))
                for before, after in rounds
            )
        )
    )


def again(now, *, reissued=True, then=("a", "b")):
    answer = refused("tools/list", -32602) if now is None else taken("tools/list")
    return CursorAgain(cursor="2", then=then, now=now, reissued=reissued, answer=answer)


def outcome(name, seen, probes, **rest):
    diagnosis = diagnose(bundle(origin=seen, probes=probes, live=True, **rest), checks=[CHECKS[name]])
    found = [finding for finding in diagnosis.findings if finding.rule == name]
    return diagnosis.checks[0].outcome, found[0].severity if found else None


NONE = Probes()
LONG = "x" * 300_000
DEEP = {"type": "object", "properties": {"n": {"type": "integer"}}}
X_HEADER = {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "Row Number"}}}
MOVED = [*ORCHARD, tool("press_cider")]
MORE = [*MOVED, tool("ferment")]
UNCHECKED = Probes(bogus_cursor=taken("tools/list", tools=[{}]))

#: name, what passes it, what fails it, and how bad that is.
ROWS = [
    ("tools-capability-missing", (listing(), NONE), (listing(capabilities={"prompts": {}}), NONE), "error"),
    ("ttl-misuse", (hinted(**GOOD), NONE), (hinted(cacheScope="public"), NONE), "error"),
    ("ttl-misuse", (hinted(**GOOD), NONE), (hinted(ttlMs=-1, cacheScope="public"), NONE), "error"),
    ("ttl-misuse", (hinted(**GOOD), NONE), (hinted(ttlMs=0.5, cacheScope="public"), NONE), "error"),
    ("ttl-misuse", (hinted(**GOOD), NONE), (hinted(ttlMs="60000", cacheScope="public"), NONE), "error"),
    ("ttl-misuse", (hinted(**GOOD), NONE), (hinted(ttlMs=True, cacheScope="public"), NONE), "error"),
    ("ttl-misuse", (hinted(ttlMs=0, cacheScope="other"), NONE), (hinted(ttl=60, cacheScope="public"), NONE), "error"),
    ("cache-scope-invalid", (hinted(**GOOD), NONE), (hinted(ttlMs=1), NONE), "error"),
    ("cache-scope-invalid", (hinted(ttlMs=-1, cacheScope="private"), NONE), (hinted(ttlMs=1, cacheScope="all"), NONE), "error"),
    ("ttl-unit", (hinted(ttlMs=1000, cacheScope="public"), NONE), (hinted(ttlMs=300, cacheScope="public"), NONE), "warning"),
    ("ttl-unit", (hinted(ttlMs=0, cacheScope="public"), NONE), (hinted(ttlMs=3600, cacheScope="public"), NONE), "warning"),
    ("ttl-too-long", (hinted(ttlMs=30 * 86_400_000, cacheScope="public"), NONE), (hinted(ttlMs=31 * 86_400_000, cacheScope="public"), NONE), "warning"),
    (
        "page-scope-differs",
        (listing(), Probes(hints=(Hinted(method="prompts/list", pages=(GOOD, GOOD)),))),
        (listing(), Probes(hints=(Hinted(method="prompts/list", pages=(GOOD, {**GOOD, "cacheScope": "private"})),))),
        "error",
    ),
    (
        "cache-hints-missing-elsewhere",
        (listing(), Probes(hints=(Hinted(method="server/discover", pages=(GOOD,)), Hinted(method="prompts/list")))),
        (listing(), Probes(hints=(Hinted(method="server/discover", pages=({"ttlMs": 0},)),))),
        "error",
    ),
    ("cache-hints-legacy", (listing(ORCHARD, page(), era="legacy"), NONE), (listing(ORCHARD, page(ttlMs=0), era="legacy"), NONE), "note"),
    ("ttl-on-varying-list", (walked(listing(), listing(MOVED), listing(MOVED)), NONE), (walked(listing(), listing(MOVED), listing(MORE)), NONE), "warning"),
    ("ttl-on-varying-list", (walked(*(listing(tools, page(ttlMs=0)) for tools in (ORCHARD, MOVED, MORE))), NONE), (walked(listing(), listing(MOVED), listing()), NONE), "warning"),
    ("ttl-misuse", (walked(listing(), later(listing(), 1)), NONE), (walked(listing(), later(listing(MOVED), 1), later(listing(MOVED), 2)), NONE), "warning"),
    ("ttl-misuse", (walked(hinted(ttlMs=500, cacheScope="public"), later(listing(MOVED), 1)), NONE), (walked(hinted(ttlMs=1500, cacheScope="public"), later(listing(MOVED), 1)), NONE), "warning"),
    ("scope-leak", (walked(by(SECOND, tool("a")), by(FIRST)), NONE), (walked(by(SECOND, tool("a"), scope="public"), by(FIRST)), NONE), "error"),
    ("scope-leak", (walked(by(SECOND, scope="public"), by(FIRST, scope="public")), NONE), (walked(by(SECOND, tool("a")), by(FIRST, scope="public")), NONE), "error"),
    ("auth-view-diff", (walked(by(SECOND), by(FIRST)), NONE), (walked(by(SECOND, tool("a")), by(FIRST)), NONE), "note"),
    ("private-identical", (walked(by(SECOND, tool("a")), by(FIRST)), NONE), (walked(by(SECOND), by(FIRST)), NONE), "note"),
    (
        "private-without-credential",
        (walked(by(FIRST), by(FIRST)), Probes(anonymous=refused("tools/list", None, status=401))),
        (walked(by("none"), by(FIRST)), Probes(anonymous=taken("tools/list"))),
        "warning",
    ),
    ("private-without-credential", (by("none", scope="public"), Probes(anonymous=taken("tools/list"))), (by("none"), Probes(anonymous=taken("tools/list"))), "warning"),
    ("eras-differ", (walked(listing(era="legacy"), listing()), NONE), (walked(listing(MOVED, era="legacy"), listing()), NONE), "note"),
    (
        "discover-overclaims",
        (listing(), Probes(versions=(tried("2025-11-25", named=True, accepted=True),))),
        (listing(), Probes(versions=(tried("2025-11-25", named=True, accepted=False),))),
        "error",
    ),
    (
        "discover-incomplete",
        (listing(), Probes(versions=(tried("2025-11-25", named=False, accepted=False), tried("2025-06-18", named=True, accepted=True)))),
        (listing(), Probes(versions=(tried("2025-11-25", named=False, accepted=True),))),
        "note",
    ),
    ("header-mismatch-accepted", (listing(), Probes(headers=(refused("tools/list", -32020), refused("tools/list", -32022)))), (listing(), Probes(headers=(taken("tools/list", tools=[]),))), "error"),
    ("header-mismatch-accepted", (listing(), Probes(headers=(refused("tools/list", -32020),))), (listing(), Probes(headers=(refused("tools/list", -32602),))), "error"),
    ("removed-method-wrong", (listing(), Probes(removed=(refused("ping", -32601, status=404),))), (listing(), Probes(removed=(refused("ping", -32602),))), "error"),
    ("removed-method-wrong", (listing(), Probes(removed=(refused("ping", -32601, status=404),))), (listing(), Probes(removed=(refused("ping", -32601, status=200),))), "error"),
    ("removed-method-wrong", (listing(), Probes(removed=(refused("ping", -32601, status=404),))), (listing(), Probes(removed=(taken("ping", what="a method that was removed"),))), "warning"),
    (
        "initialize-unhelpful",
        (listing(), Probes(initialize=refused("initialize", -32022, data={"supported": ["2026-07-28"]}))),
        (listing(), Probes(initialize=refused("initialize", -32601, message="Method not found"))),
        "warning",
    ),
    ("initialize-unhelpful", (listing(), Probes(initialize=refused("initialize", -32601, message="only 2026-07-28 here"))), (listing(), Probes(initialize=refused("initialize", -32601, data={"supported": []}))), "warning"),
    ("list-varies-by-connection", (listing(), beside((ORCHARD, ORCHARD))), (listing(), beside((ORCHARD, MOVED), (ORCHARD, MOVED))), "error"),
    ("list-varies-by-connection", (listing(), beside((ORCHARD, MOVED), (MOVED, MOVED))), (listing(era="legacy"), beside((ORCHARD, MOVED), (ORCHARD, MOVED), era="legacy")), "warning"),
    ("cursor-unchecked", (listing(), Probes(bogus_cursor=refused("tools/list", -32602))), (listing(), UNCHECKED), "warning"),
    ("cursor-unstable", (listing(), Probes(cursor_again=again(("a", "b")))), (listing(), Probes(cursor_again=again(None))), "warning"),
    ("cursor-unstable", (listing(), Probes(cursor_again=again(("a", "b")))), (listing(), Probes(cursor_again=again(("b",)))), "warning"),
    ("page-sizes", (listing(ORCHARD, sized(2), sized(1)), NONE), (listing(ORCHARD, sized(0), sized(3)), NONE), "note"),
    ("page-sizes", (listing(ORCHARD, *[sized(1)] * 3), NONE), (listing(ORCHARD, *[sized(1)] * 11), NONE), "note"),
    ("name-unusual", (listing([tool("DATA_export.v-2")]), NONE), (listing([tool("data export")]), NONE), "warning"),
    ("name-unusual", (listing([tool("n" * 128)]), NONE), (listing([tool("n" * 129)]), NONE), "warning"),
    ("name-case-twins", (listing([tool("pick"), tool("picks")]), NONE), (listing([tool("pick"), tool("Pick")]), NONE), "warning"),
    ("invisible-characters", (listing([tool("a", "caf\u00e9 \u2728\ufe0f\n\u0646\u200c\u0645")]), NONE), (listing([tool("a", "read\u200bme")]), NONE), "warning"),
    ("invisible-characters", (listing(instructions="Be kind."), NONE), (listing(instructions="Be \u202ekind."), NONE), "warning"),
    ("schema-invalid", (listing([tool("a", inputSchema=DEEP)]), NONE), (listing([tool("a", inputSchema={"type": "object", "minProperties": "1"})]), NONE), "error"),
    ("schema-invalid", (listing([tool("a", inputSchema={"type": "string"})]), NONE), (listing([tool("a", inputSchema={**DEEP, "patternProperties": {"x": {"pattern": "("}}})]), NONE), "error"),
    ("invalid-definition", (listing([tool("a", inputSchema={"type": "object", "minProperties": "1"})]), NONE), (listing([tool("a", inputSchema={"type": "string"})]), NONE), "error"),
    ("header-annotation-invalid", (listing([tool("a", inputSchema=DEEP)]), NONE), (listing([tool("a", inputSchema=X_HEADER)]), NONE), "error"),
    ("number-precision", (listing([tool("a", _meta={"n": 2**53, "f": 0.1})]), NONE), (listing([tool("a", _meta={"n": 2**53 + 1})]), NONE), "warning"),
    ("list-too-large", (listing([tool("a", "x" * 100_000)]), NONE), (listing([tool("a", LONG)]), NONE), "warning"),
    ("definition-too-large", (listing([tool("a", "x" * 10_000)]), NONE), (listing([tool("a", LONG)]), NONE), "warning"),
    ("revision-places-differ", (listing(advertised=advertised()), NONE), (listing(advertised=advertised(initialize="0" * 64)), NONE), "error"),
    ("revision-mismatch", (listing(advertised=advertised(initialize="0" * 64)), NONE), (listing(advertised=advertised(list="0" * 64)), NONE), "error"),
    ("auth-blocked", (listing(), NONE), (listing(), Probes(second=refused("tools/list", None, status=401))), "error"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "good", "bad", "severity"), ROWS, ids=[f"{at}-{row[0]}" for at, row in enumerate(ROWS)]
)
def test_a_check_tells_a_good_server_from_a_bad_one(name, good, bad, severity):
    assert outcome(name, *good) == ("passed", None)
    assert outcome(name, *bad) == ("passed" if severity == "note" else "failed", severity)


def test_every_check_that_needs_a_trial_has_a_row():
    unmet = {
        each.rule
        for each in diagnose(bundle(origin=walked(listing(), listing()), live=True), checks=ALL).checks
        if each.outcome == "not-verified" and "nobody tried" in (each.why or "")
    }
    assert unmet - {row[0] for row in ROWS} == set()
    assert len(unmet) >= 20


@pytest.mark.parametrize(
    "name",
    [
        "cursor-unchecked",
        "cursor-unstable",
        "discover-overclaims",
        "removed-method-wrong",
        "initialize-unhelpful",
        "header-mismatch-accepted",
        "cache-hints-missing-elsewhere",
        "private-without-credential",
    ],
)
def test_what_was_not_tried_is_not_verified_and_says_why(name):
    assert outcome(name, listing(), Probes())[0] == "not-verified"
    result = diagnose(
        bundle(
            origin=listing(),
            live=True,
            probes=Probes(unmet=dict.fromkeys(Probes.__dataclass_fields__, "so it was")),
        ),
        checks=[CHECKS[name]],
    ).checks[0]
    assert (result.outcome, result.why) == ("not-verified", "so it was")


def test_a_request_without_an_answer_verifies_nothing():
    silent = Answered(method="ping", why="The server did not answer in time.")
    assert outcome("removed-method-wrong", listing(), Probes(removed=(silent, silent)))[0] == "not-verified"


def test_a_cursor_that_still_works_beside_new_ones_is_a_note():
    assert outcome("cursor-unstable", listing(), Probes(cursor_again=again(("a", "b"), reissued=False))) == (
        "passed",
        "note",
    )


def test_over_stdio_a_status_is_not_asked_for_and_a_header_annotation_is_a_note():
    answer = refused("ping", -32601, status=None)
    assert outcome("removed-method-wrong", listing(), Probes(removed=(answer,)), transport="stdio") == ("passed", None)
    assert outcome(
        "header-annotation-invalid", listing([tool("a", inputSchema=X_HEADER)]), NONE, transport="stdio"
    ) == ("passed", "note")


def test_in_a_bundle_the_catalogue_has_one_cause_where_check_tells_parts_apart():
    flawed = [tool("a", inputSchema=X_HEADER), tool("b", inputSchema={"type": "object", "minProperties": "1"})]
    found = diagnose(bundle(origin=listing(flawed, page(ttlMs=1, cacheScope="all")), live=True)).findings
    errors = [finding.rule for finding in found if finding.severity == "error"]
    assert sorted(errors) == ["invalid-definition", "invalid-definition", "ttl-misuse"]


def seen_by(sessions, *lists, **rest):
    samples = [listing(tools, session=label, **rest) for label, tools in zip(sessions, lists, strict=True)]
    return walked(*samples)


A, B, C = ORCHARD, MOVED, MORE
CONNECTIONS = [
    ("123 1221", "ABA ABBA", "list-varies-by-connection", "error"),
    ("123 1221", "ABC ABBA", "list-varies-by-connection", "error"),
    ("123 1221", "ABB ABBA", "list-varies-by-connection", "error"),  # no sessions over modern HTTP: the connection it is
    ("123 1221", "ABA BABA", "replica-skew", "error"),
    ("123 1221", "ABB BBBB", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("sessions", "lists", "name", "severity"), CONNECTIONS, ids=[row[1] for row in CONNECTIONS])
def test_lists_that_belong_to_connections_are_told_from_those_that_come_by_turns(sessions, lists, name, severity):
    letters = {"A": A, "B": B, "C": C}
    seen = seen_by(sessions.replace(" ", ""), *(letters[letter] for letter in lists.replace(" ", "")))
    for each in ("list-varies-by-connection", "replica-skew", "server-frozen-snapshot"):
        assert outcome(each, seen, NONE)[1] == (severity if each == name else None), each


def test_before_the_modern_era_a_list_by_connection_was_allowed():
    seen = seen_by("1231221", A, B, A, A, B, B, A, era="legacy")
    assert outcome("list-varies-by-connection", seen, NONE)[1] == "warning"
    frozen = seen_by("1231", A, B, B, A, era="legacy")
    assert outcome("server-frozen-snapshot", frozen, NONE)[1] == "error"
    assert outcome("list-varies-by-connection", frozen, NONE)[1] is None


def test_of_a_list_that_moves_no_handshake_is_held_to_a_revision():
    moving = walked(listing(advertised=advertised()), listing(MOVED, advertised=advertised(initialize="0" * 64)))
    assert outcome("revision-places-differ", moving, NONE) == ("passed", None)

"""`diagnose check` on the newest SDKs of others, and beside two other judges of one rule: what each says, written down."""

import json
import subprocess
from dataclasses import dataclass

import pytest
from interop import rows
from interop.test_conformance import suite
from interop.test_servers import reach, world
from support.program import diagnose

from diagnose.jobs.embedded import embedded
from diagnose.reference.options import ServeOptions

__all__ = ["reach", "suite", "world"]
PATIENT = ("--format", "json", "--timeout", "30", "--deadline", "110")


@dataclass(frozen=True, kw_only=True)
class Told:
    """One finding about a server of others: `says` is in its message, `wire` is what came over the wire."""

    rule: str
    severity: str
    says: str
    wire: str


_UNNAMED = Told(
    rule="discover-incomplete",
    severity="note",
    says="takes versions that discovery does not name: 2025-11-25",
    wire='`server/discover` has supportedVersions ["2026-07-28"]; `initialize` with 2025-11-25 (over HTTP also with '
    "the three older ones) is answered with that very version.",
)
_CURSOR = Told(
    rule="cursor-unchecked",
    severity="warning",
    says="answered with a page of 2 tools",
    wire="`tools/list` with an invented cursor has the first page as its result, where pagination says -32602.",
)
_PRIVATE = Told(
    rule="private-without-credential",
    severity="warning",
    says="marked private, and it comes without any credential",
    wire='`tools/list` without an Authorization header is answered 200 with cacheScope "private", the default of the SDK.',
)
_NONSENSE = Told(
    rule="listen-nonsense-uri",
    severity="warning",
    says="grants news of diagnose-nonsense:///",
    wire="The acknowledgement repeats resourceSubscriptions with the invented URI; the server has no resource at all.",
)
_CHANNEL = Told(
    rule="eras-differ",
    severity="note",
    says="differ: listChanged",
    wire="tools.listChanged is one thing in the result of `initialize` and the other in that of `server/discover`.",
)
#: Everything that is reported about each server, and none of it an error.
FINDINGS = {
    "mcp-2-stdio": (_UNNAMED, _CURSOR, _NONSENSE, _CHANNEL),
    "mcp-2-http": (_UNNAMED, _CURSOR, _PRIVATE, _NONSENSE, _CHANNEL),
    "fastmcp-4-stdio": (_UNNAMED, _CURSOR, _CHANNEL),
    "fastmcp-4-http": (_UNNAMED, _CURSOR, _PRIVATE, _CHANNEL),
    "typescript-2-stdio": (_UNNAMED, _CURSOR),
    "typescript-2-http": (_UNNAMED, _CURSOR, _PRIVATE),
}
NEWEST = [row for row in rows.OURS if row.id in FINDINGS]


@pytest.mark.parametrize("row", NEWEST, ids=[row.id for row in NEWEST])
def test_what_is_reported_is_what_is_written_down(row, reach, world):
    with reach(row) as target:
        ran = diagnose("check", *PATIENT, *target, env=world)
    assert ran.out, ran.err
    seen = json.loads(ran.out)
    expected = sorted(FINDINGS[row.id], key=lambda told: told.rule)
    found = sorted(seen["findings"], key=lambda finding: finding["rule"])
    assert [(each["rule"], each["severity"]) for each in found] == [(told.rule, told.severity) for told in expected]
    assert [each["message"] for each in found if not any(told.says in each["message"] for told in expected)] == []
    assert (ran.code, seen["exitCode"], seen["verdict"]["state"]) == (0, 0, "in-sync")


#: Our rules on hints that one of the other two judges too.
HINTS = "ttl-misuse,ttl-unit,ttl-too-long,ttl-on-varying-list,cache-scope-invalid,page-scope-differs,cache-hints-missing-elsewhere"
SCHEMA = "wire-schema-valid"


@dataclass(frozen=True, kw_only=True)
class Verdicts:
    """What three judges say of one server: ours, the scenario `caching`, and mcpcheck's check `cache`.

    A code that mcpcheck only warns of stands in `softly`. `why` explains where one fails a server and another does not.
    """

    fault: str | None
    ours: tuple = ()
    scenario: frozenset = frozenset()
    mcpcheck: frozenset = frozenset()
    softly: frozenset = frozenset()
    why: str | None = None

    @property
    def fail(self):
        """Who fails the server."""
        return {any(severity == "error" for _, severity in self.ours), bool(self.scenario), bool(self.mcpcheck)}


def _listing(what):
    return frozenset({f"sep-2549-{what}-list-caching-hints", SCHEMA})


_NOT_NATURAL = frozenset({"sep-2549-ttl-non-negative", SCHEMA})
_WRONG = (("ttl-misuse", "error"),)
_ELSEWHERE = (("cache-hints-missing-elsewhere", "error"),)
_NONE_OF_BOTH = frozenset({"cache.scope_missing", "cache.ttl_missing"})
JUDGED = (
    Verdicts(fault=None),
    Verdicts(
        fault="ttl-misuse:missing",
        ours=_WRONG,
        scenario=_listing("tools"),
        mcpcheck=frozenset({"cache.ttl_missing"}),
    ),
    Verdicts(
        fault="ttl-misuse:seconds-key",
        ours=_WRONG,
        scenario=_listing("tools"),
        mcpcheck=frozenset({"cache.ttl_missing"}),
    ),
    Verdicts(
        fault="ttl-misuse:negative", ours=_WRONG, scenario=_NOT_NATURAL, mcpcheck=frozenset({"cache.ttl_negative"})
    ),
    Verdicts(
        fault="ttl-misuse:text", ours=_WRONG, scenario=_NOT_NATURAL, mcpcheck=frozenset({"cache.ttl_not_integer"})
    ),
    Verdicts(
        fault="ttl-misuse:float",
        ours=_WRONG,
        scenario=_NOT_NATURAL,
        softly=frozenset({"cache.ttl_not_integral"}),
        why="The schema has an integer, which the scenario and we hold to; mcpcheck takes any number for the type, and warns.",
    ),
    Verdicts(fault="ttl-misuse:changed-inside", ours=(("ttl-misuse", "warning"),)),
    Verdicts(fault="ttl-unit", ours=(("ttl-unit", "warning"),)),
    Verdicts(fault="ttl-too-long", ours=(("ttl-too-long", "warning"),), softly=frozenset({"cache.ttl_implausible"})),
    Verdicts(
        fault="cache-scope-invalid",
        ours=(("cache-scope-invalid", "error"),),
        scenario=frozenset({"sep-2549-cache-scope-valid", SCHEMA}),
        mcpcheck=frozenset({"cache.scope_invalid"}),
    ),
    Verdicts(
        fault="page-scope-differs",
        ours=(("page-scope-differs", "error"),),
        mcpcheck=frozenset({"cache.scope_inconsistent_pages"}),
        why="The scenario reads the first page alone, and cannot see that the second has another scope.",
    ),
    Verdicts(
        fault="cache-hints-missing-elsewhere:prompts",
        ours=_ELSEWHERE,
        scenario=_listing("prompts"),
        mcpcheck=_NONE_OF_BOTH,
    ),
    Verdicts(
        fault="cache-hints-missing-elsewhere:discover",
        ours=_ELSEWHERE,
        why="The scenario and the check `cache` hold lists to hints; that `server/discover` has them too, neither looks at.",
    ),
)


@pytest.mark.parametrize("row", JUDGED, ids=[row.fault or "honest" for row in JUDGED])
def test_three_judges_of_hints_say_what_is_written_down(row, suite, peer, world, tmp_path):
    mcpcheck = peer("mcpcheck").bin / "jbt-mcpcheck"
    with embedded(ServeOptions(fault=row.fault, page_size=2)) as server:
        ran = diagnose("check", *PATIENT, "--select", HINTS, server.url, env=world)
        where = ("--spec-version", rows.MODERN, "--output-dir", str(tmp_path / "told"))
        scenario = suite("server", "--url", server.url, "--scenario", "caching", *where)
        other = subprocess.run(
            [str(mcpcheck), "--check", "cache", "--json", server.url],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    found = {(each["rule"], each["severity"]) for each in json.loads(ran.out)["findings"]}
    assert found == set(row.ours)
    assert ran.code == (1 if ("error" in dict(found).values()) else 0)
    (told,) = (tmp_path / "told").rglob("checks.json")
    checks = json.loads(told.read_text(encoding="utf-8"))
    assert {each["id"] for each in checks if each["status"] == "FAILURE"} == row.scenario, scenario.stdout
    (check,) = json.loads(other.stdout)["checks"]
    assert {each["code"] for each in check["failures"]} == row.mcpcheck
    assert {each["code"] for each in check["warnings"]} == row.softly


@pytest.mark.parametrize("row", JUDGED, ids=[row.fault or "honest" for row in JUDGED])
def test_a_difference_and_only_a_difference_is_explained(row):
    assert (row.why is not None) == (len(row.fail) > 1)

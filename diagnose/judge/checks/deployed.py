"""Checks on the build that answers: the right one, and one only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from diagnose.evidence.observation import Build
from diagnose.judge import told
from diagnose.judge.builds import before, same_build, version_order
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import deployed, expected_build, expected_told
from diagnose.judge.checks.registry import Seen, check


@check(
    "mixed-builds",
    family="deployed",
    layer="deployed",
    severity="error",
    summary="One build answers behind the address.",
    why="While two builds answer, every list, health and version is a draw from a hat: no other comparison holds.",
    remedy="Finish or roll back the deployment, so that every instance runs one build.",
    source="catalogue of causes, mixed-builds",
    message="{how_many} builds answer behind one address: {which}.",
    needs=(deployed,),
)
def mixed_builds(case: Case) -> Iterable[Seen]:
    """Compare what each endpoint said over time, and the commits that different endpoints said."""
    samples = told.samples(case.bundle)
    kinds = _kinds(samples)
    if len(kinds) < 2:
        return
    order = [next(index for index, kind in enumerate(kinds) if sample in kind) for sample in samples if _told(sample)]
    returns = any(later < earlier for earlier, later in pairwise(order))
    named = [_named(kind[0]) for kind in kinds]
    yield Seen(
        args={"builds": named, "samples": len(order)},
        words={"how_many": "Two" if len(named) == 2 else str(len(named)), "which": " and ".join(named[:5])},
        evidence=tuple(
            f"{sample.source} at {sample.at or 'an unknown time'}: {_named(sample)}"
            for sample in samples
            if _told(sample)
        ),
        # Seen once each, in one order, two builds may also be a deployment that was under way.
        confidence="proven" if returns else "likely",
    )


def _kinds(samples: tuple[Build, ...]) -> list[list[Build]]:
    """Group the samples by build: two are one build unless their commits differ, or one endpoint's versions do."""
    kinds: list[list[Build]] = []
    for sample in filter(_told, samples):
        home = next((kind for kind in kinds if not any(_differ(sample, member) for member in kind)), None)
        if home is None:
            kinds.append([sample])
        else:
            home.append(sample)
    return kinds


def _differ(left: Build, right: Build) -> bool:
    if left.build is not None and right.build is not None:
        return not same_build(left.build, right.build)
    if left.version is None or right.version is None:
        return False
    # Another endpoint may read its version from another file, and serverInfo may give that of an SDK.
    comparable = left.source == right.source or not {left.source, right.source} & {"serverInfo", "GET /health/deep"}
    return comparable and version_order(left.version, right.version) != "same"


def _told(sample: Build) -> bool:
    return sample.version is not None or sample.build is not None


def _named(build: Build) -> str:
    said = (f"version {build.version}" if build.version else "", f"build {build.build}" if build.build else "")
    return ", ".join(filter(None, said))


@check(
    "server-old-build",
    family="deployed",
    layer="deployed",
    severity="error",
    summary="The build that answers is the expected one, or newer.",
    why="An old build answers with an old list, and everything above it looks stale for that reason.",
    remedy="Deploy the expected build, or restart the process so that it loads it.",
    source="catalogue of causes, server-old-build",
    message="The server runs {observed}, and {expected} was expected.",
    needs=(expected_build, expected_told),
)
def server_old_build(case: Case) -> Iterable[Seen]:
    """Hold each sample to the expected version, commit and time."""
    for expected, sample in _expectations(case):
        reasons = list(_older(sample, expected))
        if reasons:
            yield Seen(
                args={"observed": _dated(sample), "expected": _dated(expected), "by": reasons},
                evidence=(f"{sample.source or 'observed'}: {_dated(sample)}",),
            )
            return


def _expectations(case: Case) -> Iterator[tuple[Build, Build]]:
    seen = case.bundle.deployed
    if seen is not None and seen.expected is not None:
        for sample in told.comparable(case.bundle):
            yield seen.expected, sample


def _older(observed: Build, expected: Build) -> Iterator[str]:
    """Yield what shows that a build is an older one: a commit only differs, a version and a time have an order."""
    order = version_order(observed.version, expected.version) if observed.version and expected.version else None
    if order in {"older", "different"}:
        yield "version"
    one = same_build(observed.build, expected.build) if observed.build and expected.build else None
    if one is False and order != "newer":
        yield "build"
    if one is not True and order != "newer" and before(observed.started_at, expected.at):
        yield "start"


def _dated(build: Build) -> str:
    named = _named(build)
    if build.started_at:
        started = f"started {build.started_at}"
        named = f"{named}, {started}" if named else f"a process {started}"
    return named or f"a build of {build.at}"


@check(
    "newer-build",
    family="deployed",
    layer="deployed",
    severity="warning",
    summary="The build that answers is not newer than the expected one.",
    why="An expectation that the server has left behind guards nothing any more.",
    remedy="Update the expectation.",
    source="catalogue of causes, server-old-build, whose opposite this is",
    message="The server runs {observed}, which is newer than the expected {expected}.",
    needs=(expected_build, expected_told),
)
def newer_build(case: Case) -> Iterable[Seen]:
    """Look for a sample with a later version than the expected one."""
    for expected, sample in _expectations(case):
        if sample.version and expected.version and version_order(sample.version, expected.version) == "newer":
            yield Seen(args={"observed": _dated(sample), "expected": _dated(expected)})
            return


@check(
    "expected-build-unknown",
    family="deployed",
    layer="deployed",
    severity="warning",
    summary="The server tells enough of its build to hold it to the expectation.",
    why="An expectation that nothing can be held to must not pass for one that was met.",
    remedy="Let the health or version endpoint tell version and commit.",
    source="catalogue of causes, server-old-build, as far as it can be judged",
    message="The server does not say which {kind} it runs{because}, and {expected} was expected.",
    needs=(expected_build,),
)
def expected_build_unknown(case: Case) -> Iterable[Seen]:
    """Look for an expected value whose counterpart nobody told."""
    seen = case.bundle.deployed
    if seen is None or seen.expected is None:
        return
    known = told.comparable(case.bundle)
    doubtful = told.in_server_info(case.bundle)
    if seen.expected.version and not any(sample.version for sample in known):
        facts = {} if doubtful is None else {"serverInfo": doubtful}
        yield Seen(
            args={"kind": "version", "expected": f"version {seen.expected.version}", **facts},
            words={"because": "" if doubtful is None else f" ({_doubt(case, doubtful)})"},
        )
    if seen.expected.build and not any(sample.build for sample in known):
        yield Seen(
            args={"kind": "build", "expected": f"build {seen.expected.build}"},
            words={"because": ""},
        )


def _doubt(case: Case, version: str) -> str:
    sure = told.sdk_version(case.bundle) is not None
    whose = "is that of the MCP SDK for a Meridian over stdio" if sure else "may be that of an SDK"
    return f"only serverInfo gives a version, {version}, which {whose}"


@check(
    "health-degraded",
    family="deployed",
    layer="deployed",
    severity="note",
    summary="The server says that it is well.",
    why="A degraded server may list less than usual; that is trouble of its own, and nothing stale.",
    remedy="Look into the server's own health report.",
    source="the server's health endpoint",
    message="The server reports its own health as degraded.",
    needs=(deployed,),
)
def health_degraded(case: Case) -> Iterable[Seen]:
    """Pass on what the health endpoint says."""
    seen = case.bundle.deployed
    if seen is not None and seen.observed is not None and seen.observed.health == "degraded":
        yield Seen(evidence=tuple(sample.source for sample in seen.samples if sample.health == "degraded"))

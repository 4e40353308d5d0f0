"""What checks need, each with the words for a report that has to say it was not there."""

from __future__ import annotations

from diagnose.judge.case import Case
from diagnose.judge.told import comparable

#: Failures after which nobody knows whether the server would have answered the next request.
_SILENT = frozenset({"unreachable", "timed-out", "handshake-failed"})


def origin_asked(case: Case) -> str | None:
    """Require that the origin was asked and answered something."""
    if case.origin is None:
        return case.bundle.unobserved.get("origin", "the origin was not observed")
    failure = case.origin.failure
    if failure is not None and failure.rule in _SILENT and case.listed is None:
        return f"the origin gave no answer to judge ({failure.rule})"
    return None


def origin_session(case: Case) -> str | None:
    """Require that the origin took our handshake."""
    failure = case.origin.failure if case.origin is not None else None
    if failure is not None and failure.rule == "auth-blocked":
        return "the origin refused the credential"
    return origin_asked(case)


def origin_list(case: Case) -> str | None:
    """Require that the list of the origin was read to its end."""
    if case.listed is not None:
        return None
    failure = case.origin.failure if case.origin is not None else None
    return origin_asked(case) or f"no complete list was read ({failure.rule if failure else 'the walk did not end'})"


def origin_definitions(case: Case) -> str | None:
    """Require that the list of the origin was read, with whole definitions."""
    missing = origin_list(case)
    if missing is None and case.listed is not None and case.listed.names_only:
        return "only the names of the tools are known"
    return missing


def two_walks(case: Case) -> str | None:
    """Require that the origin was walked twice, completely, in one era and as one principal."""
    return None if len(case.walks.walks) > 1 else origin_list(case) or "the list was read once"


def manifest(case: Case) -> str | None:
    """Require that a manifest was read."""
    if case.bundle.manifest is None:
        return case.bundle.unobserved.get("manifest", "there is no manifest")
    failure = case.bundle.manifest.failure
    return (
        None
        if case.bundle.manifest.surface is not None
        else f"the manifest was not read ({failure.rule if failure else 'incomplete'})"
    )


def manifest_asked(case: Case) -> str | None:
    """Require that a manifest was asked for, where there may be one."""
    if case.bundle.manifest is None:
        return case.bundle.unobserved.get("manifest", "there is no manifest")
    failure = case.bundle.manifest.failure
    return f"the manifest gave no answer to judge ({failure.rule})" if failure and failure.rule in _SILENT else None


def past(case: Case) -> str | None:
    """Require that an earlier surface was given."""
    if case.bundle.baseline is None:
        return case.bundle.unobserved.get("baseline", "there is no past to compare with")
    return None if case.bundle.baseline.surface is not None else "the baseline holds no complete list"


def deployed(case: Case) -> str | None:
    """Require that something told which build runs."""
    seen = case.bundle.deployed
    if seen is None:
        return case.bundle.unobserved.get("deployed", "no endpoint told the build")
    told = any(
        sample.version or sample.build or sample.started_at for sample in (*seen.samples, seen.observed) if sample
    )
    return None if told else "no endpoint told the build"


def expected_build(case: Case) -> str | None:
    """Require that a build was expected."""
    seen = case.bundle.deployed
    wanted = seen.expected if seen is not None else None
    if wanted is None or not (wanted.version or wanted.build or wanted.at):
        return "no version or build was expected"
    return None


def expected_told(case: Case) -> str | None:
    """Require that something told what can be held to the expectation."""
    seen = case.bundle.deployed
    wanted = seen.expected if seen is not None else None
    if wanted is None:
        return "no version or build was expected"
    for one in comparable(case.bundle):
        if (wanted.version and one.version) or (wanted.build and one.build) or (wanted.at and one.started_at):
            return None
    return deployed(case) or "nothing told what can be held to the expectation"


def beside(case: Case) -> str | None:
    """Require that an endpoint beside MCP was asked."""
    asked = case.bundle.deployed is not None or case.bundle.manifest is not None
    return None if asked else "there is no endpoint beside MCP"

"""Checks on the manifest, and on the live list against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from diagnose.evidence.observation import Advertised
from diagnose.judge.case import Case
from diagnose.judge.checks.needs import manifest, manifest_asked, origin_list
from diagnose.judge.checks.registry import Seen, check
from diagnose.judge.checks.shapes import changed, changed_words, failed
from diagnose.judge.walks import surface_of


@check(
    "manifest-gated",
    family="manifest",
    layer="manifest",
    severity="error",
    summary="The manifest endpoint answers with the manifest.",
    why="A login page with status 200 looks like success to a script, and the comparison is lost.",
    remedy="Exempt the manifest's path from the gate, or ask it with a credential that passes.",
    source="catalogue of causes, manifest-gated",
    needs=(manifest_asked,),
)
def manifest_gated(case: Case) -> Iterable[Seen]:
    """Take up the observer's word: it saw a page or a redirect where JSON is due."""
    return failed(case, "manifest-gated")


@check(
    "manifest-unreadable",
    family="manifest",
    layer="manifest",
    severity="warning",
    summary="A manifest that must be there can be read.",
    why="A manifest that is broken is not one that is absent: the live list was held to nothing.",
    remedy="Look into the server's log for the request of the manifest, and answer it with a JSON array of the tools.",
    source="Meridian's contract: GET /tools is the authoritative list",
    needs=(manifest_asked,),
)
def manifest_unreadable(case: Case) -> Iterable[Seen]:
    """Take up the observer's word: an error, or JSON that is no list, where a manifest was named or is a Meridian's."""
    return failed(case, "manifest-unreadable")


@check(
    "manifest-disagrees",
    family="manifest",
    layer="origin",
    severity="error",
    summary="The manifest and the live list hold the same definitions.",
    why="Both come from one server; where they differ, one of them was built from something older.",
    remedy="Restart the process, or rebuild what it copied its list from, so that both come from one source.",
    source="catalogue of causes, manifest-disagrees",
    message="The manifest and the live list differ: {what}.",
    needs=(manifest, origin_list),
)
def manifest_disagrees(case: Case) -> Iterable[Seen]:
    """Read the comparison of the shared definitions."""
    pair = case.comparison("manifest", "origin")
    if pair is not None and pair.relation == "different":
        facts = changed(pair)
        yield Seen(args=facts, words=changed_words(facts), evidence=("manifest", "origin", *_handshake(case)))


def _handshake(case: Case) -> Iterator[str]:
    """Say which of the two lists the handshake's revision is that of: the other one is the odd one out."""
    held, listed = surface_of(case.bundle.manifest), case.listed
    said = case.origin.advertised if case.origin is not None else Advertised()
    revision = said.initialize if said.initialize is not None else said.initialize_meta
    for name, surface in (("manifest", held), ("live list", listed)):
        if surface is not None and revision is not None and surface.revision == revision:
            yield f"the handshake advertises the revision of the {name}"

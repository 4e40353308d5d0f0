"""What a client does with a list in which one definition is bad or unusual."""

from __future__ import annotations

from diagnose.clients.measured.row import DROPS_ONE
from diagnose.judge.bench.measures import Found, MeasureFunction, measure, no, not_shown, yes
from diagnose.judge.bench.trial import Trial

#: What the fourth tool has, by kind. A list of items and what stands beside `type` at the root are valid by older drafts.
KINDS: dict[str, str] = {
    "no-schema": "no input schema",
    "array-schema": "an input schema that is no object's",
    "boolean-schema": "`true` for an input schema",
    "boolean-property": "a parameter with the schema `true`",
    "items-list": "a list for `items`, as in older drafts",
    "dangling-ref": "a reference that leads nowhere",
    "root-any-of": "`anyOf` at the root of its schema",
    "description-number": "a number for a description",
}


def _rejects(kind: str) -> MeasureFunction:
    @measure(f"schema-{kind}", f"Does it keep the other tools where one has {KINDS[kind]}?")
    def rejects(trial: Trial) -> Found:
        held = trial.last_held
        whole = next((walk for walk in trial.walks if walk.whole), None)
        if held is None:
            return not_shown("what it holds cannot be seen from outside")
        frames = trial.frames(whole.answered if whole is not None else trial.walks[0].asked, held.after)
        there = [name for name in trial.names if name in held.names]
        if not there:
            return no("drops every tool", *frames)
        if len(there) < len(trial.names):
            return no(f"drops others too: {len(there)} of {len(trial.names)} are left", *frames)
        return yes("keeps all" if len(held.names) > len(there) else DROPS_ONE, *frames)

    return rejects


for _kind in KINDS:
    _rejects(_kind)

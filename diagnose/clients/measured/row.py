"""The form of a measured row: what one version of a client did in the trials of the bench."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Answer: TypeAlias = Literal["yes", "no", "not-shown"]


#: What the results of the trials with one odd definition say where the client does without that tool.
DROPS_ONE = "drops that tool alone"


@dataclass(frozen=True, slots=True)
class Result:
    """One answer: the measurement by its name, and what was seen, or why nothing was shown."""

    name: str
    answer: Answer
    says: str

    @property
    def drops(self) -> Literal["all", "one"] | None:
        """What the client drops, of a trial with one odd definition; None where it keeps all, or it was not shown."""
        if self.answer == "no":
            return "all"
        return "one" if self.says == DROPS_ONE else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One run. ``how`` says which of its ways the client was measured in, where it has several."""

    client: str
    """The id of its entry in the playbook."""
    version: str
    date: str
    setup: str
    """What to tell `scripts/measure_clients.py` to have it again."""
    how: str = ""
    results: tuple[Result, ...]

    def result(self, name: str) -> Result | None:
        """Return the answer to one question; None where it was not asked."""
        return next((each for each in self.results if each.name == name), None)

"""Every pair of the table, and that the table leaves nothing out."""

from __future__ import annotations

import pytest

from diagnose.surface.change import IMPACTS
from diagnose.surface.impact import classify, overall
from diagnose.surface.impact.vocabulary import ANNOTATIONS, ASSERTIONS
from tests.unit.surface.impact.table import OF_ROOT, OF_TOOL, OF_X, PAIRS, Pair


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_pair(pair: Pair) -> None:
    judgements = classify(pair.old, pair.new)
    assert (overall(judgements) if judgements else "nothing") == pair.impact, judgements

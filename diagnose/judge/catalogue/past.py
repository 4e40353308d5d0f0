"""The one cause that needs no second party: the surface against its own past."""

from __future__ import annotations

from diagnose.judge.catalogue.row import Row

ROWS = (
    Row(
        name="surface-changed",
        layers=("baseline",),
        state="stale",
        meaning="The surface moved since the snapshot or lock that it was compared with.",
        shown="The earlier list against the live one, each change with its impact on a caller who still holds the old definition.",
        remedy="If the change is meant, record it; then have every client list again.",
        next=(
            "If the change is meant, make it the new reference: {save}",
            "Clients that listed before the change hold the old definitions: have them reconnect, and look at the breaking changes first.",
        ),
        behind=("replica-skew", "page-mixed-snapshot"),
    ),
)

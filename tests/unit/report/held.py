"""Lists held to a lock file, to show: what fails, what passes, and what misleads."""

from __future__ import annotations

from unit.judge.looks import ORCHARD, PICK, PRESS, PRUNE, baseline, bundle, failing, origin, tool
from unit.report.scenes import EASY, NEEDY, SCENES

from diagnose.judge import Diagnosis
from diagnose.judge.gate import Gate, hold

FILE = "locks/tool surface.lock.json"
#: A name that would be markup, a mention, a link, a command and a row of its own, wherever it is not quoted.
SLY = "a|b`c``d</code>\x1b[2J]]>\r\n::error::@octocat #1 https://evil.test [x](y) 100%"


def _held(tools, fail_on="breaking", was=(EASY, PRUNE)) -> Diagnosis:
    gate = Gate(
        fail_on=fail_on,
        file=FILE,
        lines={"prune_tree": 31, "pick_apples": 14},
        steps=("Accept it: diagnose lock write x",),
    )
    return hold(bundle(baseline=baseline(was), origin=origin(tools)), gate)


HELD = {
    "lock_fails": _held([NEEDY, PRESS]),
    "lock_passes": _held([PICK, PRUNE, PRESS], was=[PICK, PRUNE]),
    "lock_equal": _held([EASY, PRUNE]),
    "lock_long": _held([tool("a", "w " * 300 + "new")], was=[tool("a", "w " * 300 + "old")], fail_on="routing"),
    "lock_sly": _held([tool(SLY, SLY)], was=[tool(SLY, "x")], fail_on="routing"),
    "lock_unread": hold(
        bundle(baseline=baseline(), origin=failing("origin", "unreachable", "Nobody listens.")),
        Gate(fail_on="breaking"),
    ),
    "many": _held([tool(f"tool_{number}") for number in range(120)], was=ORCHARD),
}
#: Everything there is to show, by name.
SHOWN: dict[str, Diagnosis] = {**{name: scene() for name, scene in SCENES.items()}, **HELD}

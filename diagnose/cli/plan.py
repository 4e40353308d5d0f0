"""`diagnose plan`: steps that wait for their turn, pinned to the definitions that they were planned for."""

from __future__ import annotations

from typing import Annotated

import typer

from diagnose.cli.app import Group
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import OUTPUT, Connect, Output, TargetArgument, option

PANEL = "The plan"

PlanFile = Annotated[
    str, typer.Argument(metavar="PLAN", help="What `plan pin` wrote, or - for standard input.", show_default=False)
]


def pin(
    inv: Invocation,
    target: TargetArgument = None,
    *,
    tool: Annotated[
        list[str] | None,
        option("--tool", panel=PANEL, metavar="NAME", text="The tool of a step; repeated, steps 1, 2, and so on."),
    ] = None,
    relies_on: Annotated[
        list[str] | None,
        option(
            "--relies-on",
            panel=PANEL,
            metavar="[STEP:]KIND=VALUE",
            text="What a step relies on: argument=NAME, media-type=TYPE, limit=POINTER or step=STEP; may be repeated.",
        ),
    ] = None,
    connect: Connect,
    output: Annotated[
        str | None,
        option("--output", "-o", panel=OUTPUT, metavar="FILE", text="Write the plan there, whole or not at all."),
    ] = None,
    verbose: Annotated[
        int, option("--verbose", "-v", panel=OUTPUT, count=True, text="Say on stderr what is asked; -vv: with headers.")
    ] = 0,
    quiet: Annotated[bool, option("--quiet", "-q", panel=OUTPUT, text="No notes on stderr.")] = False,
) -> int:
    """Pin the steps of a plan to the definitions that their tools have now, and write the plan as JSON.

    Once a step says which arguments it sends, the others are nothing to it.
    """
    from diagnose.cli import live
    from diagnose.jobs.plan import pin_plan, step_requests
    from diagnose.report.plan import plan_json

    del verbose, quiet  # the invocation has taken them
    steps = step_requests(tool or (), relies_on or ())
    spec = live.target(inv, target, connect)
    look = pin_plan(steps, spec, live.connect_options(connect, spec), live.surroundings(inv))
    inv.emit(plan_json(look, inv.redactor), output=output)
    return 0


def check(inv: Invocation, plan: PlanFile, target: TargetArgument = None, *, connect: Connect, output: Output) -> int:
    """Hold each step of a plan against the live list: unchanged, compatible, re-plan or gone.

    A step whose `state` is `running` goes on with what it started with, whatever has changed.
    """
    from diagnose.cli import live
    from diagnose.jobs.operands import read_bytes
    from diagnose.jobs.plan import check_plan_live
    from diagnose.report.plan import plan_json, plan_text
    from diagnose.store.plan import read_plan

    form = output.form
    pinned = read_plan(read_bytes(plan, stdin=inv.stdin), "standard input" if plan == "-" else plan)
    spec = live.target(inv, target, connect)
    look = check_plan_live(pinned, spec, live.connect_options(connect, spec), live.surroundings(inv))
    text = (
        plan_json(look, inv.redactor)
        if form == "json"
        else plan_text(look, inv.redactor, width=inv.width(), colour=inv.colour(output))
    )
    inv.emit(text, output=output.output)
    return look.exit_code


def register(root: Group) -> None:
    """Hang the commands into the program."""
    group = Group("plan", "Steps that wait for their turn, pinned to the definitions that they were planned for.")
    group.command("pin", tail=True)(pin)
    group.command("check", tail=True)(check)
    root.add(group, panel="Compare")

"""A terminal with lines that scroll by above, and something at its foot that is drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from diagnose.cli.invocation import Invocation


@contextmanager
def foot(inv: Invocation, *, colour: bool) -> Iterator[tuple[Callable[[str], None], Callable[[str], None]]]:
    """Yield two functions: one prints a text above, the other draws a text at the foot. Both take finished, safe text."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    def shown(text: str) -> Text:
        # Never markup: what a server said is in it. `Text` takes our own colours and nothing else.
        return Text.from_ansi(inv.redactor.text(text.rstrip("\n")), no_wrap=True, overflow="ignore")

    console = Console(
        file=inv.stdout,
        force_terminal=True,
        color_system="standard",
        no_color=not colour,
        highlight=False,
        width=inv.width(),
    )
    # Nothing else is printed, and stdout must stay the terminal whose width is asked for at every turn.
    with Live(console=console, auto_refresh=False, redirect_stdout=False) as drawn:
        yield (
            lambda text: console.print(shown(text), soft_wrap=True),
            lambda text: drawn.update(shown(text), refresh=True),
        )

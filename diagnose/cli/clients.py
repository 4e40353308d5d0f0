"""`diagnose clients`: configured servers, what is known of a client, and the names that it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from diagnose.cli.app import Group
from diagnose.cli.bench import bench
from diagnose.cli.invocation import Invocation
from diagnose.cli.options import Connect, Output, TargetArgument, option
from diagnose.errors import UsageError
from diagnose.record import record

if TYPE_CHECKING:
    from diagnose.observe.configured import Place

PANEL = "The client"


@record
class Files:
    """Whose configuration files are read."""

    home: Annotated[
        str | None,
        option("--home", panel=PANEL, metavar="FOLDER", text="Read below this home (default: yours)."),
    ] = None
    project: Annotated[
        str | None,
        option("--project", panel=PANEL, metavar="FOLDER", text="The project folder (default: the working directory)."),
    ] = None
    system: Annotated[
        str | None,
        option("--system", panel=PANEL, metavar="NAME", text="Layout linux, macos or windows (default: this one)."),
    ] = None

    def place(self, inv: Invocation) -> Place:
        """Return them as a value. Raises `UsageError`."""
        from diagnose.jobs.clients import place_of

        return place_of(inv.env, home=self.home, project=self.project, system=self.system)


def list_(
    inv: Invocation,
    *,
    client: Annotated[
        list[str] | None,
        option("--client", panel=PANEL, metavar="ID", text="Only this client; may be repeated."),
    ] = None,
    files: Files,
    output: Output,
) -> int:
    """Read the configuration files of clients: which has which server under which key, and what it hides.

    Files are only read, nothing is started, and values of env and headers are not shown.
    """
    from diagnose.jobs.clients import list_configured
    from diagnose.report.clients import configured_json, configured_text

    form = output.form
    look = list_configured(client or (), files.place(inv), inv.redactor)
    text = (
        configured_json(look, inv.redactor)
        if form == "json"
        else configured_text(look, inv.redactor, width=inv.width(), colour=inv.colour(output))
    )
    inv.emit(text, output=output.output)
    return look.exit_code


def show(
    inv: Invocation,
    client: Annotated[
        str, typer.Argument(metavar="CLIENT", help="An id such as codex, or a name on the wire.", show_default=False)
    ],
    *,
    output: Output,
) -> int:
    """Show what is known of a client: how to refresh it, how to see that it helped, and how that is known."""
    from diagnose.jobs.clients import the_client
    from diagnose.report.playbook import entry_json, entry_text

    form = output.form
    entry = the_client(client)
    text = (
        entry_json(entry, inv.redactor)
        if form == "json"
        else entry_text(entry, width=inv.width(), colour=inv.colour(output))
    )
    inv.emit(text, output=output.output)
    return 0


def names(
    inv: Invocation,
    target: TargetArgument = None,
    *,
    client: Annotated[str, option("--client", panel=PANEL, metavar="ID", text="The client, such as codex.")],
    server_key: Annotated[
        str,
        option("--server-key", panel=PANEL, metavar="KEY", text="The server's key in the client's configuration."),
    ],
    other_server_key: Annotated[
        list[str] | None,
        option(
            "--other-server-key",
            panel=PANEL,
            metavar="KEY",
            text="Key of another server beside it; may be repeated.",
        ),
    ] = None,
    files: Files,
    connect: Connect,
    output: Output,
) -> int:
    """Show the names under which a client shows the tools of a live server, and which of them collide.

    Lists in the client's own configuration that name tools which are no longer there are told, too.
    """
    from diagnose.cli import live
    from diagnose.jobs.clients import map_names, the_client
    from diagnose.report.names import names_json, names_text

    form = output.form
    the_client(client)
    spec = live.target(inv, target, connect)
    look = map_names(
        client,
        server_key,
        other_server_key or (),
        files.place(inv),
        spec,
        live.connect_options(connect, spec),
        live.surroundings(inv),
    )
    text = (
        names_json(look, inv.redactor)
        if form == "json"
        else names_text(look, inv.redactor, width=inv.width(), colour=inv.colour(output))
    )
    inv.emit(text, output=output.output)
    return look.exit_code


def tap_config(
    inv: Invocation,
    client: Annotated[
        str, typer.Argument(metavar="CLIENT", help="An id such as codex, or a name on the wire.", show_default=False)
    ],
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="The server's key in the client's configuration.", show_default=False)
    ],
    *,
    recording: Annotated[
        str | None,
        option(
            "--recording", panel=PANEL, metavar="FILE", text="Where the tap is to record (default: in the home folder)."
        ),
    ] = None,
    files: Files,
    output: Output,
) -> int:
    """Show how a server's entry looks with the tap in it, for a person to paste; no file is changed."""
    from diagnose.jobs.tap_config import tap_entry
    from diagnose.report.tap_config import tap_entry_text

    if output.form != "text":
        raise UsageError("tap-config shows text to paste, and has no other format")
    entry = tap_entry(client, key, recording, files.place(inv), inv.redactor)
    inv.emit(tap_entry_text(entry), output=output.output)
    return 0


def register(root: Group) -> None:
    """Hang the commands into the program."""
    group = Group("clients", "Configured servers, what is known of each client, and the names that it shows.")
    group.command("list")(list_)
    group.command("show")(show)
    group.command("names", tail=True)(names)
    group.command("tap-config")(tap_config)
    group.command("bench", tail=True)(bench)
    root.add(group, panel="Clients")

"""The options that name evidence beside a server: another path to it, recordings, a client and what it shows."""

from typing import TYPE_CHECKING, Annotated

from diagnose.cli.options import CREDENTIALS, option
from diagnose.record import record

if TYPE_CHECKING:
    from diagnose.evidence.bundle import Bundle
    from diagnose.jobs.access import ConnectOptions, Surroundings
    from diagnose.jobs.evidence import Beside

PANEL = "Beside the server"


@record
class Besides:
    """Another path, recordings, and what a client and its model are shown."""

    path: Annotated[
        str | None,
        option("--path", panel=PANEL, metavar="URL", text="The gateway that the client uses; it is listed as well."),
    ] = None
    path_prefix: Annotated[
        str | None,
        option(
            "--path-prefix", panel=PANEL, metavar="P", text="What the gateway puts before names (default: it is found)."
        ),
    ] = None
    path_auth: Annotated[
        str,
        option("--path-auth", panel=CREDENTIALS, metavar="WAY", text="The same for --path; default none."),
    ] = "none"
    recording: Annotated[
        list[str] | None,
        option("--recording", panel=PANEL, metavar="FILE", text="A recorded session of the client; may be repeated."),
    ] = None
    client: Annotated[
        str | None,
        option(
            "--client", panel=PANEL, metavar="ID", text="The client, such as codex; `diagnose clients list` shows ids."
        ),
    ] = None
    server_key: Annotated[
        str | None,
        option("--server-key", panel=PANEL, metavar="KEY", text="Under which key that client has the server."),
    ] = None
    registry: Annotated[
        str | None,
        option(
            "--registry",
            panel=PANEL,
            metavar="FILE|live",
            text="What the client says it holds; live asks the client: codex, claude-code, cursor or gemini-cli.",
        ),
    ] = None
    model: Annotated[
        str | None,
        option("--model", panel=PANEL, metavar="FILE", text="What the model is offered: a request, or an init event."),
    ] = None
    expect_tool: Annotated[
        list[str] | None,
        option(
            "--expect-tool",
            panel=PANEL,
            metavar="NAME",
            text="Say of this tool in which layers it is, and whether a call of it worked; may be repeated.",
        ),
    ] = None

    def beside(self, from_client: str | None = None) -> "Beside":
        """Return the options as the job takes them; ``from_client`` names client and key where nothing else does."""
        from diagnose.jobs.evidence import Beside

        client, _, key = (from_client or "").partition(":")

        return Beside(
            path=self.path,
            path_prefix=self.path_prefix,
            path_auth=self.path_auth,
            recordings=tuple(self.recording or ()),
            registry=self.registry,
            model=self.model,
            client=self.client or client or None,
            server_key=self.server_key or key or None,
            expected_tools=tuple(self.expect_tool or ()),
        )

    def is_here(self, from_client: str | None) -> bool:
        """Tell whether the client is one of this machine: its own files name the target, or it is asked itself."""
        from diagnose.jobs.evidence import LIVE

        return from_client is not None or self.registry == LIVE

    def added(
        self, bundle: "Bundle", options: "ConnectOptions", around: "Surroundings", from_client: str | None = None
    ) -> "Bundle":
        """Return the bundle with what was named beside the server; the same one where nothing was."""
        files = (self.recording, self.registry, self.model, self.expect_tool)
        if not (self.path or self.client or self.server_key or any(files)):
            return bundle
        from diagnose.jobs.evidence import with_client, with_files, with_path
        from diagnose.jobs.policies import with_policies

        beside = self.beside(from_client)
        seen = with_path(bundle, beside, options, around)
        whole = with_files(with_client(seen, beside, options, around), beside)
        return with_policies(whole, around) if self.is_here(from_client) else whole

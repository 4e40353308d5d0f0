"""The options that several commands share, each written once, and the values that they are parsed into.

Annotations are values here and in the other files that declare groups of options: put off (`from __future__ import
annotations`), each would be a text that has to be compiled when the program starts.
"""

import functools
import inspect
import os
import re
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_origin, get_type_hints

import typer

from diagnose.errors import UsageError
from diagnose.record import declared, is_record, record
from diagnose.report.formats import PLAIN, REPORTS, offered

TargetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="TARGET",
        help="An MCP endpoint URL, @NAME of the configuration, or demo; or a stdio server's command behind --.",
        show_default=False,
    ),
]

Choice = TypeVar("Choice", bound=str)

SERVER = "Server"
CREDENTIALS = "Credentials"
OUTPUT = "Output"


def option(*names: str, panel: str, metavar: str | None = None, text: str, **rest: Any) -> Any:
    """Return a Typer option in the form that all of ours have."""
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel=panel, show_default=False, **rest)


@record
class Connect:
    """Where the server is, how it is asked, and how long that may take."""

    from_client: Annotated[
        str | None,
        option(
            "--from-client",
            panel=SERVER,
            metavar="CLIENT:KEY",
            text="In the place of TARGET: the server that a client has under this key, such as codex:orchard.",
        ),
    ] = None
    base_url: Annotated[
        str | None,
        option(
            "--base-url",
            panel=SERVER,
            metavar="URL",
            text="Where health, version and manifest live (default: the origin of TARGET).",
        ),
    ] = None
    health: Annotated[
        str | None,
        option("--health", panel=SERVER, metavar="PATH", text="Path of the health endpoint (default /health)."),
    ] = None
    version_path: Annotated[
        str | None,
        option("--version-path", panel=SERVER, metavar="PATH", text="Path of the version endpoint (default /version)."),
    ] = None
    manifest: Annotated[
        str | None,
        option("--manifest", panel=SERVER, metavar="PATH", text="Path of the authoritative manifest (default /tools)."),
    ] = None
    era: Annotated[
        str,
        option(
            "--era", panel=SERVER, metavar="ERA", text="auto, modern (2026-07-28) or legacy (initialize); default auto."
        ),
    ] = "auto"
    timeout: Annotated[
        str, option("--timeout", panel=SERVER, metavar="SECONDS", text="Limit of one request (default 10).")
    ] = "10"
    deadline: Annotated[
        str, option("--deadline", panel=SERVER, metavar="SECONDS", text="Limit of the whole command (default 60).")
    ] = "60"
    config: Annotated[
        str | None,
        option(
            "--config",
            panel=SERVER,
            metavar="FILE",
            text="Configuration file (default: config.toml of the user's folder).",
        ),
    ] = None
    require_target: Annotated[
        bool,
        option(
            "--require-target", panel=SERVER, text="Refuse to fall back to the embedded server when no target is named."
        ),
    ] = False
    header: Annotated[
        list[str] | None,
        option(
            "--header",
            panel=CREDENTIALS,
            metavar="NAME=VALUE",
            text="Header for TARGET's origin only; may be repeated.",
        ),
    ] = None
    auth: Annotated[
        str,
        option(
            "--auth",
            panel=CREDENTIALS,
            metavar="WAY",
            text="auto, none, keyring, env:VAR, file:PATH or command:CMD; default auto.",
        ),
    ] = "auto"
    base_auth: Annotated[
        str,
        option(
            "--base-auth",
            panel=CREDENTIALS,
            metavar="WAY",
            text="The same for a --base-url at another origin; default none.",
        ),
    ] = "none"
    allow_plain_http: Annotated[
        list[str] | None,
        option(
            "--allow-plain-http",
            panel=CREDENTIALS,
            metavar="ORIGIN",
            text="Origin that may get a credential without TLS; may be repeated.",
        ),
    ] = None
    http2: Annotated[bool, option("--http2", panel=SERVER, text="Offer HTTP/2 (needs the extra http2).")] = False


#: Whose view is compared with that of --auth.
SecondAuth = Annotated[
    str | None,
    option(
        "--second-auth",
        panel=CREDENTIALS,
        metavar="WAY",
        text="A second caller, whose view is compared; in the ways of --auth.",
    ),
]


@record
class Output:
    """How the result is shown, and where."""

    format: Annotated[str, option("--format", panel=OUTPUT, metavar="FORMAT", text=offered(PLAIN))] = PLAIN[0]
    output: Annotated[
        str | None,
        option("--output", "-o", panel=OUTPUT, metavar="FILE", text="Write the result there, whole or not at all."),
    ] = None
    color: Annotated[
        str, option("--color", panel=OUTPUT, metavar="WHEN", text="auto, always or never; default auto.")
    ] = "auto"
    verbose: Annotated[
        int, option("--verbose", "-v", panel=OUTPUT, count=True, text="Say on stderr what is asked; -vv: with headers.")
    ] = 0
    quiet: Annotated[bool, option("--quiet", "-q", panel=OUTPUT, text="No notes on stderr.")] = False

    @property
    def form(self) -> str:
        """The format's name; raises `UsageError` for one that this command does not have."""
        return choice(self.format, "--format", PLAIN)


@record
class ReportOutput(Output):
    """The same for a command that shows a diagnosis, which has more formats, and can be shown in several at once."""

    formats: ClassVar[tuple[str, ...]] = REPORTS
    format: Annotated[str, option("--format", panel=OUTPUT, metavar="FORMAT", text=offered(REPORTS))] = REPORTS[0]
    also: Annotated[
        list[str] | None,
        option(
            "--also",
            panel=OUTPUT,
            metavar="FORMAT=FILE",
            text="Write this very result in another format too; may be repeated.",
        ),
    ] = None

    @property
    def form(self) -> str:
        """The format's name; raises `UsageError` for one that the result does not have."""
        return choice(self.format, "--format", self.formats)

    def checked(self) -> None:
        """Raise `UsageError` for formats that there are not, before anybody is asked anything."""
        _ = self.form, self.more

    @property
    def more(self) -> tuple[tuple[str, str], ...]:
        """What `--also` names, as formats and files; raises `UsageError` for what is none."""
        pairs = [text.partition("=") for text in self.also or ()]
        if not all(file for _, _, file in pairs):
            raise UsageError("--also takes FORMAT=FILE, such as sarif=report.sarif")
        places = [
            os.path.realpath(file) for file in (self.output or "-", *(file for _, _, file in pairs)) if file != "-"
        ]
        if "-" in (file for _, _, file in pairs) or len(set(places)) < len(places):
            raise UsageError("--also needs a file of its own for each format, that neither stdout nor --output is")
        return tuple((choice(name, "--also", self.formats), file) for name, _, file in pairs)


StoreOption = Annotated[
    str | None,
    option("--store", panel=OUTPUT, metavar="FILE", text="The snapshot database (default: in the user's data folder)."),
]

_SECONDS = re.compile(r"\d+(\.\d+)?")


def seconds(text: str, name: str) -> float:
    """Parse a duration in seconds, above 0 and at most a day; `name` is the option's. Raises `UsageError`."""
    if not _SECONDS.fullmatch(text) or not 0 < float(text) <= 86_400:
        raise UsageError(f"{name} takes seconds above 0 and at most 86400, not {text!r}")
    return float(text)


def choice(value: str, name: str, allowed: tuple[Choice, ...]) -> Choice:
    """Return the value if it is one of those allowed; raises `UsageError` naming them."""
    if value not in allowed:
        raise UsageError(f"{name} takes {', '.join(allowed[:-1])} or {allowed[-1]}, not {value!r}")
    return allowed[allowed.index(value)]


def expand(function: Callable[..., int], inject: Callable[[typer.Context], Any]) -> Callable[..., int]:
    """Return the function in the form that Typer reads: option groups laid open into single options.

    A parameter whose annotation is a record becomes that record's fields, and is put together again
    when the command runs; the first parameter gets what `inject` makes of the context.
    """
    source = list(inspect.signature(function, eval_str=True).parameters.values())
    groups = {p.name: p.annotation for p in source[1:] if is_record(p.annotation)}
    flat = [inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    for parameter in source[1:]:
        if parameter.name in groups:
            flat += _fields(groups[parameter.name])
        else:
            flat.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=_plain(parameter.annotation)))

    @functools.wraps(function)
    def command(*, ctx: typer.Context, **values: Any) -> int:
        for name, group in groups.items():
            values[name] = group(**{field: values.pop(field) for field, _, _ in declared(group)})
        return function(inject(ctx), **values)

    command.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    command.__annotations__ = {}  # Typer would resolve them once more; the signature says it all
    del command.__wrapped__
    return command


def _fields(group: Any) -> list[inspect.Parameter]:
    fields = list(declared(group))
    written = any(isinstance(annotation, str) for _, annotation, _ in fields)
    hints = get_type_hints(group, include_extras=True) if written else {}
    return [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_plain(hints.get(name, annotation))
        )
        for name, annotation, default in fields
    ]


def _plain(annotation: Any) -> Any:
    """Return the annotation as Typer takes it; it has no unions but with None."""
    return annotation if get_origin(annotation) is not Annotated else Annotated[get_args(annotation)]

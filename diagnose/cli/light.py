"""Typer without its start-up cost: commands whose parameters need no pydantic.

Typer 0.29 builds a pydantic adapter for each parameter when a command runs, which costs more than all the rest of a
short command. Our parameters are texts, flags, counts and lists of texts, so a stand-in does the same. It rests on one
private attribute of Typer (`_runtime_param`); where that is absent, Typer's own way is used.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

#: The help shows the whole first sentence of a command, wrapped, and cuts none.
_WHOLE = 500


class _PlainParam:
    """Turns what the command line gave into a text, a flag, a count or a list of texts."""

    def __init__(self, annotation: Any) -> None:
        self.annotation = annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value in its type; None stays None (a list: empty)."""
        del ctx
        many = bool(getattr(param, "multiple", False)) or getattr(param, "nargs", 1) == -1
        if value is None:
            return () if many else None
        if many:
            return tuple(str(item) for item in value)
        if self.annotation is bool:
            return value if isinstance(value, bool) else str(value).lower() in {"1", "true", "yes", "on"}
        if self.annotation is int:
            return int(value)
        return str(value)


def _lighten(params: list[Any]) -> list[Any]:
    for param in params:
        if getattr(param, "_runtime_param", "absent") is None:
            param._runtime_param = _PlainParam(param.type_descriptor.annotation)  # noqa: SLF001 - see the module's text
    return params


class LightCommand(TyperCommand):
    """A command that runs without loading pydantic."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, each with the plain coercion."""
        return _lighten(super().get_params(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the parameters under the headings that they were declared with."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                heading = "Arguments" if param.param_type_name == "argument" else param.rich_help_panel or "Options"
                panels.setdefault(heading, []).append(record)
        for heading, rows in panels.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


class LightGroup(TyperGroup):
    """A group that runs without loading pydantic, and shows its commands in the order in which they were added."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, each with the plain coercion."""
        return _lighten(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of their registration."""
        del ctx
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under the headings that they were registered with."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.commands[name]
            if not command.hidden:
                heading = getattr(command, "rich_help_panel", None)
                heading = heading if isinstance(heading, str) else "Commands"
                panels.setdefault(heading, []).append((name, command.get_short_help_str(limit=_WHOLE)))
        for heading, rows in panels.items():
            with formatter.section(heading):
                formatter.write_dl(rows)

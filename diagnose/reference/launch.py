"""How one of our processes starts a reference server as another: its options are the first line of its stdin.

Standard input stays open as a lifeline: when the starter ends, however it ends, stdin ends and the server with it. No
option, and so no token, stands on a command line.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from diagnose.errors import InputError
from diagnose.reference.options import ServeOptions

MAX_LINE = 65_536


def child_command() -> list[str]:
    """Return the command line of a reference server in this interpreter; `-P` keeps the working directory out of it."""
    return [sys.executable, "-P", "-m", "diagnose.reference"]


def child_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a child: the caller's settings are not its business."""
    return {key: value for key, value in env.items() if not key.startswith("DIAGNOSE_")}


def child_options(options: ServeOptions, *, stdio: bool) -> bytes:
    """Return the first line for the child."""
    return json.dumps({"stdio": stdio, **dataclasses.asdict(options)}).encode() + b"\n"


def read_options(descriptor: int) -> tuple[ServeOptions, bool]:
    """Read that line, byte by byte, as what follows it on the same pipe is not ours; returns the options and `stdio`.

    Raises `InputError` where there is no such line.
    """
    line = bytearray()
    while (byte := os.read(descriptor, 1)) not in {b"", b"\n"}:
        line += byte
        if len(line) > MAX_LINE:
            raise InputError("the first line of stdin is too long to hold options")
    try:
        values: dict[str, Any] = dict(json.loads(line))
    except (ValueError, TypeError) as error:
        raise InputError("the first line of stdin holds no options; start this server with `diagnose serve`") from error
    return ServeOptions.of({key: value for key, value in values.items() if key != "stdio"}), values.get("stdio") is True

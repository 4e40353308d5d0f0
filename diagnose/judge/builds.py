"""Versions and commits as texts: which are one, and which is the older."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from diagnose.judge.clock import moment

Order: TypeAlias = Literal["same", "older", "newer", "different"]

_COMMIT = r"[0-9a-f]{7,64}"
_VERSION = r"(?is)v?(\d+(?:\.\d+)*)(.*)"
_EARLY = r"(?i)[-.]?(?:dev|a|alpha|b|beta|rc|pre|preview|snapshot)"


def same_build(left: str, right: str) -> bool:
    """Tell whether two texts name one commit; a commit may be cut short, down to seven digits."""
    left, right = left.strip().lower(), right.strip().lower()
    if re.fullmatch(_COMMIT, left) and re.fullmatch(_COMMIT, right):
        return left.startswith(right) or right.startswith(left)
    return left == right


def version_order(observed: str, expected: str) -> Order:
    """Tell how the observed version stands to the expected one.

    Dotted numbers decide, then an early suffix (`1.0.0-alpha` comes before `1.0.0`); other texts are only told apart.
    """
    observed, expected = observed.strip(), expected.strip()
    mine, theirs = re.fullmatch(_VERSION, observed), re.fullmatch(_VERSION, expected)
    if mine is None or theirs is None:
        return "same" if observed == expected else "different"
    left, right = _numbers(mine[1]), _numbers(theirs[1])
    if left != right:
        return "older" if left < right else "newer"
    if mine[2] == theirs[2]:
        return "same"
    early = (re.match(_EARLY, mine[2]) is not None, re.match(_EARLY, theirs[2]) is not None)
    if early == (True, False):
        return "older"
    return "newer" if early == (False, True) else "different"


def before(earlier: str | None, later: str | None) -> bool | None:
    """Tell whether one ISO 8601 time lies before another; None where either is no time. No zone means UTC."""
    left, right = moment(earlier), moment(later)
    return None if left is None or right is None else left < right


def _numbers(text: str) -> tuple[int, ...]:
    numbers = [int(part[:18]) for part in text.split(".")[:8]]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)

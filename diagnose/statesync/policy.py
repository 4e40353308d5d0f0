"""What a server's author declares about one group of tools."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from diagnose.errors import InputError
from diagnose.statesync.globs import PatternError, SegmentLimitError, check_pattern, segments_of

CacheControl: TypeAlias = Literal["no-store", "immutable"]

#: The only two directives: an answer holds until something calls it stale, or is never to be kept. There are no clocks.
CACHE_CONTROLS: Final[tuple[CacheControl, ...]] = get_args(CacheControl)


class PolicyError(InputError):
    """A declaration is wrong. Args: ``position`` (counted from 0; None for the default) and ``field``."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds for the tools whose canonical name (`namespace.action`) fits ``match``.

    ``cache_control`` says how long a model may go by an answer; None leaves it to the default. ``invalidates`` are the
    patterns of what a successful call makes stale, in the order in which they are told. It is checked by the engine,
    which knows its position.
    """

    match: str
    _: KW_ONLY
    cache_control: CacheControl | None = None
    invalidates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given: Any = self.invalidates
        if isinstance(given, list):
            # A copy: what its owner appends later must not reach the wire unchecked.
            object.__setattr__(self, "invalidates", tuple(given))


def check_policy(policy: Any, position: int) -> None:
    """Raise PolicyError for the first thing that is wrong with a policy: its match, its directive, its domains."""
    where = f"policy[{position}]"
    if not isinstance(policy, Policy):
        raise PolicyError(f"{where}: expected a Policy, got {policy!r}", position=position, field="match")
    _check_glob(policy.match, f"{where}: match", position, "match")
    check_cache_control(policy.cache_control, f"{where} ({policy.match}): cache_control", position)
    if not isinstance(policy.invalidates, tuple):
        raise PolicyError(
            f"{where} ({policy.match}): invalidates: expected a list of patterns, got {policy.invalidates!r}",
            advice='Write a list, even of one: ["billing.*"].',
            position=position,
            field="invalidates",
        )
    for index, domain in enumerate(policy.invalidates):
        _check_glob(domain, f"{where} ({policy.match}): invalidates[{index}]", position, "invalidates")


def check_cache_control(value: Any, where: str = "default", position: int | None = None) -> None:
    """Raise PolicyError unless a value is None or one of the two directives, to the letter."""
    if value is not None and value not in CACHE_CONTROLS:
        raise PolicyError(
            f"{where}: expected {' or '.join(CACHE_CONTROLS)}, got {value!r}",
            advice="`immutable`: the answer holds until an invalidation names it; `no-store`: it is never to be kept.",
            position=position,
            field="cache_control",
        )


def _check_glob(pattern: Any, where: str, position: int, field: str) -> None:
    if not isinstance(pattern, str) or not pattern:
        raise PolicyError(
            f"{where}: expected a pattern such as `billing.*`, got {pattern!r}",
            advice="`**` is the pattern that fits every tool.",
            position=position,
            field=field,
        )
    try:
        check_pattern(pattern)
        segments_of(pattern)
    except (PatternError, SegmentLimitError) as error:
        raise PolicyError(f"{where}: {error}", advice=error.advice, position=position, field=field) from error

"""Frozen value classes that cost little to declare.

`dataclasses.dataclass` writes the text of six functions for each class and compiles it, which takes about half a
millisecond; a short command loads a hundred such classes, and would spend a third of its time on that. A `record` is the
same kind of value - frozen, slotted, made by keyword, equal by its fields - over functions that all records share. It is a
dataclass to everybody who asks (`dataclasses.replace`, `fields`, `asdict`). Making one takes some microseconds more, so
that what is made by the hundred thousand (an event of a recording) stays an ordinary dataclass.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, field
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field, Field))
def record(cls: type[T]) -> type[T]:
    """Make a class with annotated fields a record; a `__post_init__` is called as a dataclass would."""
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=True, slots=True)(cls)
    own = vars(cls)
    for name, function in _SHARED.items():
        if name not in own:
            setattr(made, name, function)
    made.__hash__ = own.get("__hash__") or _hash
    made.__record__ = _Plan(made)
    return made  # type: ignore[no-any-return]


class _Plan:
    """How a record is made: its fields in order, and what stands for those that are not given."""

    __slots__ = ("compared", "factories", "names", "post", "shown", "values")

    def __init__(self, made: Any) -> None:
        fields = dataclasses.fields(made)
        self.names = tuple(each.name for each in fields)
        self.values = {each.name: each.default for each in fields if each.default is not MISSING}
        self.factories = {each.name: each.default_factory for each in fields if each.default_factory is not MISSING}
        self.compared = tuple(each.name for each in fields if each.compare)
        self.shown = tuple(each.name for each in fields if each.repr)
        self.post = hasattr(made, "__post_init__")


def _init(self: Any, /, **given: Any) -> None:
    plan: _Plan = type(self).__record__
    put = object.__setattr__
    for name in plan.names:
        if name in given:
            put(self, name, given.pop(name))
        elif name in plan.values:
            put(self, name, plan.values[name])
        elif name in plan.factories:
            put(self, name, plan.factories[name]())
        else:
            raise TypeError(f"{type(self).__name__}() lacks the argument {name!r}")
    if given:
        raise TypeError(f"{type(self).__name__}() takes no argument {next(iter(given))!r}")
    if plan.post:
        self.__post_init__()


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__record__.shown)
    return f"{type(self).__qualname__}({shown})"


def _values(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in type(self).__record__.compared)


def _eq(self: Any, other: object) -> bool:
    if other.__class__ is not self.__class__:
        return NotImplemented  # type: ignore[no-any-return]
    return bool(_values(self) == _values(other))


def _hash(self: Any) -> int:
    return hash(_values(self))


def _frozen(self: Any, name: str, *value: object) -> None:
    del value
    raise FrozenInstanceError(f"{type(self).__name__} is frozen: {name!r} cannot be changed")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in type(self).__record__.names]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(type(self).__record__.names, state, strict=True):
        object.__setattr__(self, name, value)


_SHARED: Mapping[str, Any] = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__setattr__": _frozen,
    "__delattr__": _frozen,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}

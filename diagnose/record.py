"""Frozen value classes that cost little to declare.

`dataclasses.dataclass` writes the text of six functions for each class and compiles it, and works out for each field what
its annotation says; that takes about half a millisecond, and a short command, which loads a hundred such classes, would
spend a third of its time on it. A `record` is the same kind of value - frozen, slotted, made by keyword, equal by its
fields - over functions that all records share. It is a dataclass to everybody who asks (`dataclasses.replace`, `fields`,
`asdict`). Making one takes some microseconds more, so that what is made by the hundred thousand (an event of a recording)
stays an ordinary dataclass.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_origin

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field, Field))
def record(cls: type[T]) -> type[T]:
    """Make a class with annotated fields a record; a `__post_init__` is called as a dataclass would.

    What is annotated as a `ClassVar` is no field. A `cached_property` has a place to keep its value.
    """
    base: _Plan | None = getattr(cls, "__record__", None)
    own = dict(vars(cls))
    fields = {name: each for name, each in inspect.get_annotations(cls).items() if not _of_class(each)}
    plan = _Plan(base, fields, own)
    for name in (*fields, "__dict__", "__weakref__"):
        own.pop(name, None)
    slots = [name for name in fields if base is None or name not in base.annotations]
    if any(isinstance(member, cached_property) for member in own.values()):
        slots.append("__dict__")
    body = {**_SHARED, **own, "__slots__": tuple(slots), "__qualname__": cls.__qualname__, "__record__": plan}
    body["__hash__"] = own.get("__hash__") or _hash
    kind: Any = type(cls)
    return kind(cls.__name__, cls.__bases__, body)  # type: ignore[no-any-return]


def _of_class(annotation: Any) -> bool:
    """Tell whether an annotation, which may be the text of one, is a `ClassVar`."""
    if isinstance(annotation, str):
        return annotation.startswith(("ClassVar", "typing.ClassVar"))
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def is_record(kind: object) -> bool:
    """Tell whether this is a class that was made a record."""
    return isinstance(kind, type) and hasattr(kind, "__record__")


def declared(kind: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, annotation and default of each field of a record (`dataclasses.MISSING`: none), quicker than `fields`."""
    plan: _Plan = kind.__record__
    for name, annotation in plan.annotations.items():
        yield name, annotation, plan.values.get(name, MISSING)


class _Plan:
    """How a record is made: its fields in order, those of its base first, and what stands for those that are not given."""

    __slots__ = ("annotations", "compared", "declared", "factories", "hashed", "names", "shown", "values")

    def __init__(self, base: _Plan | None, annotations: Mapping[str, Any], members: Mapping[str, Any]) -> None:
        self.annotations: dict[str, Any] = {**(base.annotations if base else {}), **annotations}
        given = {name: members[name] for name in annotations if name in members}
        self.declared: dict[str, Any] = {**(base.declared if base else {}), **given}
        """What stands behind the `=` of a field: its default, or what `dataclasses.field` returned."""
        self.names = tuple(self.annotations)
        self.values: dict[str, Any] = {}
        self.factories: dict[str, Any] = {}
        special = {name: each for name, each in self.declared.items() if isinstance(each, Field)}
        for name, value in self.declared.items():
            if name not in special:
                self.values[name] = value
            elif value.default is not MISSING:
                self.values[name] = value.default
            elif value.default_factory is not MISSING:
                self.factories[name] = value.default_factory
        self.shown = tuple(name for name in self.names if name not in special or special[name].repr)
        self.compared = tuple(name for name in self.names if name not in special or special[name].compare)
        self.hashed = tuple(name for name in self.compared if name not in special or special[name].hash is not False)


class _AsDataclass:
    """`__dataclass_fields__`, by which the standard library knows a dataclass: made when it asks, which it does of few."""

    def __get__(self, instance: object, owner: Any) -> Mapping[str, Field[Any]]:
        del instance
        plan: _Plan = owner.__record__
        # With a text of its own, for `dataclass` would otherwise work one out from the signature.
        about = {"__module__": owner.__module__, "__doc__": owner.__doc__ or owner.__name__}
        body = {**about, "__annotations__": plan.annotations, **plan.declared}
        bare: Any = type(owner.__name__, (), body)
        twin = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=True)(bare)
        owner.__dataclass_fields__ = found = {each.name: each for each in dataclasses.fields(twin)}
        return found


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
    self.__post_init__()


def _post_init(self: Any) -> None:
    """Do nothing, in the records that have nothing to do here."""


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
    return hash(tuple(getattr(self, name) for name in type(self).__record__.hashed))


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
    "__post_init__": _post_init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__setattr__": _frozen,
    "__delattr__": _frozen,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
    "__dataclass_fields__": _AsDataclass(),
}

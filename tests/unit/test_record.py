"""A record is a frozen dataclass in all that a caller can tell, and cheaper to declare."""

import copy
import pickle
from dataclasses import MISSING, FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import ClassVar

import pytest

from diagnose.record import declared, is_record, record


@record
class Tree:
    """A tree."""

    kind: str
    age: int = 1
    apples: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    secret: str = field(default="x", repr=False, compare=False)

    @property
    def old(self) -> bool:
        return self.age > 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    kind: str
    age: int = 1
    apples: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    secret: str = field(default="x", repr=False, compare=False)


@record
class Counted:
    number: int
    double: int = 0

    def __post_init__(self):
        object.__setattr__(self, "double", self.number * 2)


def test_it_is_made_by_keyword_and_has_its_defaults():
    tree = Tree(kind="apple")
    assert (tree.kind, tree.age, tree.apples, tree.notes, tree.secret) == ("apple", 1, (), [], "x")
    assert Tree(kind="a").notes is not Tree(kind="a").notes


@pytest.mark.parametrize("call", [lambda of: of(), lambda of: of("apple"), lambda of: of(kind="a", colour="red")])
def test_it_refuses_what_a_dataclass_refuses(call):
    for of in (Tree, Twin):
        with pytest.raises(TypeError):
            call(of)


def test_it_cannot_be_changed():
    tree = Tree(kind="apple")
    with pytest.raises(FrozenInstanceError):
        tree.age = 2
    with pytest.raises(FrozenInstanceError):
        del tree.age
    with pytest.raises(FrozenInstanceError):
        tree.colour = "red"
    assert not hasattr(tree, "__dict__")


def test_equality_and_hash_are_those_of_the_compared_fields():
    assert Tree(kind="a", secret="1") == Tree(kind="a", secret="2")
    assert Tree(kind="a") != Tree(kind="b")
    assert Tree(kind="a") != Twin(kind="a")
    assert hash(Counted(number=1)) == hash(Counted(number=1))
    assert len({Counted(number=1), Counted(number=1), Counted(number=2)}) == 2


def test_it_is_a_dataclass_to_the_standard_library():
    tree = Tree(kind="apple", age=200)
    assert is_dataclass(tree)
    assert [each.name for each in fields(tree)] == [each.name for each in fields(Twin)]
    assert asdict(tree) == asdict(Twin(kind="apple", age=200))
    assert replace(tree, age=3) == Tree(kind="apple", age=3)
    assert replace(tree, age=3).secret == "x"
    assert tree.old
    assert repr(tree) == repr(Twin(kind="apple", age=200)).replace("Twin", "Tree")


def test_it_can_be_copied_and_pickled():
    tree = Tree(kind="apple", notes=["n"])
    assert copy.deepcopy(tree) == pickle.loads(pickle.dumps(tree)) == tree


def test_a_post_init_is_called():
    assert Counted(number=4).double == 8
    assert replace(Counted(number=4), number=5).double == 10


def test_defaults_are_readable_on_neither_class():
    assert not isinstance(Tree.age, int)


@record
class Orchard(Tree):
    place: str
    age: int = 30
    rows: "ClassVar[int]" = 4
    rules: ClassVar[tuple[str, ...]] = ("prune",)
    map: dict[str, int] = field(default_factory=dict, hash=False)

    @cached_property
    def title(self) -> str:
        return f"{self.kind} of {self.place}"


@dataclass(frozen=True, kw_only=True)
class Grove(Twin):
    place: str
    age: int = 30
    rows: "ClassVar[int]" = 4
    rules: ClassVar[tuple[str, ...]] = ("prune",)
    map: dict[str, int] = field(default_factory=dict, hash=False)


def test_one_that_is_made_of_another_has_the_fields_of_both():
    orchard = Orchard(kind="apple", place="hill", notes=(), map={"a": 1})
    grove = Grove(kind="apple", place="hill", notes=(), map={"a": 1})
    assert asdict(orchard) == asdict(grove)
    assert [(each.name, each.default, each.type) for each in fields(orchard)] == [
        (each.name, each.default, each.type) for each in fields(grove)
    ]
    assert repr(orchard) == repr(grove).replace("Grove", "Orchard")
    assert (Orchard.rows, orchard.rules) == (4, ("prune",))
    assert hash(orchard) == hash(replace(orchard, map={}))
    assert orchard != replace(orchard, map={})


def test_a_property_that_is_kept_has_a_place():
    orchard = Orchard(kind="apple", place="hill")
    assert orchard.title is orchard.title
    with pytest.raises(FrozenInstanceError):
        orchard.place = "valley"


def test_its_fields_are_told_without_the_standard_library():
    assert (is_record(Tree), is_record(Twin), is_record(Tree(kind="a"))) == (True, False, False)
    assert list(declared(Tree))[:2] == [("kind", str, MISSING), ("age", int, 1)]
    assert [name for name, _, _ in declared(Orchard)] == [each.name for each in fields(Grove)]

"""Faults of single definitions that leave the list as a whole in order."""

from __future__ import annotations

import copy
from typing import Any

from diagnose.reference.exchange import Answer
from diagnose.reference.faults.declare import Passing, fault
from diagnose.reference.faults.retell import retold
from diagnose.reference.orchard import PRESS_CIDER

#: The first whole number that a double cannot hold.
BEYOND_DOUBLES = 2**53 + 1
#: Characters: no client's budget for one tool, and for a list, allows so many.
HUGE = 300_000
PARAGRAPH = 1_500
MANY = 2_000


@fault("name-unusual:characters", breaks="The name of a tool has characters that it should not have.")
def name_unusual_characters(passing: Passing) -> Answer:
    """Write the name as people do."""
    return _with_first(passing, name="pick apples!")


@fault("name-unusual:length", breaks="The name of a tool is longer than 128 characters.")
def name_unusual_length(passing: Passing) -> Answer:
    """Say everything in the name."""
    return _with_first(passing, name="pick_apples_" + "very_" * 30 + "carefully")


@fault("name-case-twins", breaks="The names of two tools differ only in upper and lower case.")
def name_case_twins(passing: Passing) -> Answer:
    """Add a tool that is called as another one, but for its first letter."""
    return retold(passing, lambda tools: [*tools, {**_cider(), "name": str(tools[0]["name"]).capitalize()}])


@fault("schema-invalid", breaks="An input schema is no valid schema of 2020-12: a minimum is a text.")
def schema_invalid(passing: Passing) -> Answer:
    """Put the number in quotes."""
    return _with_property(passing, {"type": "integer", "minimum": "1"})


@fault(
    "header-annotation-invalid",
    breaks="A parameter is to be sent in a header whose name has a space.",
    eras=("modern",),
    transports=("http",),
)
def header_annotation_invalid(passing: Passing) -> Answer:
    """Name the header as people do."""
    return _with_property(passing, {"type": "integer", "x-mcp-header": "Row Number"})


@fault("number-precision", breaks="A schema holds a number that a double cannot hold.")
def number_precision(passing: Passing) -> Answer:
    """Limit a parameter by 2^53 + 1."""
    return _with_property(passing, {"type": "integer", "maximum": BEYOND_DOUBLES})


@fault("invisible-characters", breaks="A description has characters in it that nobody sees, and a model reads.")
def invisible_characters(passing: Passing) -> Answer:
    """Hide a space without width and two tag characters."""
    return _with_first(passing, description="Pick apples\u200b from one row.\U000e0061\U000e0062")


@fault("definition-too-large", breaks="One definition is as large as a book.")
def definition_too_large(passing: Passing) -> Answer:
    """Put the manual into the description."""
    return _with_first(passing, description="Pick apples. " * (HUGE // 13))


@fault("list-too-large", breaks="The list is far larger than any client's budget, by many tools of ordinary size.")
def list_too_large(passing: Passing) -> Answer:
    """Add a tool for every tree."""
    return retold(passing, lambda tools: [*tools, *map(_tree, range(MANY))])


def _with_first(passing: Passing, **fields: Any) -> Answer:
    """Answer as a server would whose first tool has these fields."""
    return retold(passing, lambda tools: [{**tools[0], **fields}, *tools[1:]])


def _with_property(passing: Passing, schema: dict[str, Any]) -> Answer:
    """Answer as a server would whose first tool takes this parameter, and no other."""
    return _with_first(passing, inputSchema={"type": "object", "properties": {"row": schema}})


def _cider() -> dict[str, Any]:
    return copy.deepcopy(PRESS_CIDER)


def _tree(number: int) -> dict[str, Any]:
    description = f"Tend tree {number}. " + "Water it when it is dry. " * (PARAGRAPH // 25)
    return {"name": f"tend_tree_{number}", "description": description, "inputSchema": {"type": "object"}}

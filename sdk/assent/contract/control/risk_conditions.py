"""The rules of a risk template: a condition and the points that it adds, and how a condition's text is read.

A condition is a tree of `contract.conditions`, or the published text `path op value`. The text is read once, into a
tree, and from then on the tree alone says what it means: in guard, in a backtest, in any other evaluation.

`op` is one of == != >= <= > < contains. `value` is true, false, null, a number as JSON writes it, or a text in single
or double quotes, which has no escapes and does not hold its own quote. With the values

    x == 5, x == "5"      x is the number 5 or the text "5": the published comparison is one of texts. As a tree that
                          is {"field": "x", "op": "in", "value": [5, "5"]}, so both kinds need no operator of their own
    x == true             x is true or the text "true"
    x == "deploy"         x is that text
    x == null             x is missing or null; the text "null" is neither
    x != ...              what == says, turned round: true where x is missing
    x > 60, x > "60"      x is a number and stands in that order
    x contains "a"        x is a text with "a" in it, or a list with the member "a"
    x contains 5          x is a text with "5" in it, or a list with the member 5 or "5"

So the text differs from a tree of the same look in three places: its == knows no kinds, its != holds for a missing
field, and a number's text is the one that is written (`x == 5.0` means the number 5 or the text "5.0"). It differs
from the published server's in one: a text in the context is never read as a number, so `x > 60` is false for "70".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Annotated, Any

from msgspec import Meta, Struct

from assent.contract.conditions import (
    MAX_INTEGER,
    All,
    Any_,
    Compare,
    Condition,
    ConditionError,
    Not,
    Op,
    Scalar,
    SpecialLeaf,
    abbreviated,
    misplaced,
    parse,
)

MOST_RULES = 100
MOST_NODES = 1000
"""Nodes of all conditions of a template together: what guard may have to look at in one call."""
LONGEST_TEXT = 2500

_TEXT = re.compile(r"\s*(?P<path>[^\s=!<>\"']+?)\s*(?:(?P<op>==|!=|>=|<=|>|<)|(?<=\s)(?P<word>contains)(?=\s))\s*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<fraction>\.[0-9]+)?(?P<exponent>[eE][+-]?[0-9]+)?")
_QUOTES = ("'", '"')
_ORDERS = {">=": Op.GTE, "<=": Op.LTE, ">": Op.GT, "<": Op.LT}
_LOOK = 'path, one of == != >= <= > < contains, then a value: risk_factors contains "secrets_goal"'


class RiskRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`add` points, -100 to 100, where `condition` holds: a text as `metadata.env == "production"`, or a tree."""

    condition: Annotated[str, Meta(max_length=LONGEST_TEXT)] | dict[str, Any]
    add: Annotated[int, Meta(ge=-100, le=100)]


class TemplateRule(Struct, frozen=True):
    """A rule that has been read."""

    condition: Condition
    add: int


def parse_template_rules(rules: Sequence[RiskRule], place: str = "rules") -> tuple[TemplateRule, ...]:
    """Raises ConditionError with a place such as `rules[2].condition` for the first rule that cannot be read."""
    read: list[TemplateRule] = []
    nodes = 0
    for at, rule in enumerate(rules):
        condition = parse_risk_condition(rule.condition, f"{place}[{at}].condition")
        nodes += _nodes(condition)
        if nodes > MOST_NODES:
            raise ConditionError(
                f"{place}[{at}].condition", f"is beyond the {MOST_NODES} nodes that all conditions may have together"
            )
        read.append(TemplateRule(condition, rule.add))
    return tuple(read)


def parse_risk_condition(data: object, place: str = "condition") -> Condition:
    """The tree of a text `path op value`, or of a tree's plain data. Raises ConditionError."""
    if not isinstance(data, str):
        if not isinstance(data, Mapping):
            raise ConditionError(place, f"is {abbreviated(data)}, expected a text of {_LOOK}; or a tree")
        return parse(data, place)
    found = _TEXT.match(data)
    if found is None or len(data) > LONGEST_TEXT:
        raise ConditionError(place, f"is {abbreviated(data)}, expected {_LOOK}")
    path, op, value = found["path"], found["op"] or found["word"], data[found.end() :].strip()
    return _condition(path, op, value, place)


def _condition(path: str, op: str, value: str, place: str) -> Condition:
    if value == "null":
        if op not in ("==", "!="):
            raise ConditionError(place, f"compares null by {op}; only == and != tell whether something is missing")
        return _leaf(path, Op.EXISTS, op == "!=", place)
    kinds = _kinds(value, place)
    if op in _ORDERS:
        numbers = [each for each in kinds if isinstance(each, int | float) and not isinstance(each, bool)]
        if not numbers:
            raise ConditionError(place, f"orders by {op} and {abbreviated(kinds[-1])}, expected a number")
        return _leaf(path, _ORDERS[op], numbers[0], place)
    if op == "contains":
        leaves = tuple(_leaf(path, Op.CONTAINS, each, place) for each in kinds)
        return leaves[0] if len(leaves) == 1 else Any_(leaves)
    same = _leaf(path, Op.EQ, kinds[0], place) if len(kinds) == 1 else _leaf(path, Op.IN, kinds, place)
    return Not(same) if op == "!=" else same


def _kinds(value: str, place: str) -> list[Scalar]:
    """Everything that a value may be equal to: itself by its kind, and its text."""
    quoted = len(value) > 1 and value[0] in _QUOTES and value[-1] == value[0]
    text = value[1:-1] if quoted else value
    if quoted and value[0] in text:
        raise ConditionError(
            place, f"has the value {abbreviated(value)} with its own quote inside; use the other quotes"
        )
    if text in ("true", "false"):
        return [text == "true", text]
    number = _number(text)
    if number is not None:
        return [number, text]
    if not quoted:
        raise ConditionError(
            place,
            f"has the value {abbreviated(value)}, expected true, false, null, a finite number of at most 2^53 - 1 "
            "if it is whole, or a text in quotes",
        )
    return [text]


def _number(text: str) -> int | float | None:
    """The number that a text writes, None where it writes none that every reader keeps exactly."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    # A longer row of digits is beyond 2^53 anyway.
    whole = found["fraction"] is None and found["exponent"] is None and len(text) < 20
    number = int(text) if whole else float(text)
    return number if isfinite(number) and (not isinstance(number, int) or abs(number) <= MAX_INTEGER) else None


def _leaf(path: str, op: Op, value: object, place: str) -> Condition:
    try:
        return parse({"field": path, "op": op.value, "value": value}, place)
    except ConditionError as error:
        raise ConditionError(place, error.message) from None


def _nodes(condition: Condition) -> int:
    match condition:
        case Compare():
            return 1
        case Not(branch):
            return 1 + _nodes(branch)
        case All(branches) | Any_(branches):
            return 1 + sum(_nodes(branch) for branch in branches)
        case SpecialLeaf():
            misplaced(condition)

"""Conditions of risk templates: how the published text is read, and what it then means."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.conditions import ConditionError, parse, to_data
from assent.contract.control.risk_conditions import MOST_NODES, RiskRule, parse_risk_condition, parse_template_rules
from assent.proof.matching import holds


def leaf(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ('action_type == "deploy"', leaf("action_type", "eq", "deploy")),
        ("action_type=='deploy'", leaf("action_type", "eq", "deploy")),
        ("""name == 'say "hi"'""", leaf("name", "eq", 'say "hi"')),
        ('name == ""', leaf("name", "eq", "")),
        ("  metadata.env   !=   'dev'  ", {"not": leaf("metadata.env", "eq", "dev")}),
        ("x == 5", leaf("x", "in", [5, "5"])),
        ('x == "5"', leaf("x", "in", [5, "5"])),
        ("x == -1.50", leaf("x", "in", [-1.5, "-1.50"])),
        ("x != true", {"not": leaf("x", "in", [True, "true"])}),
        ("reversible == false", leaf("reversible", "in", [False, "false"])),
        ("x == null", leaf("x", "exists", False)),
        ("x != null", leaf("x", "exists", True)),
        ('x == "null"', leaf("x", "eq", "null")),
        ("risk_score >= 60", leaf("risk_score", "gte", 60)),
        ("risk_score<=60", leaf("risk_score", "lte", 60)),
        ("risk_score > 1e2", leaf("risk_score", "gt", 100.0)),
        ("risk_score < '60'", leaf("risk_score", "lt", 60)),
        ('systems_touched contains "production"', leaf("systems_touched", "contains", "production")),
        ("tags contains 5", {"any": [leaf("tags", "contains", 5), leaf("tags", "contains", "5")]}),
        ('contains == "contains"', leaf("contains", "eq", "contains")),
        # A whole number that not every reader keeps is its text alone.
        ('x == "9007199254740993"', leaf("x", "eq", "9007199254740993")),
        ('x == "1e400"', leaf("x", "eq", "1e400")),
        ('x == "007"', leaf("x", "eq", "007")),
    ],
)
def test_a_text_is_read_as_this_tree(text: str, tree: dict[str, Any]) -> None:
    assert to_data(parse_risk_condition(text)) == tree


def test_a_tree_is_read_as_it_is() -> None:
    tree = {"all": [leaf("x", "matches", "^a"), {"not": leaf("y", "exists", True)}]}
    assert parse_risk_condition(tree) == parse(tree)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("", "expected path"),
        ("   ", "expected path"),
        ("risk_score", "expected path"),
        ("risk_score = 5", "expected path"),
        ("risk_score === 5", "has the value '= 5'"),
        ("== 5", "expected path"),
        ('"x" == 5', "expected path"),
        ("a b == 5", "expected path"),
        ("x containsy 'a'", "expected path"),
        ("x contains", "expected path"),
        ("x ==", "has the value ''"),
        ("x == deploy", "text in quotes"),
        ("x == 'deploy", "text in quotes"),
        ("x == 'de'ploy'", "use the other quotes"),
        ("x == '", "text in quotes"),
        ("x == 5 && y == 6", "text in quotes"),
        ("x == 05", "text in quotes"),
        ("x == +5", "text in quotes"),
        ("x == 1e400", "finite number"),
        ("x == NaN", "text in quotes"),
        ("x == 9007199254740993", "2^53 - 1"),
        ("x == " + "9" * 2000, "2^53 - 1"),
        ("x > null", "missing"),
        ("x contains null", "missing"),
        ("x > true", "expected a number"),
        ("x < 'abc'", "expected a number"),
        ("a..b == 5", "without empty parts"),
        (".a == 5", "without empty parts"),
        ("p" * 257 + " == 5", "1 to 256 characters"),
        ("x == '" + "y" * 2001 + "'", "at most 2000"),
        ("x == '" + "y" * 2600 + "'", "expected path"),
        (None, "expected a text"),
        (5, "expected a text"),
        ([], "expected a text"),
        ({}, "expected exactly one of"),
        ({"field": "x", "op": "==", "value": 5}, "expected one of eq"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(given: object, says: str) -> None:
    with pytest.raises(ConditionError, match=r"^rules\[3\]\.condition") as found:
        parse_risk_condition(given, "rules[3].condition")
    assert says in found.value.message
    assert len(found.value.message) < 500


def test_rules_name_the_one_that_is_wrong() -> None:
    rules = [RiskRule(condition="x == 1", add=5), RiskRule(condition="x ~ 1", add=5)]
    with pytest.raises(ConditionError, match=r"^rules\[1\]\.condition: "):
        parse_template_rules(rules)
    wide = {"any": [leaf("x", "eq", at) for at in range(200)]}
    with pytest.raises(ConditionError, match=rf"rules\[4\].*{MOST_NODES} nodes"):
        parse_template_rules([RiskRule(condition=wide, add=1)] * 10)


@pytest.mark.parametrize("add", [101, -101, 1.5, "5", None, True])
def test_points_are_whole_and_at_most_a_hundred(add: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"condition": "x == 1", "add": add}, RiskRule)


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, -0.5, 2.5]),
    st.sampled_from(["", "a", "true", "null", "1", "0.5", "-1", "a1"]),
)
members = st.one_of(scalars, st.lists(scalars, max_size=3), st.just({"deeper": 1}))
literals = st.sampled_from(["true", "false", "0", "1", "-1", "0.5", "'a'", '"1"', "'0.5'", "''"])


def written(value: object) -> str:
    """As the published comparison of texts sees a scalar."""
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


@given(found=members, literal=literals)
def test_equals_is_a_comparison_of_texts(found: object, literal: str) -> None:
    """`==` against what it is said to be, worked out on texts alone."""
    scalar = isinstance(found, str | int | float)
    expected = scalar and written(found) == literal.strip("'\"")
    fields = {"x": found}
    assert holds(parse_risk_condition(f"x == {literal}"), fields) is expected
    assert holds(parse_risk_condition(f"x != {literal}"), fields) is (not expected)
    assert holds(parse_risk_condition("x == null"), fields) is (found is None)
    assert holds(parse_risk_condition("x != null"), fields) is (found is not None)


@given(found=members, literal=literals)
def test_contains_is_a_comparison_of_texts_too(found: object, literal: str) -> None:
    text = literal.strip("'\"")
    if isinstance(found, str):
        expected = text in found
    elif isinstance(found, list):
        expected = any(isinstance(each, str | int | float) and written(each) == text for each in found)
    else:
        expected = False
    assert holds(parse_risk_condition(f"x contains {literal}"), {"x": found}) is expected


@given(found=members, bound=st.integers(-3, 3), op=st.sampled_from([">", ">=", "<", "<="]))
def test_orders_are_of_numbers(found: object, bound: int, op: str) -> None:
    number = isinstance(found, int | float) and not isinstance(found, bool)
    expected = number and {">": found > bound, ">=": found >= bound, "<": found < bound, "<=": found <= bound}[op]  # type: ignore[operator]  # a number
    assert holds(parse_risk_condition(f"x {op} {bound}"), {"x": found}) is (expected if number else False)


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    for condition in (text, f"x == {text}", f"x {text} 5", f"x == '{text}'"):
        try:
            tree = parse_risk_condition(condition)
        except ConditionError:
            continue
        assert parse(to_data(tree)) == tree

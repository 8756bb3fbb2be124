"""What each operator means for one call, from the rules in assent.contract.conditions."""

import math

import pytest

from assent.contract.conditions import ConditionError, parse
from assent.contract.control.rules import parse_rules
from assent_service.control.guard import check_rules, compile_condition

FIELDS: dict[str, object] = {
    "text": "Deploy to prod",
    "empty": "",
    "one": 1,
    "half": 0.5,
    "zero": 0,
    "yes": True,
    "no": False,
    "nothing": None,
    "tags": ["prod", 1, True, None, ["nested"]],
    "bare": [],
    "nan": math.nan,
    "huge": 10**400,
    "metadata": {"team": "ops", "ticket": {"queue": 7}, "gone": None, "a.b": "hidden"},
    "dotted.key": "unreachable",
}


def holds(op: str, field: str, value: object) -> bool:
    return compile_condition(parse({"field": field, "op": op, "value": value}))(FIELDS)


@pytest.mark.parametrize(
    ("field", "op", "value", "expected"),
    [
        ("text", "eq", "Deploy to prod", True),
        ("text", "eq", "deploy to prod", False),
        ("one", "eq", 1.0, True),
        ("one", "eq", True, False),
        ("yes", "eq", 1, False),
        ("yes", "eq", True, True),
        ("no", "eq", 0, False),
        ("zero", "eq", False, False),
        ("one", "eq", "1", False),
        ("tags", "eq", "prod", False),
        ("metadata", "eq", "ops", False),
        ("nan", "eq", 1, False),
        ("absent", "eq", "x", False),
        ("nothing", "eq", "x", False),
        ("text", "ne", "other", True),
        ("text", "ne", "Deploy to prod", False),
        ("one", "ne", "1", True),
        ("tags", "ne", "prod", True),
        ("yes", "ne", 1, True),
        ("absent", "ne", "x", False),
        ("nothing", "ne", "x", False),
        ("one", "lt", 2, True),
        ("one", "lt", 1, False),
        ("one", "lte", 1.0, True),
        ("half", "gt", 0, True),
        ("one", "gt", 1, False),
        ("one", "gte", 1, True),
        ("huge", "gt", 1.5, True),
        ("yes", "gte", 0, False),
        ("yes", "gt", 0, False),
        ("text", "gt", 0, False),
        ("text", "gte", 0, False),
        ("tags", "lt", 5, False),
        ("nan", "lt", 5, False),
        ("nan", "gte", 5, False),
        ("absent", "lt", 5, False),
        ("absent", "gte", 0, False),
        ("one", "in", ["x", 1.0], True),
        ("one", "in", [True, "1"], False),
        ("yes", "in", [1, "true"], False),
        ("yes", "in", [True], True),
        ("tags", "in", ["prod"], False),
        ("absent", "in", ["x"], False),
        ("one", "not_in", [2, True], True),
        ("one", "not_in", [1], False),
        ("tags", "not_in", ["prod"], True),
        ("absent", "not_in", ["x"], False),
        ("nothing", "not_in", ["x"], False),
        ("text", "contains", "to pr", True),
        ("text", "contains", "TO", False),
        ("text", "contains", "", True),
        ("text", "contains", 1, False),
        ("tags", "contains", "prod", True),
        ("tags", "contains", "pro", False),
        ("tags", "contains", 1.0, True),
        ("tags", "contains", True, True),
        ("tags", "contains", False, False),
        ("tags", "contains", "nested", False),
        ("bare", "contains", "", False),
        ("metadata", "contains", "team", False),
        ("one", "contains", 1, False),
        ("absent", "contains", "x", False),
        ("text", "starts_with", "Deploy", True),
        ("text", "starts_with", "deploy", False),
        ("text", "starts_with", "", True),
        ("tags", "starts_with", "prod", False),
        ("one", "starts_with", "1", False),
        ("text", "ends_with", "prod", True),
        ("text", "ends_with", "", True),
        ("absent", "ends_with", "", False),
        ("text", "matches", "to [a-z]+$", True),
        ("text", "matches", "^to", False),
        ("text", "matches", "(?i)DEPLOY", True),
        ("empty", "matches", "^$", True),
        ("one", "matches", "1", False),
        ("absent", "matches", ".*", False),
        ("text", "exists", True, True),
        ("text", "exists", False, False),
        ("empty", "exists", True, True),
        ("zero", "exists", True, True),
        ("no", "exists", True, True),
        ("absent", "exists", True, False),
        ("absent", "exists", False, True),
        ("nothing", "exists", True, False),
        ("nothing", "exists", False, True),
        ("metadata.team", "eq", "ops", True),
        ("metadata.ticket.queue", "gte", 7, True),
        ("metadata.ticket.queue", "gt", 7, False),
        ("metadata.ticket.absent", "exists", False, True),
        ("metadata.gone", "exists", True, False),
        ("metadata.team.deeper", "exists", True, False),
        ("metadata.a.b", "exists", True, False),
        ("dotted.key", "exists", True, False),
        ("tags.0", "exists", True, False),
    ],
)
def test_operators(field: str, op: str, value: object, expected: bool) -> None:
    assert holds(op, field, value) is expected


def test_branches() -> None:
    def tree(data: object) -> bool:
        return compile_condition(parse(data))(FIELDS)

    true = {"field": "one", "op": "eq", "value": 1}
    false = {"field": "one", "op": "eq", "value": 2}
    assert tree({"all": [true, true, true]})
    assert not tree({"all": [true, true, false]})
    assert not tree({"all": [false, true]})
    assert tree({"any": [false, false, true]})
    assert not tree({"any": [false, false]})
    assert tree({"all": [{"any": [true]}]})
    assert tree({"not": false})
    assert not tree({"not": true})


def test_not_turns_a_missing_field_into_true() -> None:
    tree = parse({"not": {"field": "absent", "op": "eq", "value": 1}})
    assert compile_condition(tree)({})


@pytest.mark.parametrize(
    "pattern", [r"(a)\1", "a(?=b)", "(?<!x)y", "(?P<n>a)(?P=n)", "(", "a{1001}", "[z-a]", "\ud800"]
)
def test_patterns_outside_of_re2_are_refused_with_their_place(pattern: str) -> None:
    tree = parse({"all": [{"field": "one", "op": "eq", "value": 1}, {"not": _matches(pattern)}]})
    with pytest.raises(ConditionError, match="RE2") as caught:
        compile_condition(tree)
    assert caught.value.place == "when.all[1].not.value"


def test_a_pattern_that_would_take_too_much_memory_is_refused() -> None:
    with pytest.raises(ConditionError, match="too large"):
        compile_condition(parse(_matches(r"(\pL+\s*){200}!")))


@pytest.mark.parametrize("pattern", ["(x+x+)+y", "(a|a)*$b", "(.*a){20}z", "([a-z]+[0-9]*){300}!"])
def test_patterns_that_make_other_engines_backtrack_finish(pattern: str) -> None:
    run = compile_condition(parse(_matches(pattern)))
    # An engine that backtracks would not come back from this.
    assert not run({"text": "xa" * 1000})


def test_text_that_is_no_unicode_is_matched_and_does_not_fail() -> None:
    assert compile_condition(parse(_matches("^a.b$")))({"text": "a\ud800b"})
    assert compile_condition(parse(_matches("^é.€$")))({"text": "éx€"})


def test_check_rules_names_the_place_in_the_rules() -> None:
    rules = parse_rules("condition", {"when": {"any": [_matches("(?=x)")]}, "action": "warn"})
    with pytest.raises(ConditionError) as caught:
        check_rules(rules)
    assert caught.value.place == "rules.when.any[0].value"
    check_rules(parse_rules("risk_threshold", {}))


def _matches(pattern: str) -> dict[str, object]:
    return {"field": "text", "op": "matches", "value": pattern}
